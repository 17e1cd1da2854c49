import CubeLexicon
import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire

/// Answers queries from the store, with only the facts that the asker may see.
struct QueryHandler {
  /// Why there is no answer.
  enum Failure: Error {
    case refused(QueryRefusal)
    case store(StoreError)
  }

  /// Matches of one player in one answer at most. All lists at their fullest fit into an answer.
  static let listLimit = 200
  /// Invitations to one player in one answer at most, and offers of a rematch.
  static let invitationLimit = 50
  /// Players on each side of the asker on the ladder at most.
  static let neighborLimit = 5

  let identity: ServiceIdentity
  let rules: Rulebook
  let layout: QueueLayout
  let version: String
  let store: ReaderStore
  let limits: PlayerLimits
  /// How long games are kept.
  let retention: Retention

  /// The answer to a query of an admitted asker. Only `serviceInfo` asks for `facts`, only
  /// `invitationOf` for `inviters`, and only `recoveryOf` for `recovery`.
  func answer(
    _ query: Query, now: Instant, inviters: [Hash: InvitingPlayer] = [:],
    recovery: RecoveryView? = nil,
    facts: () throws(Failure) -> ServiceFacts
  ) throws(Failure) -> [UInt8] {
    let asker = query.player
    // The compiler holds each answer to the type that the query declares.
    func encode<Payload: QueryPayload>(_: Payload, _ answer: Payload.Answer) -> [UInt8] {
      AnswerCodec.encode(answer, query: query.id)
    }
    switch query.kind {
    case .serviceInfo: return encode(Query.ServiceInfo(), serviceInfo(try facts(), now))
    case .whoAmI: return encode(Query.WhoAmI(), try ownView(of: asker, now))
    case .player(let asked): return encode(asked, try player(named: asked.name, now))
    case .matches: return encode(Query.Matches(), try home(of: asker, now))
    case .match(let asked): return encode(asked, try view(of: asked.match, for: asker, now))
    case .matchByCode(let asked): return encode(asked, try match(by: asked.code, for: asker))
    case .pastGames(let asked): return encode(asked, try pastGames(asked, of: asker))
    case .headToHead(let asked): return encode(asked, try headToHead(asker, asked.opponent))
    case .record(let asked):
      return encode(asked, try record(of: asked.match, part: asked.part, for: asker, now))
    case .recordByCode(let asked):
      return encode(asked, try record(by: asked.code, part: asked.part))
    case .standings(let asked): return encode(asked, try standings(asked.daily, for: asker, now))
    case .ladder(let asked): return encode(asked, try ladder(asked.limit, for: asker, now))
    case .dailyHistory: return encode(Query.DailyHistory(), try dailyHistory(of: asker, now))
    case .leaderboard(let asked): return encode(asked, try leaderboard(asked.board, for: asker))
    case .review: return encode(Query.Review(), try review(of: asker, now))
    case .settings: return encode(Query.Settings(), try settings(of: asker))
    case .inbox: return encode(Query.Inbox(), try inbox(of: asker, now))
    case .blocks: return encode(Query.Blocks(), try blocks(of: asker))
    case .keys: return encode(Query.Keys(), try ask(try store.keys(asker)))
    case .invitationOf(let asked):
      guard let inviter = inviters[asked.invitation] else { throw .refused(.codeUnknown) }
      return encode(asked, inviter)
    case .recoveryOf(let asked):
      guard let recovery else { throw .refused(.notPermitted) }
      return encode(asked, recovery)
    case .overview: return encode(Query.Overview(), try overview(of: asker))
    case .account(let asked): return encode(asked, try rows(asked, of: asker))
    }
  }

  /// A match as it stands in the store.
  func match(_ id: MatchID) throws(Failure) -> Match? {
    try ask(try store.match(id))
  }

  /// The answer that shows a match to a player who has to do with it.
  func answer(_ match: Match, to asker: PlayerID, query: EventID) throws(Failure) -> [UInt8] {
    guard match.concerns(asker) else { throw .refused(.unknownMatch) }
    return AnswerCodec.encode(try view(of: match, for: asker), query: query)
  }

