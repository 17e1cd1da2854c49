import MatchCore
import MatchWire
import Testing

@testable import MatchGateway

extension ServiceID {
  static let test = ServiceID(rawValue: 0xa)
}

/// A player with a key of its own.
struct Actor {
  let signer: Signer
  var player: PlayerID { PlayerID(firstKey: signer.publicKey) }

  init(_ number: UInt8) throws {
    signer = try #require(Signer.ed25519(seed: Array(repeating: number, count: 32)))
  }

  func event(
    _ action: Event.Action = .inboxSeen(.all), id: UInt128 = 1,
    service: ServiceID = .test
  ) throws -> [UInt8] {
    let event = Event(
      service: service, id: Lab.id(id), player: player, action: action)
    return Envelope.encode(try signer.sign(event))
  }

  func query(
    _ kind: Query.Kind, id: UInt128 = 1, service: ServiceID = .test
  ) -> [UInt8] {
    Envelope.encode(
      signer.sign(Query(service: service, id: Lab.id(id), player: player, kind: kind)))
  }

  func registration(_ name: String, id: UInt128 = 1) throws -> [UInt8] {
    try event(
      .playerRegistered(Event.PlayerRegistered(name: try #require(PlayerName(name)))), id: id)
  }
}

extension ServiceInfo {
  static let test = ServiceInfo(
    service: .test, rootKey: Hash(sha256Of: [1]).asKey, certificates: [],
    version: "1.0.0", now: Instant(microseconds: 1_777_600_000_000_000), registration: .open,
    queueCount: 16, limits: .current)
}

extension Hash {
  /// Any 32 bytes as a key.
  fileprivate var asKey: PublicKey {
    guard let key = PublicKey(description) else { preconditionFailure("a digest has 32 bytes") }
    return key
  }
}
