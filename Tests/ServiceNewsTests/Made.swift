import CubeLexicon
import CubeRules
import MatchCore
import MatchWire
import Testing

/// Values made for tests: two players and matches between them.
enum Made {
  static let now = Instant(microseconds: 1_777_600_000_000_000)
  static let ada = PlayerID(rawValue: 3)
  static let grace = PlayerID(rawValue: 4)
  static let daily = DailyKey(day: Day(containing: now))

  static func name(_ text: String) -> PlayerName {
    guard let name = PlayerName(text) else { preconditionFailure("\(text) is a name") }
    return name
  }

  /// A match whose id ends with the digits of a number.
  static func match(_ number: UInt128) -> MatchID {
    MatchID(rawValue: 0x019d_e137_7000_7000_8000_0000_0000_0000 | number)
  }

  static func hash(_ byte: UInt8) -> Hash {
    guard let hash = Hash(bytes: Array(repeating: byte, count: 32)) else {
      preconditionFailure("32 bytes are a hash")
    }
    return hash
  }

  static func ticket(_ match: MatchID) -> MatchTicket {
    MatchTicket(
      match: match, version: 1, seat: 0, letters: letters, previous: hash(0xaa), code: nil)
  }

  static func summary(
    _ id: MatchID, kind: MatchKind = .invitation, yourTurn: Bool = true,
    stage: MatchStage = .playing, opponent: String? = "grace"
  ) -> MatchSummary {
    MatchSummary(
      id: id, version: 3, kind: kind, daily: nil, turnLimit: 86_400,
      opponent: opponent == nil ? nil : grace, opponentName: opponent.map { name($0) },
      yourSeat: 0, points: opponent == nil ? [0] : [42, 36], turn: 3, yourTurn: yourTurn,
      stage: stage, deadline: now.adding(seconds: 3_600), startedAt: now.adding(seconds: -7_200),
      code: nil)
  }

  static func home(
    _ matches: [MatchSummary] = [], invitations: [MatchSummary] = [],
    offers: [RematchOfferView] = [], daily match: MatchID? = nil
  ) -> HomeView {
    HomeView(
      matches: matches, invitations: invitations, rematchOffers: offers,
      daily: DailyStatus(
        daily: daily, isDealt: true, endsAt: daily.day.end, match: match, isOver: false,
        points: match == nil ? nil : 12))
  }

  static func offer(_ match: MatchID, isYours: Bool = false) -> RematchOfferView {
    RematchOfferView(
      match: match, opponent: grace, opponentName: name("grace"), isYours: isYours,
      offeredAt: now.adding(seconds: -60), expiresAt: now.adding(seconds: 7 * 86_400 - 60))
  }

  /// Grace is first with 36 points, Ada second with 12.
  static func ranking(word: String? = nil) -> Ranking {
    Ranking(
      all: [
        .init(player: ada, name: name("ada"), points: 12, word: word),
        .init(player: grace, name: name("grace"), points: 36, word: word),
      ], asker: ada, limit: 100)
  }
}

// MARK: - A match

extension Made {
  /// CAB can be spelled in many ways.
  static let letters = String(repeating: "CAB", count: 27)

  /// A match of ada and grace, in which any word of letters is a word.
  static func view(
    _ id: MatchID, moves: [String] = ["222T 222L 222R"], seatToPlay: Int = 0,
    outcome: Outcome? = nil, seats: Int = 2
  ) throws -> MatchView {
    var game = CubeGame(puzzle: try #require(Puzzle(letters)))
    var turns: [MatchView.Turn] = []
    var points = [Int](repeating: 0, count: seats)
    for (index, text) in moves.enumerated() {
      let seat = (seatToPlay + seats * moves.count - moves.count + index) % seats
      let move = try Move(notation: text)
      let scores = try game.applyTurn([move], seatCount: seats, words: Lexicon.everyWord)
      guard case .word(let faces) = move else { preconditionFailure("every move is a word") }
      points[seat] += scores[0]
      turns.append(
        MatchView.Turn(
          number: index + 1, seat: seat, moves: [text],
          words: [game.spelling(of: faces).description], scores: scores,
          acceptedAt: now.adding(seconds: -60), hash: hash(UInt8(index))))
    }
    let players = [(ada, "ada"), (grace, "grace")]
    var view = MatchView(
      id: id, version: 3, kind: seats == 1 ? .solo : .invitation, language: .english,
      lexicon: "every-word", rules: "cube-1", letters: letters,
      seats: zip(players, points).map { player, points in
        .init(
          player: player.0, name: name(player.1), points: points, turns: 0, state: .taken)
      }, stage: outcome == nil ? .playing : .ended, turn: turns.count + 1, seatToPlay: seatToPlay,
      previous: hash(0xaa), startedAt: now.adding(seconds: -7_200),
      uses: Face.all.map { String(game.uses(of: $0)) }.joined(),
      inPlay: Cube.all.map { game.inPlay.contains($0) ? "1" : "0" }.joined(),
      playable: game.playable.digits, turns: turns)
    view.outcome = outcome
    guard seats > 1 else { return view }
    view.turnLimit = 86_400
    if outcome == nil { view.deadline = now.adding(seconds: 3_600) }
    return view
  }
}