  private func view(
    of id: MatchID, for asker: PlayerID, _ now: Instant
  ) throws(Failure) -> MatchView {
    guard let match = try match(id), match.concerns(asker) else {
      throw .refused(refusal(of: id, now))
    }
    return try view(of: match, for: asker)
  }

  /// The refusal of a match that is not there, or not the asker's. It follows from the id alone, so
  /// that nobody learns which of the two it is.
  func refusal(of id: MatchID, _ now: Instant) -> QueryRefusal {
    retention.endOfGames(at: now).map { id.time < $0 } ?? false ? .matchGone : .unknownMatch
  }

  // MARK: Service and players

  /// The facts from the store that `serviceInfo` needs.
  struct ServiceFacts {
    var needsCode: Bool
    var dailies: [ServiceInfo.DailyPlayers]
  }

  func serviceFacts(
    for asker: PlayerID, _ now: Instant
  ) throws(Failure) -> ServiceFacts {
    let needsCode = try ask(try store.registrationNeedsCode())
    return ServiceFacts(needsCode: needsCode, dailies: try dailyPlayers(for: asker, now))
  }

  private func serviceInfo(_ facts: ServiceFacts, _ now: Instant) -> ServiceInfo {
    ServiceInfo(
      service: identity.service, rootKey: identity.rootKey, certificates: identity.certificates,
      version: version, oldestClient: .oldestServed, now: now,
      registration: facts.needsCode ? .code : .open, queueCount: layout.queueCount,
      limits: .init(limits), dailies: facts.dailies)
  }

  private func player(named name: PlayerName, _ now: Instant) throws(Failure) -> PlayerView {
    try view(of: try ask(try store.player(name)), now)
  }

  private func settings(of asker: PlayerID) throws(Failure) -> SettingsView {
    let row = try ask(try store.settings(asker))
    return SettingsView(
      row.settings, devices: row.devices, pushKey: row.pushKey, leavesAt: row.leavesAt)
  }

  private func view(
    of row: ReaderStore.PlayerRow?, _ now: Instant
  ) throws(Failure) -> PlayerView {
    guard let row else { throw .refused(.unknownPlayer) }
    return PlayerView(
      id: row.id, name: row.name, registeredAt: row.registeredAt,
      rating: RatingView(row.rating, at: now), isBot: row.isBot)
  }

  private func ownView(of asker: PlayerID, _ now: Instant) throws(Failure) -> PlayerView {
    let found = try ask(try store.players([asker])[asker])
    var view = try view(of: found, now)
    guard let rating = view.rating, rating.matches > 0 else { return view }
    let question = LadderQuestion(player: asker, limit: 0, neighborLimit: 0)
    let page = try ask(try store.ladder(question))
    guard page.own != nil else { return view }
    view.rating?.rank = page.higherCount + 1
    view.rating?.outOf = page.playerCount
    return view
  }

  private func ladder(
    _ limit: Int, for asker: PlayerID, _ now: Instant
  ) throws(Failure) -> Ladder {
    let question = LadderQuestion(
      player: asker, limit: limit, neighborLimit: QueryHandler.neighborLimit)
    let page = try ask(try store.ladder(question))
    return Ladder(page, at: now)
  }

  private func blocks(of asker: PlayerID) throws(Failure) -> BlockList {
    let rows = try ask(try store.blocked(asker))
    return BlockList(
      players: rows.map { .init(player: $0.player, name: $0.name, since: $0.since) })
  }

  private func names(of players: some Sequence<PlayerID>) throws(Failure) -> [PlayerID: PlayerName]
  {
    try rows(of: players).mapValues(\.name)
  }

  private func rows(
    of players: some Sequence<PlayerID>
  ) throws(Failure) -> [PlayerID: ReaderStore.PlayerRow] {
    let wanted = Set(players).sorted()
    guard !wanted.isEmpty else { return [:] }
    return try ask(try store.players(wanted))
  }

  /// The facts about players that a match shows.
  private func shown(
    _ players: [PlayerID: ReaderStore.PlayerRow]
  ) -> [PlayerID: MatchView.ShownPlayer] {
    players.mapValues { MatchView.ShownPlayer(name: $0.name, isBot: $0.isBot) }
  }

