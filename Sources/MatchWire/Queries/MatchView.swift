import CubeLexicon
public import CubeRules
public import MatchCore

/// The stage of a match, as it travels.
public enum MatchStage: String, Hashable, Sendable, Codable {
  /// A seat is free or an invitation unanswered.
  case waiting
  /// Every seat is taken.
  case playing
  case ended
}

extension Query {
  /// Asks for one match of the asker.
  public struct Match: CodedQueryPayload {
    public typealias Answer = MatchView

    public static let name = "match"
    public static let cost = 1
    public var kind: Kind { .match(self) }

    public var match: MatchID
    /// The lowest stored version that the answer may show.
    public var atLeast: Int64?
    /// The answer waits until there is a later version than this.
    public var newerThan: Int64?

    public init(_ match: MatchID, atLeast: Int64? = nil, newerThan: Int64? = nil) {
      self.match = match
      self.atLeast = atLeast
      self.newerThan = newerThan
    }

    var fields: [(String, JSON?)] {
      [
        ("match", .text(match)), ("atLeast", atLeast.map { .number($0) }),
        ("newerThan", newerThan.map { .number($0) }),
      ]
    }

    init(_ object: JSONObject) throws(WireFault) {
      self.init(
        try object.id("match"), atLeast: try object.optionalInteger("atLeast"),
        newerThan: try object.optionalInteger("newerThan"))
    }
  }

  /// Asks for the match that a code invites to, or that was shared with it.
  public struct MatchByCode: CodedQueryPayload {
    public typealias Answer = MatchView

    public static let name = "matchByCode"
    public static let isPublic = true
    public static let cost = 2
    public var kind: Kind { .matchByCode(self) }

    public var code: ShareCode

    public init(_ code: ShareCode) { self.code = code }

    var fields: [(String, JSON?)] { [("code", .text(code))] }

    init(_ object: JSONObject) throws(WireFault) {
      self.init(try object.dueCode())
    }
  }
}

/// A match with everything that its players may see.
public struct MatchView: Hashable, Sendable, Codable {
  public var id: MatchID
  /// Its stored version.
  public var version: Int64
  public var kind: MatchKind
  public var daily: DailyKey?
  /// The clock of a game of one player.
  public var mode: SoloMode?
  /// Seconds for a turn. Nil: no limit.
  public var turnLimit: Int64?
  /// The language of its words.
  public var language: Language
  /// The version of its word list.
  public var lexicon: String
  /// The version of its rules.
  public var rules: String
  /// The 81 letters in canonical order.
  public var letters: String
  /// The places, in the order of play.
  public var seats: [Seat]
  public var stage: MatchStage
  public var outcome: Outcome?
  /// The number of the next turn.
  public var turn: Int
  /// The seat to move.
  public var seatToPlay: Int
  /// The hash that the next turn must name.
  public var previous: Hash
  /// The time by which something must happen, before credits.
  public var deadline: Instant?
  /// The time of the deal.
  public var startedAt: Instant
  public var endedAt: Instant?
  /// The number of uses of each face: 81 digits 0...3 in canonical order.
  public var uses: String
  /// The cubes in play: 27 digits 0 or 1.
  public var inPlay: String
  /// The playable faces: 81 digits 0 or 1.
  public var playable: String
  /// The turns played, in order.
  public var turns: [Turn]
  /// The match that this is the rematch of.
  public var predecessor: MatchID?
  /// The rematch of this match.
  public var successor: MatchID?
  /// The seat that has offered a rematch.
  public var rematchOfferBy: Int?
  /// The code of an open invitation that waits.
  public var code: ShareCode?
  /// True if the players agreed that the result changes no rating. Otherwise left out.
  public var casual: Bool?
  /// An operator's reason for ending or annulling the match. Nil if none did.
  public var ruledFor: Ruling.Reason?
  /// True if the match was aborted because the player of the outcome's seat gave up before the
  /// first turn. Otherwise left out.
  public var gaveUp: Bool?
  /// The reason for the players' pairing, if chance decided.
  public var why: MeetingView?
  /// The time, before credits, from which the asker can remind the other player of the turn. Nil:
  /// the asker cannot, or has done so.
  public var nudgeFrom: Instant?

  /// A place in a match.
  public struct Seat: Hashable, Sendable, Codable {
    /// The player who sits there or is invited. Nil: free.
    public var player: PlayerID?
    public var name: PlayerName?
    /// Points made so far.
    public var points: Int
    /// Turns played so far.
    public var turns: Int
    /// Whether the seat is taken.
    public var state: State
    /// True if the player's account is a bot's. Otherwise left out.
    public var bot: Bool?

