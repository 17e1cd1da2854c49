import MatchCore
import MatchWire

/// Who hears of which change: a pure value, (state, what happened, now) → effects.
///
/// Notices may be lost. Each source numbers its own, so that a hole shows. After a hole every player
/// with a stream is asked for anew, spread over a while. So a stream may hear late of a change, but
/// it hears of it.
struct Changes: Sendable {
  /// Names a stream within this gateway.
  typealias StreamID = UInt64

  enum Effect: Hashable, Sendable {
    case match(StreamID, MatchID, version: Int64)
    case overview(StreamID, Overview)
    /// Ask the readers for the overviews of players; `answered` takes the answer.
    case ask(batch: UInt64, [PlayerID])
    /// Ask the readers which keys of streams speak no more; `silenced` takes the answer.
    case askKeys([PublicKey])
    /// Nothing has been sent for a while.
    case beat(StreamID)
    case end(StreamID, EndReason)
    /// Notices were lost.
    case hole
  }

  /// Why a stream ends in good order.
  enum EndReason: String, Hashable, Sendable {
    /// The gateway ends.
    case leaving
    /// It is to be signed anew.
    case renew
    /// Its reader is too slow.
    case slow
    /// A newer stream of the player needed its place.
    case replaced
    /// The key that signed its query was removed.
    case keyRevoked
  }

  /// Times in nanoseconds.
  enum Times {
    private static let second: UInt64 = 1_000_000_000
    static let beat = 15 * second
    static let life = 3_600 * second
    /// All keys of streams are looked at so often: no notice tells that an operator has revoked one.
    static let keys = 60 * second
    /// After so long without a word of a source its last notices may be lost.
    static let silence = 5 * second
    /// The silences of one source make one hole in so long.
    static let silences = 60 * second
    /// A source that was silent for so long is forgotten.
    static let memory = 600 * second
    /// After a hole all players are asked for within this time.
    static let spread = 10 * second
    /// After a question without an answer.
    static let pause = second / 2
    static let look = second
  }

  /// The most questions without an answer.
  static let flightLimit = 4

  private struct Stream {
    var player: PlayerID
    var key: PublicKey
    /// When it was opened; nil before its first overview.
    var openedAt: UInt64?
    var sentAt: UInt64
    /// The last overview sent, as a hash.
    var overview = 0
  }

  private struct Source {
    var number: Int64
    var heardAt: UInt64
    /// When its silence last made a hole.
    var missedAt: UInt64?
    /// Whether its present silence has made one.
    var isMissed = false

    func isSilent(at now: UInt64) -> Bool { now.elapsed(since: heardAt) >= Times.silence }
  }

  private struct Sweep {
    /// In the order of their ids: each sweep asks for a player at the same time after its start.
    var players: [PlayerID]
    var next = 0
    var startedAt: UInt64
  }

  private var streams: [StreamID: Stream] = [:]
  private var players: [PlayerID: [StreamID]] = [:]
  private var lastStream: StreamID = 0
  private var sources: [NoticeSource: Source] = [:]
  /// Whether there was a hole that no sweep has begun after.
  private var hasHole = false
  private var sweep: Sweep?
  /// Players to ask for now, the first first.
  private var queue: [PlayerID] = []
  private var queued: Set<PlayerID> = []
  private var flights: [UInt64: [PlayerID]] = [:]
  private var lastBatch: UInt64 = 0
  private var quietUntil: UInt64 = 0
  private var lookedAt: UInt64 = 0
  /// When all keys were last looked at.
  private var keysAt: UInt64?
  /// The keys of streams to ask about with the next tick.
  private var doubtful: Set<PublicKey> = []

  init() {}

  var streamCount: Int { streams.count }

  // MARK: Streams

  /// A stream that waits for its first overview. It hears of changes from now on.
  mutating func reserve(
    for player: PlayerID, signedBy key: PublicKey, at now: UInt64
  ) -> StreamID {
    lastStream += 1
    streams[lastStream] = Stream(player: player, key: key, sentAt: now)
    players[player, default: []].append(lastStream)
    return lastStream
  }

