/// A parser with what has to hold for whatever bytes it is given.
///
/// A target never crashes, and it throws a `BrokenProperty` where a property does not hold. The same
/// functions are run by libFuzzer (deploy/fuzz) and, over the kept inputs, by the tests.
struct FuzzTarget: Sendable {
  let name: String
  let run: @Sendable ([UInt8]) throws -> Void

  static let all: [FuzzTarget] =
    jsonTargets + envelopeTargets + rulesTargets + matchTargets + lexiconTargets + amqpTargets
    + postgreSQLTargets
}

/// What did not hold.
struct BrokenProperty: Error, CustomStringConvertible {
  let description: String
}

/// Throws unless a property holds.
func hold(_ condition: Bool, _ property: @autoclosure () -> String) throws {
  guard condition else { throw BrokenProperty(description: property()) }
}

/// What a body gives, or nil where it refuses: that a parser refuses is no finding.
func attempt<Value>(_ body: () throws -> Value) throws -> Value? {
  do {
    return try body()
  } catch let broken as BrokenProperty {
    throw broken
  } catch {
    // What a person is told must be sayable, too.
    _ = "\(error)"
    return nil
  }
}
