import CubePlay
import CubeRules
import MatchCore
import MatchWire
import PlayerClient

/// The names that JSON documents bear in their field `schema`; docs/cli.md describes each.
enum DocumentSchema: String, CaseIterable {
  case home = "cubist.home.1"
  case connect = "cubist.connect.1"
  case player = "cubist.player.1"
  case key = "cubist.key.1"
  case keys = "cubist.keys.1"
  case deviceInvitation = "cubist.deviceInvitation.1"
  case keyRemoved = "cubist.keyRemoved.1"
  case recoveryKey = "cubist.recoveryKey.1"
  case recovery = "cubist.recovery.1"
  case ticket = "cubist.ticket.1"
  case done = "cubist.done.1"
  case declined = "cubist.declined.1"
  case match = "cubist.match.1"
  case replay = "cubist.replay.1"
  case turn = "cubist.turn.1"
  case dryRun = "cubist.dryRun.1"
  case end = "cubist.end.1"
  case rematch = "cubist.rematch.1"
  case games = "cubist.games.1"
  case pastGames = "cubist.pastGames.1"
  case headToHead = "cubist.headToHead.1"
  case share = "cubist.share.1"
  case export = "cubist.export.1"
  case daily = "cubist.daily.1"
  case standings = "cubist.standings.1"
  case ladder = "cubist.ladder.1"
  case dailyHistory = "cubist.dailyHistory.1"
  case leaderboard = "cubist.leaderboard.1"
  case review = "cubist.review.1"
  case service = "cubist.service.1"
  case settings = "cubist.settings.1"
  case inbox = "cubist.inbox.1"
  case bot = "cubist.bot.1"
  case block = "cubist.block.1"
  case blocks = "cubist.blocks.1"
  case report = "cubist.report.1"
  case text = "cubist.text.1"
  case notice = "cubist.notice.1"
  case error = "cubist.error.1"
}

/// Content with its schema beside its own fields.
struct Document<Content: Encodable>: Encodable {
  let schema: String
  let content: Content

  private enum CodingKeys: CodingKey {
    case schema
  }

  func encode(to encoder: any Encoder) throws {
    try content.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(schema, forKey: .schema)
  }
}

/// The answer to `connect`.
struct ConnectDocument: Encodable {
  var profile: String
  var service: ServiceID
  var rootKey: PublicKey
  var version: String
  var registration: ServiceInfo.Registration
  var isRegistered: Bool
}

/// The player: the answer to `register` and `whoami`.
struct PlayerDocument: Encodable {
  var profile: String
  var player: PlayerID
  var name: PlayerName
  var registeredAt: Instant?
  var rating: RatingView?
  var publicKey: PublicKey
  var service: ServiceID?
  var rootKey: PublicKey?
  /// True for an account that is declared a bot's.
  var bot: Bool?
}

/// A key that was exported or imported.
struct KeyDocument: Encodable {
  var player: PlayerID
  var publicKey: PublicKey
  /// The secret, where it was asked for.
  var key: String?
  var file: String?
}

/// A seat in a match that begins.
struct TicketDocument: Encodable {
  /// How the player came by it.
  enum Result: String, Encodable {
    case started
    case joined
  }

  var result: Result
  var match: MatchID
  var version: Int64
  var seat: Int
  var letters: String
  var previous: Hash
  var code: ShareCode?

  init(_ result: Result, _ ticket: MatchTicket) {
    self.result = result
    match = ticket.match
    version = ticket.version
    seat = ticket.seat
    letters = ticket.letters
    previous = ticket.previous
    code = ticket.code
  }
}

/// Something small that was done.
struct DoneDocument: Encodable {
  var done: String
  var match: MatchID
  var version: Int64
}

/// Many invitations that were declined.
struct DeclinedDocument: Encodable {
  var declined: [MatchID]
  var blocked: [PlayerID]
  /// How many invitations are left.
  var left: Int
}

