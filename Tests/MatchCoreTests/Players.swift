import MatchCore
import SHA2

/// A constant or a state that a test relies on: without it the test cannot go on.
func required<Value>(_ value: Value?) -> Value {
  guard let value else { preconditionFailure("a test relies on a value that is not there") }
  return value
}

/// A player of the tests with a fixed key; signatures are a keyed hash, since judging never looks
/// at them.
struct TestPlayer: Hashable {
  let name: PlayerName
  let key: PublicKey
  var id: PlayerID { PlayerID(firstKey: key) }

  init(_ name: String, keyByte: UInt8) {
    self.name = required(PlayerName(name))
    key = required(PublicKey(bytes: Array(repeating: keyByte, count: 32)))
  }

  static let ann = TestPlayer("Ann", keyByte: 0xa1)
  static let bob = TestPlayer("Bob", keyByte: 0xb2)
  static let cyd = TestPlayer("Cyd", keyByte: 0xc3)
  static let dan = TestPlayer("Dan", keyByte: 0xd4)
  /// The service as the sender of events.
  static let service = TestPlayer("service", keyByte: 0x5e)

  /// Signs a payload with the player's key.
  func sign(_ payload: [UInt8]) -> SignedPayload {
    let code = HMACSHA256.code(for: payload, key: key.bytes)
    return SignedPayload(
      key: key, signature: code + HMACSHA256.code(for: code, key: key.bytes), payload: payload)
  }

  /// An event as it arrives; the payload stands for the real one.
  func receive(_ event: Event) -> ReceivedEvent {
    ReceivedEvent(event: event, signed: sign(Array("event \(event)".utf8)))
  }
}

extension SignedPayload {
  /// The service's signature on a statement in a match.
  static func statement(_ statement: Statement, in match: MatchID) -> SignedPayload {
    TestPlayer.service.sign(Array("statement \(statement) in \(match)".utf8))
  }

  /// The service's signature on a statement about a recovery.
  static func recovery(_ statement: RecoveryStatement) -> SignedPayload {
    TestPlayer.service.sign(Array("statement \(statement)".utf8))
  }
}

extension ServiceSecret {
  static let test = required(ServiceSecret(bytes: Array(0..<32)))
}

extension ServiceID {
  static let test = ServiceID(rawValue: 0x5e5e)
}

extension Day {
  /// 2026-05-01, the day on which every lab begins.
  static let first = required(Day("2026-05-01"))
}

extension Instant {
  /// 2026-05-01T12:00:00Z, when every lab begins.
  static let noon = Day.first.start.adding(seconds: 12 * 3_600)
}