  /// The stream has its first overview. The player's oldest one ends if there are more than allowed:
  /// it may belong to a phone that has lost its network, and nobody would notice for minutes.
  mutating func open(
    _ id: StreamID, _ overview: Overview, limit: Int?, at now: UInt64
  ) -> [Effect] {
    guard let stream = streams[id] else { return [] }
    streams[id]?.openedAt = now
    streams[id]?.sentAt = now
    streams[id]?.overview = overview.hashValue
    // Ids grow, and streams open in another order.
    let opened = players[stream.player, default: []].filter {
      $0 != id && streams[$0]?.openedAt != nil
    }
    guard let limit, opened.count >= limit else { return [] }
    func age(_ id: StreamID) -> (UInt64, StreamID) { (streams[id]?.openedAt ?? 0, id) }
    guard let replaced = opened.min(by: { age($0) < age($1) }) else { return [] }
    close(replaced)
    return [.end(replaced, .replaced)]
  }

  /// The stream is closed.
  mutating func close(_ id: StreamID) {
    guard let stream = streams.removeValue(forKey: id) else { return }
    players[stream.player]?.removeAll { $0 == id }
    if players[stream.player]?.isEmpty ?? false { players[stream.player] = nil }
  }

  // MARK: Notices

  /// The connection for notices was made anew: some may have been lost.
  mutating func reconnected() {
    sources = [:]
    hasHole = true
  }

  /// A notice came.
  mutating func hear(_ notice: OutcomeNotice, at now: UInt64) -> [Effect] {
    var effects: [Effect] = []
    let number = notice.place.number
    let isEmpty = notice.changes.isEmpty && notice.players.isEmpty
    let known = sources[notice.place.source]
    let last = known?.number ?? 0
    sources[notice.place.source] = Source(number: number, heardAt: now, missedAt: known?.missedAt)
    // A new source may be there because a silent one is not any more.
    let isSuccessor = known == nil && misses(at: now) { _ in true }
    if isSuccessor || number != (isEmpty ? last : last &+ 1) {
      hasHole = true
      effects.append(.hole)
    }
    for change in notice.changes {
      for player in change.players {
        for id in players[player] ?? [] {
          streams[id]?.sentAt = now
          effects.append(.match(id, change.match, version: change.version))
        }
      }
    }
    for player in notice.players {
      guard let concerned = players[player] else { continue }
      enqueue(player)
      doubtful.formUnion(concerned.compactMap { streams[$0]?.key })
    }
    return effects
  }

  /// Notes the silence of sources, once each.
  /// - Returns: Whether there was any.
  private mutating func misses(at now: UInt64, _ isDue: (Source) -> Bool) -> Bool {
    let silent = sources.filter { _, source in
      !source.isMissed && source.isSilent(at: now) && isDue(source)
    }
    for id in silent.keys {
      sources[id]?.missedAt = now
      sources[id]?.isMissed = true
    }
    return !silent.isEmpty
  }

  private mutating func enqueue(_ player: PlayerID) {
    if queued.insert(player).inserted { queue.append(player) }
  }

  // MARK: Time

  /// Time has passed.
  mutating func tick(at now: UInt64) -> [Effect] {
    var effects: [Effect] = []
    if now.elapsed(since: lookedAt) >= Times.look {
      lookedAt = now
      effects += look(now)
    }
    advanceSweep(now)
    let doubtful = doubtful.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    for start in stride(from: 0, to: doubtful.count, by: GatewayQuery.keyLimit) {
      effects.append(.askKeys(Array(doubtful[start...].prefix(GatewayQuery.keyLimit))))
    }
    self.doubtful = []
    while now >= quietUntil, flights.count < Changes.flightLimit, !queue.isEmpty {
      let batch = Array(queue.prefix(GatewayQuery.playerLimit))
      queue.removeFirst(batch.count)
      queued.subtract(batch)
      let asked = batch.filter { players[$0] != nil }
      guard !asked.isEmpty else { continue }
      lastBatch += 1
      flights[lastBatch] = asked
      effects.append(.ask(batch: lastBatch, asked))
    }
    return effects
  }

