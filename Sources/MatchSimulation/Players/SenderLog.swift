import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

/// The senders' own log: every event that was ever signed, whether it was confirmed, what came back,
/// and what its sender was told. It is what the service's store is compared with.
final class SenderLog {
  /// One event as its sender knows it.
  struct Sent {
    var key: EventKey
    var action: Event.Action
    var payloadHash: Hash
    var body: [UInt8]
    /// When it was signed, whatever the sender's clock said.
    var sentAt: Instant
    /// The wish that it was made for.
    var wish: Int?
    /// Whether the broker said that it has it.
    var isConfirmed = false
    /// The answers that are kept by the service, each once, whoever heard them.
    var replies: [[UInt8]] = []
    /// Whether a worker has refused it in a way that is never stored, heard or not.
    var wasRefusedForNow = false
    /// The last word of the sender's journal.
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
  /// Events whose worker died at acknowledging them, so that nobody knows what it would have said.
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

  /// The event as it was signed; nil where that player never signed it.
  func event(_ key: EventKey) -> Sent? { byKey[key].map { sent[$0] } }

  /// The broker has said that it has an event.
  func confirm(_ index: Int) { sent[index].isConfirmed = true }

  /// A reply has arrived, whether or not its receiver still waits for it.
  func take(_ body: [UInt8], for index: Int) {
    // A reply is as good as a confirm.
    sent[index].isConfirmed = true
    if case .refused(_, _, let refusal?) = (try? ReplyCodec.decode(body))?.reply,
      !refusal.isStored
    {
      return
    }
    if !sent[index].replies.contains(body) { sent[index].replies.append(body) }
  }

  /// A line of a sender's journal.
  func note(_ line: JournalLine, of player: PlayerID) {
    guard let index = byKey[EventKey(player: player, event: line.event)] else { return }
    sent[index].verdict = line.what
    sent[index].refusal = line.refusal
  }

  /// What workers say, whether or not it arrives; what they say to strangers is not meant for who
  /// signed the event.
  func hear(_ outgoing: [WorkerBus.Outgoing], except strangers: Set<String>) {
    for case .reply(let address, _, let body) in outgoing where !strangers.contains(address) {
      guard let said = try? ReplyCodec.decode(body), let event = said.event,
        case .refused(_, _, let refusal?) = said.reply, !refusal.isStored
      else { continue }
      if let index = byEvent[event] { sent[index].wasRefusedForNow = true }
    }
  }

  /// A worker died at acknowledging these messages.
  func miss(_ bodies: [[UInt8]]) {
    for body in bodies {
      if let index = byBody[BytesKey(body)] { unheard.insert(sent[index].key.event) }
    }
  }

  /// Confirmed events that are nowhere: neither answered in the store nor in a queue or dead events,
  /// nor refused by a kind that is never stored.
  func lost(store: SimulatedStore, broker: SimulatedBroker) -> [Sent] {
    let revoked = Set(store.keys.values.filter(\.isRevoked).map(\.player))
    var missing = sent.filter { sent in
      sent.isConfirmed && store.replies[sent.key] == nil
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

  /// Whether the service may refuse it without keeping that: a registration whose name or code
  /// another one has taken, an invitation that the one it crosses has just settled, whatever a
  /// player does who may have done too much, what a clock that is slow has dated.
  var mayBeRefusedForNow: Bool {
    let ahead = key.event.time.microseconds(since: sentAt)
    guard ahead > -60_000_000, !isLimited else { return true }
    switch action {
    case .playerRegistered: return true
    case .matchRequested(let request):
      if case .player = request.opponent { return true }
      return false
    default: return false
    }
  }
}