  /// The notifications to a player that are still of use, with the names that they were sent with.
  private func inbox(of asker: PlayerID, _ now: Instant) throws(Failure) -> InboxView {
    let rows = try ask(try store.inbox(asker, InboxView.limit))
    let ids = Set(rows.compactMap(\.job.match)).sorted()
    let matches = try readable(ids)
    let inbox = ShownInbox(
      rows: rows, matches: Dictionary(matches.map { ($0.id, $0) }) { $1 }, player: asker, now: now)
    let shown = inbox.shown
    let names = try names(of: shown.compactMap { inbox.opponent(of: $0.job) })
    let items = shown.map { row in
      var details = PushStore.Details(reason: inbox.reason(of: row.job))
      let other = inbox.opponent(of: row.job)
      let name = other.flatMap { names[$0] }
      if let other, let name { details.opponent = PushStore.Opponent(other, name.text) }
      let words = PushWords(row.job, details)
      return InboxItem(
        job: row.job, title: words.title, body: words.body, sentAt: row.sentAt,
        opponentName: name)
    }
    return InboxView(items: items)
  }

  // MARK: Matches

  private func view(of match: Match, for asker: PlayerID) throws(Failure) -> MatchView {
    let (entries, players, nudged) = try ask(
      try store.recordAndPlayers(match.id, match.occupants))
    // The match was dropped since it was read. Asked again, the service says so.
    guard !entries.isEmpty else {
      throw .refused(match.outcome?.reason == .annulled ? .matchDamaged : .unavailable)
    }
    var replay = Replay(id: match.id, rules: rules)
    do {
      // The record may have grown since the match was read. Words were judged when they were
      // played; everything else is judged again.
      for entry in entries.prefix(match.entryCount) {
        let content = try PayloadCodec.decodeContent(entry.signed.payload)
        try replay.take(entry, content.replayed, words: Lexicon.everyWord)
      }
    } catch {
      throw damaged(match.id, "its record does not hold: \(error)")
    }
    guard let replayed = replay.match, match.isAsReplayed(replayed) else {
      throw damaged(match.id, "its state is not as its record gives it")
    }
    let other = match.nudged(by: asker).flatMap { players[$0] }
    let canNudge = other?.isBot == false && nudged != match.turnNumber
    return MatchView(
      match: match, replay: replay, players: shown(players), code: code(of: match, for: asker),
      nudgeFrom: canNudge ? match.nudgeAt : nil)
  }

  /// The code of an invitation, for the player who made it only.
  private func code(of match: Match, for asker: PlayerID) -> ShareCode? {
    guard match.seat(of: asker) != nil, match.terms.kind == .open else { return nil }
    return ShareCode(invitationTo: match.id, secret: identity.secret)
  }

  /// The match that a code shows: its terms, and the player who invites. The cube and the turns are
  /// only for the player who takes the seat.
  private func match(by code: ShareCode, for asker: PlayerID) throws(Failure) -> MatchView {
    guard let id = try ask(try store.matchByCode(code.asMade)) else {
      guard let shared = try shared(by: code) else { throw .refused(.codeUnknown) }
      return try view(of: shared, for: asker)
    }
    // A code is kept longer than its match.
    guard let match = try match(id) else { throw .refused(.matchGone) }
    if let refusal = match.refusalOfCode(to: asker) { throw .refused(refusal) }
    if match.concerns(asker) { return try view(of: match, for: asker) }
    var view = MatchView(
      match: match, replay: Replay(id: id, rules: rules),
      players: shown(try rows(of: match.occupants)))
    (view.letters, view.uses, view.inPlay, view.playable) = ("", "", "", "")
    return view
  }

  /// The match that was shared with a code; nil: none was. A code is kept longer than its match.
  private func shared(by code: ShareCode) throws(Failure) -> Match? {
    guard let id = try ask(try store.sharedMatch(code.asMade)) else { return nil }
    guard let match = try match(id) else { throw .refused(.matchGone) }
    return match
  }