  /// Looks at every source and every stream.
  private mutating func look(_ now: UInt64) -> [Effect] {
    var effects: [Effect] = []
    sources = sources.filter { now.elapsed(since: $0.value.heardAt) < Times.memory }
    // A source that was silent and is back repeats its last number, so that nothing was missed if it
    // is the same. One that often hangs need not be asked after each time.
    let isMissing = misses(at: now) { source in
      source.missedAt.map { now.elapsed(since: $0) >= Times.silences } ?? true
    }
    if isMissing {
      hasHole = true
      effects.append(.hole)
    }
    if now.elapsed(since: keysAt ?? now) >= Times.keys {
      keysAt = now
      doubtful.formUnion(streams.values.filter { $0.openedAt != nil }.map(\.key))
    }
    keysAt = keysAt ?? now
    for (id, stream) in streams {
      guard let openedAt = stream.openedAt else { continue }
      if now.elapsed(since: openedAt) >= Times.life {
        effects.append(.end(id, .renew))
      } else if now.elapsed(since: stream.sentAt) >= Times.beat {
        streams[id]?.sentAt = now
        effects.append(.beat(id))
      }
    }
    return effects
  }

  /// Begins a sweep after a hole, and goes on with the one that has begun. A hole meanwhile begins
  /// the next one at its end: starting over would never come to the last players.
  private mutating func advanceSweep(_ now: UInt64) {
    if sweep == nil, hasHole {
      hasHole = false
      sweep = Sweep(players: players.keys.sorted(), startedAt: now)
    }
    guard var sweep else { return }
    let count = UInt64(sweep.players.count)
    while sweep.next < sweep.players.count,
      sweep.startedAt &+ Times.spread / count &* UInt64(sweep.next) <= now
    {
      enqueue(sweep.players[sweep.next])
      sweep.next += 1
    }
    let isOver =
      sweep.next == sweep.players.count && now.elapsed(since: sweep.startedAt) >= Times.spread
    self.sweep = isOver || sweep.players.isEmpty ? nil : sweep
  }

  /// An answer came, or none in time (nil).
  mutating func answered(
    _ batch: UInt64, _ overviews: GatewayOverviews?, at now: UInt64
  ) -> [Effect] {
    guard let asked = flights.removeValue(forKey: batch) else { return [] }
    guard let overviews else {
      quietUntil = now &+ Times.pause
      for player in asked { enqueue(player) }
      return []
    }
    var missing = Set(asked)
    var effects: [Effect] = []
    for entry in overviews.overviews {
      missing.remove(entry.player)
      let hash = entry.overview.hashValue
      for id in players[entry.player] ?? [] {
        guard let stream = streams[id], stream.openedAt != nil, stream.overview != hash else {
          continue
        }
        streams[id]?.overview = hash
        streams[id]?.sentAt = now
        effects.append(.overview(id, entry.overview))
      }
    }
    // An answer with nobody in it would be asked for without an end.
    if missing.count == asked.count { quietUntil = now &+ Times.pause }
    for player in asked where missing.contains(player) { enqueue(player) }
    return effects
  }

  /// These keys speak no more: their streams end. Without an answer they are looked at again in a
  /// while.
  mutating func silenced(_ keys: [PublicKey]) -> [Effect] {
    guard !keys.isEmpty else { return [] }
    let keys = Set(keys)
    let ended = streams.filter { keys.contains($0.value.key) }.map(\.key).sorted()
    for id in ended { close(id) }
    return ended.map { .end($0, .keyRevoked) }
  }
}
