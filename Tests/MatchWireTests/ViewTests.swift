// swift-format-ignore-file: NeverForceUnwrap

import CubeRules
import CustomDump
import MatchCore
import Testing

@testable import MatchWire

@Suite("Views in answers")
struct ViewTests {
  static func view(_ game: Game, code: ShareCode? = nil) throws -> (Table, MatchView) {
    let (table, id) = game.played()
    let view = MatchView(
      match: try #require(table.matches[id]), replay: try table.replay(of: id),
      names: table.names, code: code)
    return (table, view)
  }

  @Test("A match travels whole, and its game can be built again", arguments: Game.allCases)
  func matches(game: Game) throws {
    let (table, view) = try ViewTests.view(game)
    let encoded = AnswerCodec.encode(view, query: EventID(rawValue: 1))
    guard case .ok(let received) = try AnswerCodec.decode(encoded, as: MatchView.self).answer else {
      Issue.record("refused")
      return
    }
    expectNoDifference(received, view)
    #expect(try received.game() == table.matches[view.id]?.game)
  }

  // Failure: MatchViewFault.letters: The view does not hold 81 letters.
  // Failure: MatchViewFault.rules: The program does not have the rules of the match.
  // Failure: MatchViewFault.turn: A turn of the view is not legal or has another score.
  // Failure: MatchViewFault.cube: The turns leave another cube than the view shows.
  @Test("A view that does not agree with itself is found")
  func disagreement() throws {
    let (_, view) = try ViewTests.view(.timedOut)
    func fault(_ change: (inout MatchView) -> Void) -> MatchViewFault? {
      var changed = view
      change(&changed)
      do {
        _ = try changed.game()
        return nil
      } catch {
        return error
      }
    }
    #expect(fault { _ in } == nil)
    #expect(fault { $0.rules = "cube-9" } == .rules("cube-9"))
    #expect(fault { $0.letters = "A" } == .letters)
    #expect(fault { $0.turns[1].scores[0] += 1 } == .turn(2))
    #expect(fault { $0.turns[2].moves = ["nonsense"] } == .turn(3))
    #expect(fault { $0.turns.removeLast() } == .cube)
    #expect(fault { $0.playable = String(repeating: "0", count: 81) } == .cube)
  }

  @Test("A match in a list names the player in turn and the opponent")
  func summaries() throws {
    var table = Table()
    let id = table.start()
    let match = try #require(table.matches[id])
    let first = try #require(MatchSummary(match: match, for: table.id(0), names: table.names))
    let second = try #require(MatchSummary(match: match, for: table.id(1), names: table.names))
    #expect(first.yourTurn && !second.yourTurn)
    #expect(first.opponentName?.text == "Bert" && second.opponent == table.id(0))
    #expect((first.yourSeat, second.yourSeat) == (0, 1))
    #expect(MatchSummary(match: match, for: PlayerID(rawValue: 9), names: [:]) == nil)
    expectNoDifference(
      text(AnswerCodec.encode(first, query: nil)),
      """
      {"v":1,"query":null,"ok":{"deadline":\(match.deadline!.at.microseconds),"id":"\(id)",\
      "kind":"random","opponent":"\(table.id(1))","opponentName":"Bert","points":[0,0],\
      "stage":"playing","startedAt":\(match.dealtAt.microseconds),"turn":1,"turnLimit":86400,\
      "version":2,"yourSeat":0,"yourTurn":true}}
      """)
  }

  @Test("An invited player has a seat but no turn, and only open invitations show a code")
  func invitations() throws {
    var table = Table()
    table.act(
      .matchRequested(MatchRequest(opponent: .player(table.id(1)), turnLimitSeconds: 60)), by: 0)
    let match = try #require(table.matches.values.first)
    let code = ShareCode("CODE")
    let invited = MatchSummary(match: match, for: table.id(1), names: [:], code: code)
    #expect(invited?.yourSeat == 1 && invited?.yourTurn == false && invited?.code == nil)
    var other = Table()
    other.act(.matchRequested(MatchRequest(opponent: .open, turnLimitSeconds: 60)), by: 0)
    let open = try #require(other.matches.values.first)
    let summary = MatchSummary(match: open, for: other.id(0), names: [:], code: code)
    #expect(summary?.code == code && summary?.opponent == nil && summary?.yourTurn == true)
    let view = MatchView(match: open, replay: try other.replay(of: open.id), names: [:], code: code)
    #expect(view.code == code && view.seats.map(\.state) == [.taken, .free])
  }

