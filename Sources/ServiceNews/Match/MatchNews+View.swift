package import CubeLexicon
package import CubePlay
package import MatchCore
package import MatchWire

extension MatchNews {
  /// A match as the screen shows it to one of its players.
  ///
  /// - Parameter words: The match's word list, for the best words once the match is over; nil where
  ///   it is not here.
  /// - Throws: `MatchViewFault` where the view does not agree with itself.
  package init(
    _ view: MatchView, for player: PlayerID, now: Instant, words: Lexicon?
  ) throws(MatchViewFault) {
    let side = MatchSide(view, player)
    let seat = side.seat ?? 0
    let game = try view.game()
    let replays = try view.replays()
    let bests = view.outcome == nil ? nil : words
    let standing = Standing(
      game: game, players: Self.players(view, seat), turnNumber: view.turn,
      lastTurn: Self.last(view, replays, seat),
      stage: Self.stage(view, side.seat, now))
    self.init(
      standing: standing,
      opponent: view.seats.indices.first { $0 != seat }
        .flatMap { view.seats[$0].player == nil ? nil : side.name($0) },
      lines: zip(view.turns, replays).map { TurnLine($0, seat: seat, $1, bests) },
      ending: view.outcome.map { side.ending($0) + "." },
      rematch: side.seat == nil ? .impossible : Self.rematch(view, seat),
      isRated: side.seat != nil && view.isRated,
      isWaiting: view.stage == .waiting && view.seats.contains { $0.state != .taken },
      watched: side.seat == nil ? side.name(0) : nil)
    waitedForAnyone = view.kind == .random || view.kind == .open
    if view.seats.count == 1 { self.game = Wording.game(view) }
    if side.seat != nil, view.why != nil || view.daily != nil {
      meeting = view.why.map { ["You met by chance."] + Wording.meeting($0) } ?? []
      dailyResult = view.outcome == nil ? nil : view.daily.map { result(in: $0, words) }
    }
  }

  private func result(in daily: DailyKey, _ words: Lexicon?) -> String {
    DailyResult(
      day: daily.day.description, isTimed: daily.mode == .timed, lines: lines, isOver: true
    ).text(words: words)
  }

  private static func last(
    _ view: MatchView, _ replays: [TurnReplay], _ seat: Int
  ) -> PlayedTurn? {
    guard let turn = view.turns.last, let replay = replays.last else { return nil }
    return PlayedTurn(by: turn.seat == seat ? .me : .them, replay.turn)
  }

  private static func players(_ view: MatchView, _ seat: Int) -> PlayTurn.Players {
    let points = view.seats.map { $0.points }
    guard points.count > 1 else { return .alone(points: points.first ?? 0) }
    return .two(mine: points[seat], theirs: points[seat == 0 ? 1 : 0])
  }

  /// - Parameter seat: The player's own; nil: a viewer without a seat, who plays no turn.
  private static func stage(_ view: MatchView, _ seat: Int?, _ now: Instant) -> Standing.Stage {
    if let outcome = view.outcome { return .over(Ending(outcome, seat: seat ?? 0)) }
    let left = view.secondsLeft(now)
    return view.seatToPlay == seat ? .yours(secondsLeft: left) : .theirs(secondsLeft: left)
  }

  private static func rematch(_ view: MatchView, _ seat: Int) -> RematchNews {
    if let next = view.successor { return .began(MatchKey(next)) }
    guard let outcome = view.outcome, view.seats.count > 1, outcome.wasPlayed else {
      return .impossible
    }
    return view.rematchOfferBy.map { .offered(by: $0 == seat ? .me : .them) } ?? .open
  }
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
      removedCount: turn.words.count { $0.isEmpty }, score: turn.scores.reduce(0, &+),
      reaction: turn.reaction?.word, best: best.map { BestWord($0.word, $0.score) }, replay: replay)
  }
}
