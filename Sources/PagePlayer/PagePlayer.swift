import CubistBasics
package import MatchCore
import MatchRecord
import MatchWire

/// The player of the page at a service: makes the messages that the page signs and sends, and reads
/// what comes back.
///
/// It has neither the secret key nor a connection: the page signs and sends. Of the outside world
/// it is told the time. Ids follow from a seed.
package struct PagePlayer {
  let key: PublicKey
  let player: PlayerID
  /// The service that the key is used at, as it was met first.
  var pin: Pin?
  /// The player's name there, as far as it is known.
  var name: PlayerName?
  /// Whether a code is needed to register.
  var needsCode = false
  /// How far the service's clock is ahead, in microseconds.
  var clockOffset: Int64 = 0
  /// The fault of what came last.
  var trouble: Trouble?
  private var random: SplitMix64
  /// What was asked and is not answered yet.
  private var asked: [EventID: Asked] = [:]

  /// A service by which the player knows it again.
  struct Pin: Hashable {
    var service: ServiceID
    var rootKey: PublicKey
  }

  private enum Asked {
    case event
    case query(Query.Kind)
  }

  /// The player of a key, who knows no service yet.
  package init(key: PublicKey, seed: UInt64) {
    self.key = key
    player = PlayerID(firstKey: key)
    random = SplitMix64(state: seed)
  }

  /// The player whom a text of `kept` tells about. Nil where it is none.
  package init?(kept text: String, seed: UInt64) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard [1, 3, 4].contains(parts.count), let key = PublicKey(parts[0]) else { return nil }
    self.init(key: key, seed: seed)
    guard parts.count > 1 else { return }
    guard let service = ServiceID(parts[1]), let rootKey = PublicKey(parts[2]) else { return nil }
    pin = Pin(service: service, rootKey: rootKey)
    guard parts.count == 4 else { return }
    guard let name = PlayerName(parts[3]) else { return nil }
    self.name = name
  }

  /// Whether the reply to an event is due.
  package var isWaiting: Bool {
    asked.values.contains { if case .event = $0 { true } else { false } }
  }

  /// Everything that is to be known again: key, service, its root key, and the name.
  package var kept: String {
    var text = key.description
    guard let pin else { return text }
    text += " \(pin.service) \(pin.rootKey)"
    if let name { text += " \(name)" }
    return text
  }
}

// MARK: - Messages

extension PagePlayer {
  /// What has to be signed for a wish: a tag, a zero byte and the payload.
  ///
  /// - Parameter now: The time of the page's own clock.
  /// - Returns: Nil where the service has to be asked about itself first.
  package mutating func message(_ wish: PageWish, at now: Instant) -> [UInt8]? {
    let service: ServiceID
    switch (pin, wish) {
    case (let pin?, _): service = pin.service
    // Any id will do for this question.
    case (nil, .service): service = ServiceID(rawValue: 0)
    case (nil, _): return nil
    }
    let id = newID(at: now)
    switch wish {
    case .service:
      return message(Query(service: service, id: id, player: player, kind: .serviceInfo))
    case .whoAmI: return message(Query(service: service, id: id, player: player, kind: .whoAmI))
    case .register(let name, let code):
      asked[id] = .event
      let event = Event(
        service: service, id: id, player: player,
        action: .playerRegistered(name: name, code: code))
      return SignatureTag.event.message(PayloadCodec.encode(event))
    }
  }

  private mutating func message(_ query: Query) -> [UInt8] {
    // Nobody answers an old one any more.
    asked = asked.filter { id, what in
      if case .event = what { return true }
      return query.id.time.microseconds(since: id.time) < Query.validSeconds * 1_000_000
    }
    asked[query.id] = .query(query.kind)
    return SignatureTag.query.message(QueryCodec.encode(query))
  }

  /// The body of a message that was signed: its envelope. Nil unless it has a tag and the signature
  /// 64 bytes.
  package func envelope(_ message: [UInt8], signature: [UInt8]) -> [UInt8]? {
    guard signature.count == 64, let end = message.firstIndex(of: 0) else { return nil }
    return Envelope.encode(
      SignedPayload(key: key, signature: signature, payload: Array(message[(end + 1)...])))
  }

