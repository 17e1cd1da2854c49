import CubeLexicon
import CubeRules
import MatchCore
import PlayerClient
@testable import MatchWire

@testable import GameScreens
@testable import cubist

/// Values made for tests: two players, matches between them, and the cube they play on.
enum Made {
  static let now = Instant(microseconds: 1_777_600_000_000_000)
  static let service = ServiceID(rawValue: 0x5e71_ce00_0000_0000_0000_0000_0000_0001)
  static let root = key(1).publicKey
  static let adaKey = key(3)
  static let ada = adaKey.player
  static let grace = key(4).player
  static let daily = DailyKey(day: Day(containing: now))

  static func key(_ number: UInt8) -> PlayerKey {
    guard let key = PlayerKey(seed: Array(repeating: number, count: 32)) else {
      preconditionFailure("every 32 bytes are the seed of a key")
    }
    return key
  }

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

  /// When the code of a device ends.
  static let codeEnd = now.adding(seconds: DeviceInvitation.seconds)

  /// The keys of ada: that of the lab, and a second device, which lets in a third one.
  static let keys = KeyList(
    keys: [
      .init(key: adaKey.publicKey, addedAt: now.adding(seconds: -86_400)),
      .init(
        key: key(5).publicKey, addedAt: now.adding(seconds: -3_600), inviter: adaKey.publicKey),
    ], invitations: [.init(invitation: hash(0xcc), until: codeEnd, inviter: key(5).publicKey)])

  static func playerView(_ id: PlayerID, _ text: String) -> PlayerView {
    PlayerView(
      id: id, name: name(text), registeredAt: now.adding(seconds: -86_400),
      rating: RatingView(rating: 1_512, deviation: 83, isProvisional: false, matches: 7))
  }

  static func ticket(_ match: MatchID, seat: Int = 0, code: ShareCode? = nil) -> MatchTicket {
    MatchTicket(
      match: match, version: 1, seat: seat, letters: letters, previous: hash(0xaa), code: code)
  }
}

// MARK: - Lists

extension Made {
  static func summary(
    _ id: MatchID, kind: MatchKind = .invitation, yourTurn: Bool = true,
    stage: MatchStage = .playing, opponent: String? = "grace"
  ) -> MatchSummary {
    MatchSummary(
      id: id, version: 3, kind: kind, daily: nil, turnLimit: 86_400,
      opponent: opponent == nil ? nil : grace, opponentName: opponent.map(name), yourSeat: 0,
      points: opponent == nil ? [0] : [42, 36], turn: 3, yourTurn: yourTurn, stage: stage,
      deadline: now.adding(seconds: 3_600), startedAt: now.adding(seconds: -7_200), code: nil)
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

  /// Grace is first with 36 points, Ada second with 12.
  static func ranking(word: String? = nil) -> Ranking {
    Ranking(
      all: [
        .init(player: ada, name: name("ada"), points: 12, word: word),
        .init(player: grace, name: name("grace"), points: 36, word: word),
      ], asker: ada, limit: 100)
  }

  static func offer(_ match: MatchID, isYours: Bool = false) -> RematchOfferView {
    RematchOfferView(
      match: match, opponent: grace, opponentName: name("grace"), isYours: isYours,
      offeredAt: now.adding(seconds: -60), expiresAt: now.adding(seconds: 7 * 86_400 - 60))
  }

  /// Ada leads against grace, with her best word in one match and grace's in another.
  static func headToHead(_ match: MatchID, _ other: MatchID) -> HeadToHead {
    HeadToHead(
      opponent: grace, opponentName: name("grace"), score: .init(won: 7, lost: 4, tied: 1),
      notCounted: 1, run: .init(result: .won, count: 3), wordMatches: 13,
      bestWord: .init(word: "JAZZIEST", points: 1_480, match: match, turn: 3),
      opponentBestWord: .init(word: "CUBES", points: 110, match: other, turn: 6),
      series: .init(
        score: .init(won: 3, lost: 1), startedAt: now.adding(seconds: -7 * 86_400),
        running: Made.match(0x9abc)))
  }

  static func pastGame(_ match: MatchID, opponent: String? = "grace") -> PastGame {
    let ended = now.adding(seconds: -3_600)
    return PastGame(
      id: match, endedAt: ended, kind: opponent == nil ? .solo : .random, daily: nil,
      opponent: opponent == nil ? nil : grace, opponentName: opponent.map(name),
      result: opponent == nil ? .completed : .won, reason: opponent == nil ? .finished : .cleared,
      points: 442, opponentPoints: opponent == nil ? nil : 36,
      cursor: PastGamesCursor(endedAt: ended, match: match))
  }
}

// MARK: - A match

extension Made {
  /// CAB can be spelled in many ways, and CBA as well.
  static let letters = String(repeating: "CAB", count: 27)

