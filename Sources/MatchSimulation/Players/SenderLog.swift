import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

/// The senders' own log: every event ever signed, whether it was confirmed, the replies, and the
/// words to its sender. The service's store is compared with it.
final class SenderLog {
  /// One event as its sender knows it.
  struct Sent {
    var key: EventKey
    var action: Event.Action
    var payloadHash: Hash
    var body: [UInt8]
    /// The true time of signing, regardless of the sender's clock.
    var sentAt: Instant
    /// The wish that it was made for.
    var wish: Int?
    /// Whether the broker has confirmed it.
    var isConfirmed = false
    /// The stored answers, each once, regardless of their receivers.
    var replies: [[UInt8]] = []
    /// Whether a worker has refused it in a way that is never stored, heard or not.
    var wasRefusedForNow = false
    /// The last line of the sender's journal.
    var verdict: JournalLine.What?
    /// The refusal that the journal names.
    var refusal: String?
    /// Whether events are counted, so that any may be refused for now.
    var isLimited = false
  }

  private(set) var sent: [Sent] = []
  /// Whether events are counted in this run.
  var countsEvents = false
  private var byBody: [BytesKey: Int] = [:]
  private var byKey: [EventKey: Int] = [:]
  private var byEvent: [EventID: Int] = [:]
  /// Events whose worker died while acknowledging them. Nobody knows its answers.
  private var unheard: Set<EventID> = []

  /// Notes an event that was signed.
  func add(_ pending: PendingEvent, wish: Int?, at now: Instant) {
    guard byBody[BytesKey(pending.envelope)] == nil else { return }
    let key = EventKey(player: pending.event.player, event: pending.id)
    byBody[BytesKey(pending.envelope)] = sent.count
    byKey[key] = sent.count
    byEvent[pending.id] = sent.count
    sent.append(
      Sent(
        key: key, action: pending.event.action,
        payloadHash: Hash(sha256Of: Array(pending.envelope.dropFirst(Envelope.headerBytes))),
        body: pending.envelope, sentAt: now, wish: wish, isLimited: countsEvents))
  }

  /// The event that an envelope holds.
  func index(of body: [UInt8]) -> Int? { byBody[BytesKey(body)] }

  /// The event as it was signed. Nil if that player never signed it.
  func event(_ key: EventKey) -> Sent? { byKey[key].map { sent[$0] } }

  /// The broker has confirmed an event.
  func confirm(_ index: Int) { sent[index].isConfirmed = true }

  /// A reply has arrived, whether or not its receiver still waits for it.
  func take(_ body: [UInt8], for index: Int) {
    // A reply is as good as a confirm.
    sent[index].isConfirmed = true
    if case .refused(_, _, let refusal?) = (try? ReplyCodec.decode(body))?.reply,
      !refusal.isStored || isFarAhead(refusal, sent[index].key.event)
    {
      return
    }
    if !sent[index].replies.contains(body) { sent[index].replies.append(body) }
  }

  /// Whether it is refused for a time so far ahead that the refusal is not stored. A player who goes by
  /// the service's time dates events so while the service's clock is wrong.
  private func isFarAhead(_ refusal: Refusal, _ event: EventID) -> Bool {
    guard case .clockAhead(let serviceTime) = refusal else { return false }
    let ahead = event.time.microseconds(since: serviceTime)
    return ahead > Event.rememberedAheadSeconds * 1_000_000
  }

  /// Notes a line of a sender's journal.
  func note(_ line: JournalLine, of player: PlayerID) {
    guard let index = byKey[EventKey(player: player, event: line.event)] else { return }
    sent[index].verdict = line.what
    sent[index].refusal = line.refusal
  }

  /// Notes the workers' refusals, whether or not they arrive. Refusals to strangers are not meant
  /// for the event's signer.
  func hear(_ outgoing: [WorkerBus.Outgoing], except strangers: Set<String>) {
    for case .reply(let address, _, let body) in outgoing where !strangers.contains(address) {
      guard let said = try? ReplyCodec.decode(body), let event = said.event,
        case .refused(_, _, let refusal?) = said.reply,
        !refusal.isStored || isFarAhead(refusal, event)
      else { continue }
      if let index = byEvent[event] { sent[index].wasRefusedForNow = true }
    }
  }

  /// A worker died while acknowledging these messages.
  func miss(_ bodies: [[UInt8]]) {
    for body in bodies {
      if let index = byBody[BytesKey(body)] { unheard.insert(sent[index].key.event) }
    }
  }

  /// Confirmed events that are lost: no answer in the store, in no queue and no dead event, and not
  /// refused in a way that is never stored.
  func lost(store: SimulatedStore, broker: SimulatedBroker) -> [Sent] {
    let revoked = Set(store.keys.values.filter(\.isRevoked).map(\.player))
    var missing = sent.filter { sent in
      sent.isConfirmed && store.replies[sent.key] == nil
        && store.dropped.replies[sent.key] == nil
        && !sent.wasRefusedForNow
        && !(unheard.contains(sent.key.event)
          && (sent.mayBeRefusedForNow || revoked.contains(sent.key.player)))
    }
    guard !missing.isEmpty else { return [] }
    let somewhere = Set(broker.eventMessages.map { BytesKey($0.body) })
    missing.removeAll { somewhere.contains(BytesKey($0.body)) }
    guard !missing.isEmpty else { return [] }
    let dead = Set(store.deadEvents.map { BytesKey($0.body) })
    return missing.filter { !dead.contains(BytesKey($0.body)) }
  }
}

extension SenderLog.Sent {
  /// The event as it was signed.
  func event(of service: ServiceID) -> Event {
    Event(service: service, id: key.event, player: key.player, action: action)
  }

  /// Whether the service may refuse it without storing that. This holds for a registration whose
  /// name or code another player has taken, for an invitation that a crossing one has just settled,
  /// for a reminder of a turn, which may be too early, for any event of a player who may be over a
  /// limit, and for an event dated by a slow clock.
  var mayBeRefusedForNow: Bool {
    let ahead = key.event.time.microseconds(since: sentAt)
    guard ahead > -60_000_000, !isLimited else { return true }
    switch action {
    case .playerRegistered, .nudged: return true
    case .matchRequested(let request):
      if case .player = request.opponent { return true }
      return false
    default: return false
    }
  }
}
