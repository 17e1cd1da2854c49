package import MatchCore
package import MatchWire

/// A player of the tests with a fixed key.
package struct TestPlayer: Hashable {
  package let name: PlayerName
  package let seedByte: UInt8

  package init(_ name: String, seedByte: UInt8) {
    self.name = required(PlayerName(name))
    self.seedByte = seedByte
  }

  package var signer: Signer { required(.ed25519(seed: Array(repeating: seedByte, count: 32))) }
  package var key: PublicKey { signer.publicKey }
  package var id: PlayerID { PlayerID(firstKey: key) }

  package static let ann = TestPlayer("Ann", seedByte: 1)
  package static let bob = TestPlayer("Bob", seedByte: 2)
  package static let cyd = TestPlayer("Cyd", seedByte: 3)
  /// Player `number` of a crowd.
  package static func member(_ number: Int) -> TestPlayer {
    TestPlayer("member-\(number)", seedByte: UInt8(10 + number))
  }
}

extension ServiceID {
  package static let test = ServiceID(rawValue: 0x5e5e)
}

extension ServiceSecret {
  package static let test = required(ServiceSecret(bytes: Array(0..<32)))
}

/// A constant that a test relies on: without it the test cannot go on.
package func required<Value>(_ value: Value?) -> Value {
  guard let value else { preconditionFailure("a constant of the tests is missing") }
  return value
}