  private func home(of asker: PlayerID, _ now: Instant) throws(Failure) -> HomeView {
    let current = try ask(
      try store.currentMatches(asker, QueryHandler.listLimit, QueryHandler.invitationLimit))
    let offers = try ask(try store.rematchOffers(asker, QueryHandler.invitationLimit))
    let shown = current.matches + current.invitations
    let names = try names(of: (shown + offers).flatMap(\.occupants))
    var home = HomeView(
      matches: [], invitations: [], rematchOffers: [],
      daily: try dailyStatus(of: asker, .unlimited, now),
      timedDaily: try dailyStatus(of: asker, .timed, now),
      moreMatches: current.moreMatches > 0 ? current.moreMatches : nil,
      moreInvitations: current.moreInvitations > 0 ? current.moreInvitations : nil,
      recoveryAt: current.recoveryAt, leavesAt: current.leavesAt,
      damaged: current.damaged.isEmpty ? nil : current.damaged)
    func summary(_ match: Match) -> MatchSummary? {
      MatchSummary(match: match, for: asker, names: names, code: code(of: match, for: asker))
    }
    home.matches = current.matches.compactMap(summary)
    home.invitations = current.invitations.compactMap(summary)
    home.rematchOffers = offers.compactMap {
      RematchOfferView(of: $0, for: asker, names: names, now: now)
    }
    return home
  }

  // MARK: Past games

  private func pastGames(
    _ asked: Query.PastGames, of asker: PlayerID
  ) throws(Failure) -> PastGames {
    // One more than wanted tells whether there is another page.
    let question = ReaderStore.PastGamesQuestion(
      player: asker, opponent: asked.opponent, filter: asked.filter,
      before: asked.before.map { .init(endedAt: $0.endedAt, match: $0.match) },
      limit: asked.limit + 1)
    let rows = try ask(try store.pastGames(question))
    let page = rows.prefix(asked.limit)
    let names = try names(of: page.compactMap(\.game.opponent))
    let games = page.map { PastGame($0, gaveUpBy: gaveUpBy($0), names: names) }
    return PastGames(games: games, next: rows.count > asked.limit ? games.last?.cursor : nil)
  }

  private func headToHead(
    _ asker: PlayerID, _ opponent: PlayerID
  ) throws(Failure) -> HeadToHead {
    guard let name = try names(of: [opponent])[opponent] else { throw .refused(.unknownPlayer) }
    let question = ReaderStore.PastGamesQuestion(
      player: asker, opponent: opponent, before: nil, limit: HeadToHead.matchLimit + 1)
    let games = try ask(try store.pastGames(question))
    let newest = games.prefix(HeadToHead.wordLimit).map(\.match)
    let matches = try readable(Array(newest))
    return HeadToHead(
      against: opponent, named: name, games: games.map { ($0.match, $0.game.result) },
      matches: matches)
  }

  /// The player who gave a match up before its first turn. Nil also if the record does not say: a
  /// damaged game stays on the list.
  private func gaveUpBy(_ row: ReaderStore.PastGameRow) -> PlayerID? {
    guard let cause = row.cause else { return nil }
    do {
      return try PayloadCodec.forfeiter(by: cause)
    } catch {
      _ = damaged(row.match, "its record cannot be read: \(error)")
      return nil
    }
  }

  private func record(
    of id: MatchID, part: Int?, for asker: PlayerID, _ now: Instant
  ) throws(Failure) -> RecordAnswer {
    guard let match = try match(id), match.concerns(asker) else {
      throw .refused(refusal(of: id, now))
    }
    return try record(of: match, part: part)
  }

  private func record(by code: ShareCode, part: Int?) throws(Failure) -> RecordAnswer {
    guard let match = try shared(by: code) else { throw .refused(.codeUnknown) }
    return try record(of: match, part: part)
  }