  @Test("A casual match says so to its players, and a rated one says nothing")
  func casual() throws {
    for isCasual in [true, false] {
      var table = Table()
      let request = MatchRequest(opponent: .open, turnLimitSeconds: 60, isCasual: isCasual)
      table.act(.matchRequested(request), by: 0)
      let match = try #require(table.matches.values.first)
      let summary = MatchSummary(match: match, for: table.id(0), names: [:])
      #expect(summary?.casual == (isCasual ? true : nil))
      let view = MatchView(match: match, replay: try table.replay(of: match.id), names: [:])
      #expect(view.casual == (isCasual ? true : nil))
    }
  }

  @Test("Ranks are dense, the asker's row comes at any rank, and every row says of how many")
  func standings() throws {
    let crowd = ["Anna", "Bert", "Cleo", "Dora"]
    let scores = zip(crowd, [7, 9, 9, 3]).enumerated().map { index, row in
      Ranking.Score(
        player: PlayerID(rawValue: UInt128(index)), name: PlayerName(row.0)!, points: row.1)
    }
    let asker = PlayerID(rawValue: 3)
    let standings = Standings(
      daily: PayloadTests.daily, Ranking(all: scores, asker: asker, limit: 3))
    #expect(standings.rows.map(\.name.text) == ["Bert", "Cleo", "Anna"])
    #expect(standings.rows.map(\.rank) == [1, 1, 2])
    #expect(standings.rows.map(\.outOf) == [4, 4, 4])
    #expect(standings.you?.rank == 3 && standings.you?.outOf == 4 && standings.outOf == 4)
    #expect(Ranking(all: [], asker: asker, limit: 3).own == nil)
    try expectRoundTrip(standings)
    // A stored count may be behind. Where all are listed, the list itself is counted.
    let counted = Ranking(
      best: [scores[1]], own: (scores[3], 7), counted: 12, asker: asker, limit: 1)
    #expect(counted.own?.rank == 7 && counted.outOf == 12)
    let behind = Ranking(best: [scores[1]], own: nil, counted: 0, asker: asker, limit: 2)
    #expect(behind.outOf == 1 && behind.rows[0].outOf == 1)
    let board = Leaderboard(
      games: SoloGames(kind: .solo, mode: .timed), measure: .words, window: .day)
    try expectRoundTrip(LeaderboardView(board, counted))
    try expectRoundTrip(
      DailyHistory(results: [.init(daily: PayloadTests.daily, points: 3, rank: 2, outOf: 9)]))
    try expectRoundTrip(
      WeekInReview(
        since: Instant(microseconds: 1), until: Instant(microseconds: 2),
        games: [.init(kind: .solo, count: 3, won: 0, lost: 0, tied: 0)],
        places: [.init(board, try #require(counted.own))]))
  }

  @Test("Every other answer comes back as it was sent")
  func others() throws {
    let table = Table()
    let (match, time) = (MatchID(rawValue: 5), table.now)
    let daily = DailyStatus(
      daily: PayloadTests.daily, isDealt: true, endsAt: time, match: match, isOver: false, points: 7
    )
    try expectRoundTrip(
      ServiceInfo(
        service: table.service, rootKey: table.root.publicKey, certificates: [table.certificate],
        version: "1.0", oldestClient: .oldestServed, now: time, registration: .code,
        queueCount: 16, limits: .current, dailies: [.init(daily: PayloadTests.daily, players: 7)]))
    try expectRoundTrip(
      PlayerView(id: table.id(0), name: PlayerName("Anna")!, registeredAt: time))
    let rating = RatingView(rating: 1_512, deviation: 83, isProvisional: false, matches: 7)
    try expectRoundTrip(
      PlayerView(
        id: table.id(0), name: PlayerName("Anna")!, registeredAt: time, rating: rating))
    let row = Ladder.Row(
      rank: 3, outOf: 9, player: table.id(0), name: PlayerName("Anna")!, rating: rating)
    try expectRoundTrip(Ladder(rows: [row], you: row, around: [row], outOf: 9))
    try expectRoundTrip(
      HomeView(
        matches: [], invitations: [],
        rematchOffers: [
          RematchOfferView(
            match: match, opponent: table.id(1), opponentName: nil, isYours: true,
            offeredAt: time, expiresAt: time)
        ], daily: daily, recoveryAt: time, leavesAt: time))
    let cursor = PastGamesCursor(endedAt: time, match: match)
    try expectRoundTrip(
      PastGames(
        games: [
          PastGame(
            id: match, endedAt: time, kind: .daily, daily: PayloadTests.daily, opponent: nil,
            opponentName: nil, result: .completed, reason: .timeUp, points: 3,
            opponentPoints: nil, cursor: cursor)
        ], next: cursor))
    try expectRoundTrip(RecordAnswer(record: text(RecordTests.document(.withdrawn).encode())))
    let phone = DeviceView(device: "phone", permission: "authorized", hasToken: true)
    try expectRoundTrip(
      SettingsView(
        displayName: "Ada", kinds: ["yourTurn": true, "reacted": false], reminders: false,
        devices: [phone], isBot: true))
    var timed = SettingsView(displayName: nil, kinds: [:], reminders: true, devices: [])
    (timed.timeZone, timed.digest, timed.review) = ("Europe/Berlin", "08:00", "sunday")
    timed.quietHours = .init(from: "22:00", until: "07:30", late: "dropped")
    timed.pushKey = "BP-_"
    timed.leavesAt = time
    timed.devices = [
      DeviceView(
        device: "browser", service: "webPush", permission: "authorized", hasToken: true,
        arrivedAt: time, answer: "201 Created", answeredAt: time)
    ]
    try expectRoundTrip(timed)
    let job = PushJob(
      id: PushJobID(rawValue: 7), kind: .reacted, player: table.id(0), match: match, turn: 1)
    try expectRoundTrip(
      InboxView(items: [InboxItem(job: job, title: "CUBE", body: "A word.", sentAt: time)]))
    try expectRoundTrip(
      BlockList(
        players: [BlockList.Row(player: table.id(1), name: PlayerName("Bob")!, since: time)]))
    let (first, later) = (table.players[0].publicKey, table.players[1].publicKey)
    try expectRoundTrip(
      KeyList(
        keys: [.init(key: first, addedAt: time), .init(key: later, addedAt: time, inviter: first)],
        invitations: [.init(invitation: Hash(sha256Of: []), until: time, inviter: later)],
        recovery: .init(
          key: nil, waiting: .init(key: later, at: time),
          pending: .init(recovery: EventID(rawValue: 9), key: later, at: time, objector: first))))
    try expectRoundTrip(InvitingPlayer(player: table.id(0), name: PlayerName("Anna")!))
    for role in RecoveryView.Role.allCases {
      try expectRoundTrip(
        RecoveryView(
          player: table.id(0), name: PlayerName("Anna")!, role: role,
          recovery: .init(
            key: first, waiting: .init(key: later, at: time),
            pending: .init(recovery: EventID(rawValue: 7), key: later, at: time, objector: first))))
    }
  }

  @Test("Versions are compared as numbers, and nothing but three numbers is one")
  func versions() throws {
    let texts = ["0.1.0", "0.1.9", "0.1.10", "0.2.0", "0.10.0", "1.0.0", "1.0.1"]
    let versions = try texts.map { try #require(ProgramVersion($0)) }
    #expect(versions == versions.sorted() && Set(versions).count == texts.count)
    #expect(versions.map(\.description) == texts)
    for text in ["", "1", "1.0", "1.0.", "1.0.0.0", "v1.0.0", "1.-1.0", "1.+1.0", "1..0", "1.0.x"] {
      #expect(ProgramVersion(text) == nil, "\(text)")
    }
    #expect(ProgramVersion.oldestServed <= .current)
  }

  private func expectRoundTrip<Answer: Codable & Hashable & Sendable>(_ answer: Answer) throws {
    let encoded = AnswerCodec.encode(answer, query: EventID(rawValue: 1))
    guard case .ok(let received) = try AnswerCodec.decode(encoded, as: Answer.self).answer else {
      Issue.record("\(Answer.self) was refused")
      return
    }
    expectNoDifference(received, answer)
  }
}