/// A turn that counts.
struct TurnDocument: Encodable {
  var match: MatchID
  var version: Int64
  var turn: Int
  var moves: [String]
  var words: [String]
  var scores: [Int]
  var points: [Int]
  var hash: Hash
  var seatToPlay: Int
  var outcome: Outcome?

  init(_ receipt: TurnReceipt, moves: [Move], puzzle: Puzzle) {
    let game = CubeGame(puzzle: puzzle)
    match = receipt.match
    version = receipt.version
    turn = receipt.turn
    self.moves = moves.map(\.description)
    words = moves.map { move in
      if case .word(let faces) = move { game.spelling(of: faces).description } else { "" }
    }
    scores = receipt.scores
    points = receipt.points
    hash = receipt.hash
    seatToPlay = receipt.seatToPlay
    outcome = receipt.outcome
  }
}

/// One way to play, with its effects.
struct ChoiceDocument: Hashable, Encodable {
  /// 1 for the first: the number for `--choice`.
  var choice: Int
  var moves: [String]
  var word: String
  var faces: [String]
  var score: Int
  /// The cubes that vanish by the word.
  var vanishing: [String]
}

extension ChoiceDocument {
  init(number: Int, _ turn: LegalTurn) {
    self.init(
      choice: number, moves: turn.moves.map(\.description), word: turn.word,
      faces: turn.faces.map(\.description), score: turn.score,
      vanishing: turn.vanishing.map(\.description))
  }
}

/// The effects that a turn would have, had it been played.
struct DryRunDocument: Encodable {
  var match: MatchID
  var choices: [ChoiceDocument]
}

/// A match that was given up.
struct EndDocument: Encodable {
  var match: MatchID
  var version: Int64
  var outcome: Outcome
  var points: [Int]
}

/// How far a rematch has come.
struct RematchDocument: Encodable {
  /// `offered`, `started` or `declined`.
  var result: String
  /// The finished match; nil where an earlier command's answer does not name it.
  var of: MatchID?
  var version: Int64
  /// The rematch, where it has begun.
  var match: MatchID?
  var seat: Int?
  var letters: String?
  var previous: Hash?
}

/// Matches that are not over.
struct GamesDocument: Encodable {
  var matches: [MatchSummary]
  /// As `cubist home` has them, whoever their players are.
  var moreMatches: Int?
  var damaged: [MatchID]?
}

/// A game that was shared.
struct ShareDocument: Encodable {
  var match: MatchID
  var code: ShareCode
}

/// A record that was written to a file.
struct ExportDocument: Encodable {
  var match: MatchID
  var file: String
  var bytes: Int
}

/// An act of a bot.
struct BotDocument: Encodable {
  /// `started`, `joined`, `accepted`, `rematch`, `played` or `failed`.
  var act: String
  var match: MatchID?
  var scores: [Int]?
  var points: [Int]?
  var outcome: Outcome?
  var error: String?
}

/// The fate of an event that an earlier command made.
struct NoticeDocument: Encodable {
  /// `answered`, `pending`, `dropped`, `damaged` or `journalFailed`.
  var notice: String
  var event: EventID?
  var type: String?
  /// `accepted`, or the name of the refusal.
  var result: String?
  var message: String
}

/// Why a command failed.
struct ErrorDocument: Encodable {
  var error: Failure

  struct Failure: Encodable {
    var exit: Int32
    var name: String
    var message: String
    var next: [String]
    var retryAfter: Int64?
    var candidates: [Candidate]?
    var choices: [ChoiceDocument]?

    init(_ failure: CommandFailure) {
      exit = failure.status.rawValue
      name = failure.name
      message = failure.message
      next = failure.next
      retryAfter = failure.retryAfter
      candidates = failure.candidates.isEmpty ? nil : failure.candidates
      choices = failure.choices.isEmpty ? nil : failure.choices
    }
  }
}
