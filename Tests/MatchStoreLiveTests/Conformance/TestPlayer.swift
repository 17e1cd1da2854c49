import MatchCore
import MatchWire

/// A player of the tests with a fixed key.
struct TestPlayer: Hashable {
  let name: PlayerName
  let seedByte: UInt8

  init(_ name: String, seedByte: UInt8) {
    self.name = required(PlayerName(name))
    self.seedByte = seedByte
  }

  var signer: Signer { required(.ed25519(seed: Array(repeating: seedByte, count: 32))) }
  var key: PublicKey { signer.publicKey }
  var id: PlayerID { PlayerID(firstKey: key) }

  static let ann = TestPlayer("Ann", seedByte: 1)
  static let bob = TestPlayer("Bob", seedByte: 2)
  static let cyd = TestPlayer("Cyd", seedByte: 3)
  /// Player `number` of a crowd.
  static func member(_ number: Int) -> TestPlayer {
    TestPlayer("member-\(number)", seedByte: UInt8(10 + number))
  }
}

extension ServiceID {
  static let test = ServiceID(rawValue: 0x5e5e)
}

extension ServiceSecret {
  static let test = required(ServiceSecret(bytes: Array(0..<32)))
}

/// A constant that a test relies on: without it the test cannot go on.
func required<Value>(_ value: Value?) -> Value {
  guard let value else { preconditionFailure("a constant of the tests is missing") }
  return value
}