  /// Expects the reply to an event that was sent before the page was opened.
  ///
  /// - Returns: Whether it is an event of this player.
  package mutating func resume(_ body: [UInt8]) -> Bool {
    guard let signed = try? Envelope.decode(body), signed.key == key,
      let event = try? PayloadCodec.decodeEvent(signed.payload)
    else { return false }
    asked[event.id] = .event
    return true
  }

  private mutating func newID(at now: Instant) -> EventID {
    let (high, low) = (random.next(), random.next())
    return EventID(
      at: now.adding(microseconds: clockOffset), random: UInt128(high) << 64 | UInt128(low))
  }
}

// MARK: - Answers

extension PagePlayer {
  /// Takes a reply or an answer. What is wrong with it is the `trouble` afterwards.
  ///
  /// - Parameters:
  ///   - now: The time of the page's own clock when it came.
  ///   - roundTrip: Microseconds between asking and answer.
  package mutating func hear(_ bytes: [UInt8], at now: Instant, roundTrip: Int64) {
    trouble = nil
    do throws(ReplyFault) {
      let isReply = try isReply(bytes)
      if isReply { try hearReply(bytes) } else { try hearAnswer(bytes, at: now, roundTrip) }
    } catch {
      trouble = Trouble(error)
    }
  }

  private func isReply(_ bytes: [UInt8]) throws(ReplyFault) -> Bool {
    do throws(WireFault) {
      return try JSONReader.object(of: bytes, limits: .answer).optional("event") != nil
    } catch {
      throw ReplyFault(error)
    }
  }

  private mutating func hearReply(_ bytes: [UInt8]) throws(ReplyFault) {
    let (event, reply) = try ReplyCodec.decode(bytes)
    guard let event, case .event? = asked[event] else {
      trouble = .foreign
      return
    }
    trouble = Trouble(reply)
    // The same bytes are to be sent again then.
    if trouble?.retryAfter == nil { asked[event] = nil }
    switch reply {
    case .accepted(.registered(_, let name)): self.name = name
    case .accepted: trouble = .foreign
    case .refused(_, _, .alreadyRegistered(let known)?) where PlayerName(known) != nil:
      name = PlayerName(known)
    case .refused: break
    }
  }

  private mutating func hearAnswer(
    _ bytes: [UInt8], at now: Instant, _ roundTrip: Int64
  ) throws(ReplyFault) {
    let (query, answer) = try ReceivedAnswer.read(bytes)
    guard let query, case .query(let kind)? = asked.removeValue(forKey: query) else {
      trouble = .foreign
      return
    }
    switch (kind, answer) {
    case (.serviceInfo, .ok(let object)):
      let info = try read(object) { object throws(WireFault) in try ServiceInfo(object) }
      take(
        info, ClockSample(serviceTime: info.now, receivedAt: now, roundTrip: roundTrip))
    case (.whoAmI, .ok(let object)):
      let view = try read(object) { object throws(WireFault) in try PlayerView(object) }
      guard view.id == player else {
        trouble = .foreign
        return
      }
      name = view.name
    case (_, .ok): trouble = .foreign
    case (_, .refused(let name, let message, let refusal)):
      if case .notRegistered? = refusal { self.name = nil }
      trouble = Trouble(name: name, message: message, retryAfter: refusal?.retryAfterSeconds)
      if case .expired? = refusal { trouble?.isAboutClock = true }
    }
  }

  private func read<Value>(
    _ object: JSONObject, _ make: (JSONObject) throws(WireFault) -> Value
  ) throws(ReplyFault) -> Value {
    do throws(WireFault) {
      return try make(object)
    } catch {
      throw ReplyFault(error)
    }
  }

  private mutating func take(_ info: ServiceInfo, _ sample: ClockSample) {
    let met = Pin(service: info.service, rootKey: info.rootKey)
    guard pin == nil || pin == met else {
      trouble = .otherService
      return
    }
    if let oldest = info.oldestClient, ProgramVersion.current < oldest {
      trouble = .outdated
      return
    }
    pin = met
    needsCode = info.registration == .code
    clockOffset = sample.correction(clockOffset) ?? 0
  }
}