    package init(
      player: PlayerID?, name: PlayerName?, points: Int, turns: Int, state: State,
      bot: Bool? = nil
    ) {
      self.player = player
      self.name = name
      self.points = points
      self.turns = turns
      self.state = state
      self.bot = bot
    }

    /// Whether a seat is taken.
    public enum State: String, Hashable, Sendable, Codable {
      /// Any player.
      case free
      /// One player, without an answer yet.
      case invited
      /// A player plays there.
      case taken
    }
  }

  /// The data of a player that a match shows beside the id.
  public struct ShownPlayer: Hashable, Sendable {
    public var name: PlayerName
    /// Whether the account is declared a bot's.
    public var isBot: Bool

    public init(name: PlayerName, isBot: Bool = false) { (self.name, self.isBot) = (name, isBot) }
  }

  /// A turn as it was accepted.
  public struct Turn: Hashable, Sendable, Codable {
    /// 1 for the first.
    public var number: Int
    public var seat: Int
    /// The moves in notation.
    public var moves: [String]
    /// The word of each move. Empty for a removal.
    public var words: [String]
    /// The score of each move.
    public var scores: [Int]
    public var acceptedAt: Instant
    /// The hash of its entry.
    public var hash: Hash
    /// Another player's reaction to the turn. Otherwise left out.
    public var reaction: Reaction?

    package init(
      number: Int, seat: Int, moves: [String], words: [String], scores: [Int],
      acceptedAt: Instant, hash: Hash, reaction: Reaction? = nil
    ) {
      self.number = number
      self.seat = seat
      self.moves = moves
      self.words = words
      self.scores = scores
      self.acceptedAt = acceptedAt
      self.hash = hash
      self.reaction = reaction
    }
  }

  /// A word of the match, with which a player answered a turn.
  public struct Reaction: Hashable, Sendable, Codable {
    public var seat: Int
    public var word: String

    package init(seat: Int, word: String) { (self.seat, self.word) = (seat, word) }
  }
}

extension MatchView {
  /// A match without anything that may be left out.
  package init(
    id: MatchID, version: Int64, kind: MatchKind, language: Language, lexicon: String,
    rules: String, letters: String, seats: [Seat], stage: MatchStage, turn: Int, seatToPlay: Int,
    previous: Hash, startedAt: Instant, uses: String, inPlay: String, playable: String,
    turns: [Turn]
  ) {
    self.id = id
    self.version = version
    self.kind = kind
    self.language = language
    self.lexicon = lexicon
    self.rules = rules
    self.letters = letters
    self.seats = seats
    self.stage = stage
    self.turn = turn
    self.seatToPlay = seatToPlay
    self.previous = previous
    self.startedAt = startedAt
    self.uses = uses
    self.inPlay = inPlay
    self.playable = playable
    self.turns = turns
  }
}

extension MatchView {
  /// A match in its present state with the turns of its record. `code` is shown while an open
  /// invitation waits.
  public init(
    match: Match, replay: Replay, names: [PlayerID: PlayerName], code: ShareCode? = nil
  ) {
    self.init(
      match: match, replay: replay, players: names.mapValues { ShownPlayer(name: $0) }, code: code)
  }

  /// The same, with the shown data of players.
  public init(
    match: Match, replay: Replay, players: [PlayerID: ShownPlayer], code: ShareCode? = nil,
    nudgeFrom: Instant? = nil
  ) {
    let game = match.game
    id = match.id
    version = match.version
    kind = match.terms.kind.name
    daily = match.terms.kind.dailyKey
    mode = match.terms.soloMode
    turnLimit = match.terms.turnLimitSeconds
    language = match.terms.language
    lexicon = match.lexicon
    rules = match.rules.name
    letters = game.puzzle.description
    seats = match.seats.map { Seat($0, players) }
    stage = match.stage.name
    outcome = match.outcome
    turn = match.turnNumber
    seatToPlay = match.seatToPlay
    previous = match.previousTurnHash
    deadline = match.deadline?.at
    startedAt = match.dealtAt
    endedAt = match.endedAt
    uses = MatchView.uses(of: game)
    inPlay = MatchView.digits(of: game.inPlay)
    playable = game.playable.digits
    turns = replay.turns.map { Turn($0, on: game) }
    predecessor = match.predecessor
    successor = match.rematch.successor
    rematchOfferBy = match.rematch.offer?.seat
    self.code = match.stage == .waiting && match.terms.kind == .open ? code : nil
    casual = match.terms.isCasual ? true : nil
    ruledFor = replay.ruling?.reason
    gaveUp = match.outcome?.reason == .aborted && replay.isGivenUp ? true : nil
    why = replay.meeting.map(MeetingView.init)
    self.nudgeFrom = nudgeFrom
  }