  private func record(of match: Match, part: Int?) throws(Failure) -> RecordAnswer {
    guard match.outcome != nil else { throw .refused(.matchNotOver) }
    let entries = try ask(try store.entries(match.id))
    func document(_ identity: ServiceIdentity, _ origins: [KeyOrigin]) -> RecordDocument? {
      RecordDocument(
        match: match, entries: entries, service: identity.service, rootKey: identity.rootKey,
        certificates: identity.certificates, origins: origins)
    }
    var found = document(identity, [])
    var origins: [KeyOrigin] = []
    if let later = found?.laterKeys, !later.isEmpty {
      origins = try ask(try store.origins(later))
      found = document(identity, origins)
    }
    if found?.isCertified == false {
      // Signed with a working key that is not in this reader's key file yet.
      var identity = identity
      identity.learn(try ask(try store.certificates()))
      found = document(identity, origins)
    }
    guard let document = found else {
      throw damaged(match.id, "its record cannot be read")
    }
    let bytes = document.encode()
    guard let part else { return RecordAnswer(record: String(decoding: bytes, as: UTF8.self)) }
    guard let found = RecordPart.bytes(part, of: bytes) else {
      throw .refused(.malformed("part is \(part), and the record has fewer parts"))
    }
    return RecordAnswer(record: String(decoding: found, as: UTF8.self))
  }

  // MARK: Helpers

  /// Matches for a list: a damaged one is left out, and hides no other.
  private func readable(_ ids: [MatchID]) throws(Failure) -> [Match] {
    var ids = ids
    while !ids.isEmpty {
      do throws(StoreError) { return try store.matches(ids) } catch {
        guard let damaged = error.damagedMatch, let index = ids.firstIndex(of: damaged) else {
          throw .store(error)
        }
        ids.remove(at: index)
      }
    }
    return []
  }

  /// The failure of a query about a match whose damage only the reader has found. The operator is
  /// told of it.
  private func damaged(_ match: MatchID, _ reason: String) -> Failure {
    do throws(StoreError) { try store.noteDamaged(match, reason) } catch {
      // The damage itself is thrown.
    }
    return .store(.damaged(match, reason))
  }

  func ask<Result>(
    _ body: @autoclosure () throws(StoreError) -> Result
  ) throws(Failure) -> Result {
    do { return try body() } catch { throw .store(error) }
  }
}

extension Match {
  /// Why the code of its invitation shows it to a player no more; nil: it does. Nobody learns by a
  /// code what became of a match that others play.
  fileprivate func refusalOfCode(to asker: PlayerID) -> QueryRefusal? {
    if !concerns(asker), seats.allSatisfy({ $0.player != nil }) { return .seatTaken }
    return outcome.map { .invitationOver($0.reason, isOwn: seat(of: asker) != nil) }
  }
}

extension RematchOfferView {
  /// The offer that stands in a finished match, as one of its players sees it; nil if there is
  /// none.
  fileprivate init?(
    of match: Match, for asker: PlayerID, names: [PlayerID: PlayerName], now: Instant
  ) {
    guard let offer = match.rematch.offer, match.rematch.successor == nil,
      let seat = match.seat(of: asker), match.seats.count == 2,
      let opponent = match.seats[1 - seat].player
    else { return nil }
    let expiresAt = offer.at.adding(seconds: Match.invitationSeconds)
    guard now < expiresAt else { return nil }
    self.init(
      match: match.id, opponent: opponent, opponentName: names[opponent],
      isYours: offer.seat == seat, offeredAt: offer.at, expiresAt: expiresAt)
  }
}

extension PastGame {
  fileprivate init(
    _ row: ReaderStore.PastGameRow, gaveUpBy: PlayerID?, names: [PlayerID: PlayerName]
  ) {
    let game = row.game
    self.init(
      id: row.match, endedAt: game.endedAt, kind: row.terms.kind.name,
      daily: row.terms.kind.dailyKey, mode: row.terms.soloMode, opponent: game.opponent,
      opponentName: game.opponent.flatMap { names[$0] }, result: game.result,
      reason: game.reason, points: game.points, opponentPoints: game.opponentPoints,
      cursor: PastGamesCursor(endedAt: game.endedAt, match: row.match),
      casual: row.terms.isCasual ? true : nil, gaveUpBy: gaveUpBy)
  }
}