  /// A match of ada and grace, in which any word of letters is a word.
  static func view(
    _ id: MatchID, moves: [String] = ["222T 222L 222R"], seatToPlay: Int = 0,
    outcome: Outcome? = nil, seats: Int = 2, letters: String = letters
  ) throws -> MatchView {
    var game = CubeGame(puzzle: try Position.unwrap(Puzzle(letters)))
    var turns: [MatchView.Turn] = []
    var points = [Int](repeating: 0, count: seats)
    for (index, text) in moves.enumerated() {
      let seat = (seatToPlay + seats * moves.count - moves.count + index) % seats
      let move = try Move(notation: text)
      let scores = try game.applyTurn([move], seatCount: seats, words: Lexicon.everyWord)
      guard case .word(let faces) = move else { throw Position.Missing() }
      points[seat] += scores[0]
      turns.append(
        MatchView.Turn(
          number: index + 1, seat: seat, moves: [text],
          words: [game.spelling(of: faces).description], scores: scores,
          acceptedAt: now.adding(seconds: -60), hash: hash(UInt8(index))))
    }
    return try view(id, game, turns, points, seatToPlay: seatToPlay, outcome: outcome)
  }

  private static func view(
    _ id: MatchID, _ game: CubeGame, _ turns: [MatchView.Turn], _ points: [Int],
    seatToPlay: Int, outcome: Outcome?
  ) throws -> MatchView {
    let names = ["ada", "grace"]
    let players = [ada, grace]
    return MatchView(
      id: id, version: 3, kind: points.count == 1 ? .solo : .invitation, daily: nil,
      turnLimit: points.count == 1 ? nil : 86_400, language: .english, lexicon: "every-word",
      rules: "cube-1", letters: game.puzzle.description,
      seats: points.enumerated().map { index, points in
        MatchView.Seat(
          player: players[index], name: name(names[index]), points: points,
          turns: turns.count { $0.seat == index }, state: .taken)
      }, stage: outcome == nil ? .playing : .ended, outcome: outcome, turn: turns.count + 1,
      seatToPlay: seatToPlay, previous: turns.last?.hash ?? hash(0xaa),
      deadline: outcome == nil && points.count > 1 ? now.adding(seconds: 3_600) : nil,
      startedAt: now.adding(seconds: -7_200), endedAt: outcome == nil ? nil : now,
      uses: Face.all.map { String(game.uses(of: $0)) }.joined(),
      inPlay: Cube.all.map { game.inPlay.contains($0) ? "1" : "0" }.joined(),
      playable: game.playable.digits, turns: turns, predecessor: nil, successor: nil,
      rematchOfferBy: nil, code: nil)
  }

  static func receipt(_ match: MatchID, outcome: Outcome? = nil) -> TurnReceipt {
    TurnReceipt(
      match: match, version: 4, turn: 2, scores: [27], points: [27, 27], hash: hash(0xbb),
      seatToPlay: 1, outcome: outcome)
  }
}

extension Made {
  /// A service that has today's challenges played.
  static var serviceInfo: ServiceInfo {
    var info = FakeService().info
    info.oldestClient = .oldestServed
    info.limits = .init(.standard)
    var timed = daily
    timed.mode = .timed
    info.dailies = [.init(daily: daily, players: 12), .init(daily: timed, players: 1)]
    return info
  }

  /// A ladder of 40 players, of whom ada is one of the last.
  static var ladder: Ladder {
    func row(_ rank: Int, _ player: PlayerID, _ text: String, _ rating: RatingView) -> Ladder.Row {
      Ladder.Row(rank: rank, outOf: 40, player: player, name: name(text), rating: rating)
    }
    let first = row(
      1, grace, "grace",
      RatingView(rating: 1_750, deviation: 61, isProvisional: false, matches: 120))
    let you = row(
      38, ada, "ada", RatingView(rating: 1_320, deviation: 212, isProvisional: true, matches: 2))
    return Ladder(rows: [first], you: you, around: [you], outOf: 40)
  }
}
