/// A parser and the properties that have to hold for any bytes.
///
/// A target never crashes, and it throws a `BrokenProperty` where a property does not hold. The
/// same functions are run by libFuzzer (deploy/fuzz) and, over the kept inputs, by the tests.
struct FuzzTarget: Sendable {
  let name: String
  let run: @Sendable ([UInt8]) throws -> Void

  static let all: [FuzzTarget] =
    jsonTargets + envelopeTargets + rulesTargets + matchTargets + lexiconTargets + amqpTargets
    + postgreSQLTargets + httpTargets
}

/// The property that did not hold.
struct BrokenProperty: Error, CustomStringConvertible {
  let description: String
}

/// Throws unless a property holds.
func hold(_ condition: Bool, _ property: @autoclosure () -> String) throws {
  guard condition else { throw BrokenProperty(description: property()) }
}

/// The result of a body, or nil where it throws: a refusal by a parser is no finding.
func attempt<Value>(_ body: () throws -> Value) throws -> Value? {
  do {
    return try body()
  } catch let broken as BrokenProperty {
    throw broken
  } catch {
    // Making the message of an error must not crash either.
    _ = "\(error)"
    return nil
  }
}
