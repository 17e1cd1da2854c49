import CubeLexicon
import CubePlay
import CubeRules
import GameScreens
import MatchCore
import MatchWire
import PlayerClient

extension MatchNews {
  /// A match as the screen shows it to one of its players.
  ///
  /// - Parameter words: The match's word list, for the best words once the match is over; nil where it
  ///   is not here.
  /// - Throws: `MatchViewFault` where the view does not agree with itself.
  init(
    _ view: MatchView, for player: PlayerID, now: Instant, words: Lexicon?
  ) throws(MatchViewFault) {
    let text = MatchText(view: view, player: player, now: now, short: NextStep.short(view.id))
    let seat = text.seat ?? 0
    let game = try view.game()
    let replays = try view.replays()
    let bests = view.outcome == nil ? nil : words
    let last = zip(view.turns, replays).map { $0 }.last
    let standing = Standing(
      game: game, players: Self.players(view, seat), turnNumber: view.turn,
      lastTurn: last.map { PlayedTurn(by: $0.seat == seat ? .me : .them, $1.turn) },
      stage: Self.stage(view, text.seat, now))
    self.init(
      standing: standing,
      opponent: view.seats.indices.first { $0 != seat }
        .flatMap { view.seats[$0].player == nil ? nil : text.name($0) },
      lines: zip(view.turns, replays).map { TurnLine($0, seat: seat, $1, bests) },
      ending: view.outcome.map { text.ending($0) + "." },
      rematch: text.seat == nil ? .impossible : Self.rematch(view, seat),
      isRated: text.seat != nil && view.isRated,
      isWaiting: view.stage == .waiting && view.seats.contains { $0.state != .taken },
      watched: text.seat == nil ? text.name(0) : nil)
  }

  private static func players(_ view: MatchView, _ seat: Int) -> PlayTurn.Players {
    let points = view.seats.map(\.points)
    guard points.count > 1 else { return .alone(points: points.first ?? 0) }
    return .two(mine: points[seat], theirs: points[1 - seat])
  }

  /// - Parameter seat: The player's own; nil: a viewer without a seat, who plays no turn.
  private static func stage(_ view: MatchView, _ seat: Int?, _ now: Instant) -> Standing.Stage {
    if let outcome = view.outcome { return .over(Ending(outcome, seat: seat ?? 0)) }
    let left = view.secondsLeft(now)
    return view.seatToPlay == seat ? .yours(secondsLeft: left) : .theirs(secondsLeft: left)
  }

  private static func rematch(_ view: MatchView, _ seat: Int) -> RematchNews {
    if let next = view.successor { return .began(MatchKey(next.description)) }
    guard let outcome = view.outcome, view.seats.count > 1, outcome.wasPlayed else {
      return .impossible
    }
    return view.rematchOfferBy.map { .offered(by: $0 == seat ? .me : .them) } ?? .open
  }
}

extension MatchView {
  /// The seconds until the deadline, counting the one that has begun; below 0 after it.
  func secondsLeft(_ now: Instant) -> Int? {
    deadline.map { deadline in
      let left = deadline.microseconds(since: now)
      return Int(clamping: left / 1_000_000 + (left % 1_000_000 > 0 ? 1 : 0))
    }
  }

  /// Whether the result changes ratings, as far as is known.
  fileprivate var isRated: Bool {
    seats.count > 1 && casual != true && outcome?.isPlayed ?? true
  }
}

extension Outcome {
  /// Whether the match counts.
  fileprivate var isPlayed: Bool { results.contains { $0 != .none } }
}

extension Ending {
  fileprivate init(_ outcome: Outcome, seat: Int) {
    let player: PlayTurn.Player = outcome.seat == seat ? .me : .them
    switch outcome.reason {
    case .cleared: self = .cleared
    case .forfeited: self = .forfeited(by: player)
    case .timedOut: self = .timedOut(player)
    case .finished: self = .finished
    case .timeUp: self = .timeUp
    case .stopped: self = .stopped
    case .aborted, .withdrawn, .declined, .expired, .annulled, .mergedInto: self = .void
    }
  }
}

extension TurnLine {
  /// - Parameter words: Where the best word is looked for; nil: it is not told.
  fileprivate init(_ turn: MatchView.Turn, seat: Int, _ replay: TurnReplay, _ words: Lexicon?) {
    // Takes less than a millisecond.
    let best = words?.words(on: replay.game).first
    self.init(
      number: turn.number, player: turn.seat == seat ? .me : .them,
      word: turn.words.filter { !$0.isEmpty }.joined(separator: " "),
      removedCount: turn.words.count(where: \.isEmpty), score: turn.scores.reduce(0, &+),
      reaction: turn.reaction?.word, best: best.map { BestWord($0.word, $0.score) }, replay: replay)
  }
}

