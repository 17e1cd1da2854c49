package import MatchInterfaces
package import Testing

/// A requirement for every event bus, live or simulated: each case runs on an empty broker of its
/// own.
package struct BusCase: CustomTestStringConvertible, Sendable {
  package var testDescription: String
  /// The capacity of the queues.
  package var limits = BusLimits()
  /// Runs the case.
  package var run: @Sendable (BusSet) throws -> Void

  init(
    _ description: String, limits: BusLimits = BusLimits(),
    _ run: @escaping @Sendable (BusSet) throws -> Void
  ) {
    testDescription = description
    self.limits = limits
    self.run = run
  }

  /// All but those of ``alarming``.
  package static let all =
    answering + consuming + publishing + asking + requesting + gateways + forging + breaking
}

/// The error of the bus that `body` throws.
package func busError(
  _ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) throws -> BusError {
  try #require(throws: BusError.self, sourceLocation: sourceLocation) { try body() }
}
