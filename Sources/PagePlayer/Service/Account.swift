import CubistBasics
package import MatchCore
import MatchRecord
import MatchWire

/// The player at a service: the public key, the name, and the service as it was met first.
///
/// The secret key is not here: the page signs.
package struct Account {
  package let key: PublicKey
  /// The player for whom the key speaks, or wants to.
  package private(set) var player: PlayerID
  /// The service that the key is used at.
  var pin: Pin?
  /// Whether the page can sign. A browser that makes no keys has 32 zeros in the place of one.
  let canSign: Bool
  /// The player's name there, as far as it is known.
  package internal(set) var name: PlayerName?
  /// The name of the player for whom the key has spoken, and speaks no more.
  private(set) var removed: PlayerName?
  /// The name of the player for whom a recovery is to let the key speak.
  package internal(set) var recovering: PlayerName?
  /// The public half of the key of typed recovery words, until they have done their work. The page
  /// has its secret half meanwhile.
  var recoveryKey: PublicKey?
  /// Whether a code is needed to register.
  var needsCode = false
  /// How far the service's clock is ahead, in microseconds.
  private var clockOffset: Int64 = 0
  private var random: SplitMix64

  /// Everything by which a service is known again.
  struct Pin: Hashable {
    var service: ServiceID
    var rootKey: PublicKey
  }

  /// The player of a key, who knows no service yet.
  ///
  /// - Parameter player: The player of a later key; nil: the player with this first key.
  package init(key: PublicKey, of player: PlayerID? = nil, seed: UInt64) {
    self.key = key
    canSign = key.bytes.contains { $0 != 0 }
    self.player = player ?? PlayerID(firstKey: key)
    random = SplitMix64(state: seed)
  }

  /// The player whom a text of `kept` tells about. Nil where it is none.
  package init?(kept text: String, seed: UInt64) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard [1, 3, 4, 5].contains(parts.count) else { return nil }
    let keyAndPlayer = parts[0].split(separator: ":", omittingEmptySubsequences: false)
    guard keyAndPlayer.count <= 2, let key = PublicKey(keyAndPlayer[0]) else { return nil }
    let player = keyAndPlayer.count == 2 ? PlayerID(keyAndPlayer[1]) : nil
    guard keyAndPlayer.count == 1 || player != nil else { return nil }
    self.init(key: key, of: player, seed: seed)
    guard parts.count > 1 else { return }
    guard let service = ServiceID(parts[1]), let rootKey = PublicKey(parts[2]) else { return nil }
    pin = Pin(service: service, rootKey: rootKey)
    guard parts.count > 3 else { return }
    guard let name = parts.last.flatMap({ PlayerName($0) }) else { return nil }
    if parts.count == 4 {
      self.name = name
    } else {
      guard parts[3] == Self.recovers, isLater else { return nil }
      recovering = name
    }
  }

  /// Everything that is to be known again: key, service, its root key, and the name. The player's
  /// id follows a later key that has a name, or waits for one by a recovery.
  package var kept: String {
    var text = key.description
    let name = name ?? removed
    if isLater, name != nil || recovering != nil { text += ":\(player)" }
    guard let pin else { return text }
    text += " \(pin.service) \(pin.rootKey)"
    if let name {
      text += " \(name)"
    } else if let recovering {
      text += " \(Self.recovers) \(recovering)"
    }
    return text
  }

  /// Stands before the name of a player for whom the key does not speak yet.
  private static let recovers = "recovers"

  /// Whether the key is not the player's first one.
  var isLater: Bool { player != PlayerID(firstKey: key) }

  /// The key is to speak for a player who lets it in; nil: for the player with this first key.
  mutating func speak(for player: PlayerID?) { self.player = player ?? PlayerID(firstKey: key) }

  /// The key speaks for its player no more.
  mutating func lose() { (removed, name) = (name, nil) }

  /// A new id, dated by the service's clock.
  ///
  /// - Parameter now: The time of the page's own clock.
  mutating func newID(at now: Instant) -> EventID {
    let (high, low) = (random.next(), random.next())
    return EventID(at: time(at: now), random: UInt128(high) << 64 | UInt128(low))
  }

  /// The service's time.
  ///
  /// - Parameter now: The time of the page's own clock.
  func time(at now: Instant) -> Instant { now.adding(microseconds: clockOffset) }

  /// The time of the page's own clock.
  ///
  /// - Parameter time: The service's time.
  func pageTime(of time: Instant) -> Instant { time.adding(microseconds: -clockOffset) }

  /// The bytes to be signed for a query: a tag, a zero byte and the payload.
  func message(_ kind: Query.Kind, id: EventID) -> [UInt8] {
    // Any id will do for the question after the service itself.
    let service = pin?.service ?? ServiceID(rawValue: 0)
    return SignatureTag.query.message(
      QueryCodec.encode(Query(service: service, id: id, player: player, kind: kind)))
  }

  /// The bytes to be signed for an event. Nil where no service is known.
  func message(_ action: Event.Action, id: EventID) -> [UInt8]? {
    guard let pin else { return nil }
    return SignatureTag.event.message(
      PayloadCodec.encode(Event(service: pin.service, id: id, player: player, action: action)))
  }

  /// The body of a message that was signed: its envelope. Nil unless it has a tag and the signature
  /// 64 bytes.
  ///
  /// - Parameter isByWords: Whether the key of recovery words has signed it.
  package func envelope(
    _ message: [UInt8], signature: [UInt8], isByWords: Bool = false
  ) -> [UInt8]? {
    guard let key = isByWords ? recoveryKey : key, signature.count == 64,
      let end = message.firstIndex(of: 0)
    else { return nil }
    return Envelope.encode(
      SignedPayload(key: key, signature: signature, payload: Array(message[(end + 1)...])))
  }

  /// The event of a body that was sent before. Nil where it is not this player's.
  func event(_ body: [UInt8]) -> Event? {
    guard let signed = try? Envelope.decode(body),
      let event = try? PayloadCodec.decodeEvent(signed.payload)
    else { return nil }
    let isOwn =
      switch event.action {
      // The key of recovery words has signed these.
      case .playerRecovered(let recovered): recovered.key == key
      case .recoveryWithdrawn: name == nil
      default: signed.key == key
      }
    return isOwn ? event : nil
  }

  /// Takes the service's words about itself.
  ///
  /// - Returns: Why it is not asked any more; nil: it is.
  mutating func take(_ info: ServiceInfo, at now: Instant, roundTrip: Int64) -> Trouble? {
    let met = Pin(service: info.service, rootKey: info.rootKey)
    guard pin == nil || pin == met else { return .otherService }
    if let oldest = info.oldestClient, ProgramVersion.current < oldest { return .outdated }
    pin = met
    needsCode = info.registration == .code
    let sample = ClockSample(serviceTime: info.now, receivedAt: now, roundTrip: roundTrip)
    clockOffset = sample.correction(clockOffset) ?? 0
    return nil
  }
}