  /// The game that results from the turns. The service judged the words. Everything else is judged
  /// again.
  /// - Throws: `MatchViewFault` if the view contradicts itself.
  public func game(_ book: Rulebook = .standard) throws(MatchViewFault) -> CubeGame {
    guard let rules = book.named(rules) else { throw .rules(rules) }
    guard let puzzle = Puzzle(letters) else { throw .letters }
    var game = CubeGame(puzzle: puzzle, rules: rules)
    for turn in turns {
      let moves = turn.moves.compactMap { try? Move(notation: $0) }
      guard moves.count == turn.moves.count,
        let scores = try? game.applyTurn(moves, seatCount: seats.count, words: Lexicon.everyWord),
        scores == turn.scores
      else { throw .turn(turn.number) }
    }
    guard MatchView.uses(of: game) == uses, MatchView.digits(of: game.inPlay) == inPlay,
      game.playable.digits == playable
    else { throw .cube }
    return game
  }

  private static func uses(of game: CubeGame) -> String {
    Face.all.map { String(game.uses(of: $0)) }.joined()
  }

  private static func digits(of cubes: CubeSet) -> String {
    Cube.all.map { cubes.contains($0) ? "1" : "0" }.joined()
  }
}

/// The reason that a match cannot be shown: the service's answer contradicts itself.
public enum MatchViewFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// This build does not have its rules.
  case rules(String)
  /// The letters are not 81 letters.
  case letters
  /// A turn is not legal or has another score.
  case turn(Int)
  /// The turns leave another cube than the one in the answer.
  case cube

  /// A sentence for a person.
  public var description: String {
    switch self {
    case .rules(let name):
      "This program does not have the rules \(excerpt(name)). Take a newer one."
    case .letters: "The service's answer does not hold 81 letters."
    case .turn(let number): "Turn \(number) of the service's answer is not legal as it stands."
    case .cube: "The turns of the service's answer leave another cube than it says."
    }
  }
}

extension MatchView.Seat {
  fileprivate init(_ seat: Match.Seat, _ players: [PlayerID: MatchView.ShownPlayer]) {
    switch seat.holder {
    case .free: (player, state) = (nil, .free)
    case .invited(let invited): (player, state) = (invited, .invited)
    case .taken(let taken): (player, state) = (taken, .taken)
    }
    let shown = player.flatMap { players[$0] }
    name = shown?.name
    bot = shown?.isBot == true ? true : nil
    points = seat.points
    turns = seat.turnCount
  }
}

extension MatchView.Turn {
  fileprivate init(_ turn: Replay.PlayedTurn, on game: CubeGame) {
    number = turn.number
    seat = turn.seat
    moves = turn.moves.map { $0.description }
    words = turn.moves.map { move in
      if case .word(let faces) = move { game.spelling(of: faces).description } else { "" }
    }
    scores = turn.scores
    acceptedAt = turn.acceptedAt
    hash = turn.hash
    reaction = turn.reaction.map { MatchView.Reaction(seat: $0.seat, word: $0.word) }
  }
}

extension Match.Stage {
  /// The name of the stage on the wire.
  public var name: MatchStage {
    switch self {
    case .waiting: .waiting
    case .playing: .playing
    case .ended: .ended
    }
  }
}

extension MatchSummary {
  /// A match as one of its players, or an invited player, sees it in a list. Nil for anyone else.
  public init?(
    match: Match, for player: PlayerID, names: [PlayerID: PlayerName], code: ShareCode? = nil
  ) {
    let seat = match.seats.firstIndex {
      $0.holder == .taken(player) || $0.holder == .invited(player)
    }
    guard let seat else { return nil }
    let others: [PlayerID] = match.seats.enumerated().compactMap { index, other in
      switch other.holder {
      case .taken(let id), .invited(let id): index == seat ? nil : id
      case .free: nil
      }
    }
    let isSeated = match.seats[seat].player == player
    self.init(
      id: match.id, version: match.version, kind: match.terms.kind.name,
      daily: match.terms.kind.dailyKey, mode: match.terms.soloMode,
      turnLimit: match.terms.turnLimitSeconds,
      opponent: others.first, opponentName: others.first.flatMap { names[$0] }, yourSeat: seat,
      points: match.points, turn: match.turnNumber,
      yourTurn: isSeated && match.outcome == nil && match.seatToPlay == seat,
      stage: match.stage.name, deadline: match.deadline?.at, startedAt: match.dealtAt,
      code: match.stage == .waiting && match.terms.kind == .open ? code : nil,
      casual: match.terms.isCasual ? true : nil)
  }
}