extension MatchView {
  /// Each turn on its cube.
  func replays() throws(MatchViewFault) -> [TurnReplay] {
    guard let rules = Rulebook.standard.named(rules) else { throw .rules(rules) }
    guard let puzzle = Puzzle(letters) else { throw .letters }
    var game = CubeGame(puzzle: puzzle, rules: rules)
    var replays: [TurnReplay] = []
    for turn in turns {
      do {
        let moves = try turn.moves.map { try Move(notation: $0) }
        let legal = try LegalTurn(moves, on: game, seatCount: seats.count, words: .everyWord)
        replays.append(TurnReplay(legal, on: game))
        _ = try game.applyTurn(moves, seatCount: seats.count, words: Lexicon.everyWord)
      } catch {
        throw .turn(turn.number)
      }
    }
    return replays
  }
}

extension HomeList {
  /// The home list, the most urgent first: the player's own turns by the time left for them, then
  /// those without a clock.
  init(_ home: HomeView, name: PlayerName?, now: Instant, told: String? = nil) {
    let yours = home.matches.filter { $0.yourTurn && $0.stage == .playing }
    let clocked = yours.compactMap { match in match.deadline.map { (match: match, ends: $0) } }
      .sorted { $0.ends < $1.ends }.map(\.match)
    let rest = home.matches.filter { !($0.yourTurn && $0.stage == .playing) }
    let offers = home.rematchOffers.sorted { !$0.isYours && $1.isYours }
    self.init(
      name: name?.text,
      rows: (clocked + yours.filter { $0.deadline == nil }).map { HomeRow($0, now: now) }
        + home.invitations.map { HomeRow(invitation: $0, now: now) }
        + offers.map { HomeRow($0, now: now) }
        + [home.daily, home.timedDaily].compactMap { $0.flatMap { HomeRow(toBegin: $0, now: now) } }
        + rest.map { HomeRow($0, now: now) },
      told: told)
    more = Self.more(home)
  }

  private static func more(_ home: HomeView) -> String? {
    let counts = [
      home.moreMatches.map { Wording.count($0, "older match", "older matches") },
      home.moreInvitations.map { Wording.count($0, "older invitation") },
    ].compactMap(\.self)
    guard !counts.isEmpty else { return nil }
    let isOne = counts.count == 1 && counts[0].hasPrefix("1 ")
    return "\(Wording.list(counts)) \(isOne ? "is" : "are") not listed."
  }
}

extension HomeRow {
  fileprivate init(_ match: MatchSummary, now: Instant) {
    let kind: Kind =
      match.stage == .waiting && !match.yourTurn
      ? .waiting : match.yourTurn ? .yourTurn : .theirTurn
    let others = match.points.indices.filter { $0 != match.yourSeat }
    let own = match.points.indices.contains(match.yourSeat) ? [match.points[match.yourSeat]] : []
    self.init(
      MatchKey(match.id.description), kind, opponent: Self.name(match, now),
      points: own + others.map { match.points[$0] },
      secondsLeft: match.deadline.map { Self.seconds($0, now) })
    isWithdrawable = match.stage == .waiting
    code = match.stage == .waiting ? match.code?.text : nil
  }

  /// Games alone without a clock differ only in the time when they began.
  private static func name(_ match: MatchSummary, _ now: Instant) -> String {
    let name = Wording.opponent(match)
    guard match.kind == .solo, match.deadline == nil else { return name }
    return "\(name) \(SpanText.ago(microseconds: now.microseconds(since: match.startedAt)))"
  }

  /// A challenge that can be begun; nil where it cannot.
  fileprivate init?(toBegin daily: DailyStatus, now: Instant) {
    guard daily.isDealt, daily.match == nil else { return nil }
    let isTimed = daily.daily.mode == .timed
    let name = "\(isTimed ? "timed " : "")daily \(daily.daily.day)"
    self.init(
      MatchKey(name), .daily(isTimed ? .timed : .unlimited), opponent: name,
      secondsLeft: Self.seconds(daily.endsAt, now))
  }

  fileprivate init(invitation match: MatchSummary, now: Instant) {
    self.init(
      MatchKey(match.id.description), .invitation, opponent: Wording.opponent(match),
      secondsLeft: match.deadline.map { Self.seconds($0, now) })
  }

  fileprivate init(_ offer: RematchOfferView, now: Instant) {
    self.init(
      MatchKey(offer.match.description), offer.isYours ? .ownOffer : .rematchOffer,
      opponent: Wording.name(offer.opponentName, offer.opponent),
      secondsLeft: Self.seconds(offer.expiresAt, now))
  }

  private static func seconds(_ instant: Instant, _ now: Instant) -> Int {
    Int(clamping: max(0, instant.microseconds(since: now) / 1_000_000))
  }
}
