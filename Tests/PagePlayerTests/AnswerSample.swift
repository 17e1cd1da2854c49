// swift-format-ignore-file: NeverForceUnwrap

import CubistBasics
import MatchCore
import MatchRecord
import MatchWire
import Testing

@testable import PagePlayer

/// An answer of the service, and both of its readers.
struct AnswerSample: Sendable, CustomTestStringConvertible {
  var testDescription: String
  /// Whether every optional value is there.
  var isFull: Bool
  var value: any Sendable & Hashable
  /// As the service sends it.
  var bytes: [UInt8]
  /// Reads an answer as a browser does.
  var read: @Sendable ([UInt8]) throws -> AnyHashable
  /// Reads an answer as a program with a decoder does.
  var decode: @Sendable ([UInt8]) throws -> AnyHashable

  struct Refused: Error {}

  init<Value: Codable & Hashable & Sendable>(
    _ value: Value, isFull: Bool,
    _ read: @escaping @Sendable (JSONObject) throws(WireFault) -> Value
  ) {
    testDescription = "\(Value.self), \(isFull ? "full" : "bare")"
    self.isFull = isFull
    self.value = value
    bytes = AnswerCodec.encode(value, query: EventID(rawValue: 7))
    self.read = { bytes in
      guard case (_, .ok(let object)) = try ReceivedAnswer.read(bytes) else { throw Refused() }
      return AnyHashable(try read(object))
    }
    decode = { bytes in
      guard case (_, .ok(let value)) = try AnswerCodec.decode(bytes, as: Value.self) else {
        throw Refused()
      }
      return AnyHashable(value)
    }
  }

  /// A sample of each answer with every optional value, and one with none.
  static let all = accounts + home + match + ranks + lists + headToHead
}

extension AnswerSample {
  static let time = Instant(microseconds: 1_777_600_000_000_000)
  static let anna = PlayerName("Anna")!
  static let player = PlayerID(rawValue: 5)
  static let id = MatchID(rawValue: 0x019d_e137)
  static let daily = DailyKey(day: Day(containing: time), mode: .timed, language: .english)

  private static let accounts: [AnswerSample] = {
    let root = Signer.ed25519(seed: Array(repeating: 1, count: 32))!
    let service = ServiceID(rawValue: 9)
    let certificate = KeyCertificate(
      workingKey: root.publicKey, validFrom: time, validUntil: time.adding(seconds: 60),
      service: service, root: root)
    let full = ServiceInfo(
      service: service, rootKey: root.publicKey, certificates: [certificate], version: "1.0",
      oldestClient: .oldestServed, now: time, registration: .code, queueCount: 16,
      limits: .init(PlayerLimits.standard), dailies: [.init(daily: daily, players: 7)])
    var bare = full
    (bare.certificates, bare.oldestClient, bare.dailies) = ([], nil, nil)
    (bare.registration, bare.limits) = (.open, .current)
    var rating = RatingView(rating: 1_512, deviation: 83, isProvisional: true, matches: 7)
    (rating.rank, rating.outOf) = (3, 9)
    let own = PlayerView(
      id: player, name: anna, registeredAt: time, rating: rating, isBot: true)
    let stranger = PlayerView(id: player, name: anna, registeredAt: time)
    return [
      AnswerSample(full, isFull: true) { object throws(WireFault) in try ServiceInfo(object) },
      AnswerSample(bare, isFull: false) { object throws(WireFault) in try ServiceInfo(object) },
      AnswerSample(own, isFull: true) { object throws(WireFault) in try PlayerView(object) },
      AnswerSample(stranger, isFull: false) { object throws(WireFault) in try PlayerView(object) },
    ]
  }()

  private static let home: [AnswerSample] = {
    let match = MatchSummary(
      id: id, version: 3, kind: .daily, daily: daily, mode: .timed, turnLimit: 86_400,
      opponent: player, opponentName: anna, yourSeat: 1, points: [7, 110], turn: 3,
      yourTurn: true, stage: .waiting, deadline: time, startedAt: time, code: ShareCode("CODE"),
      casual: true)
    let bareMatch = MatchSummary(
      id: id, version: 1, kind: .solo, daily: nil, turnLimit: nil, opponent: nil,
      opponentName: nil, yourSeat: 0, points: [0], turn: 1, yourTurn: false, stage: .playing,
      deadline: nil, startedAt: time, code: nil)
    let status = DailyStatus(
      daily: daily, isDealt: true, endsAt: time, match: id, isOver: true, points: 512)
    let bareStatus = DailyStatus(
      daily: daily, isDealt: false, endsAt: time, match: nil, isOver: false, points: nil)
    let offer = RematchOfferView(
      match: id, opponent: player, opponentName: anna, isYours: true, offeredAt: time,
      expiresAt: time.adding(seconds: 60))
    let bareOffer = RematchOfferView(
      match: id, opponent: player, opponentName: nil, isYours: false, offeredAt: time,
      expiresAt: time)
    let full = HomeView(
      matches: [match, match], invitations: [match], rematchOffers: [offer, offer], daily: status,
      timedDaily: status, moreMatches: 3, moreInvitations: 1, recoveryAt: time, leavesAt: time,
      damaged: [id])
    let bare = HomeView(
      matches: [bareMatch], invitations: [bareMatch], rematchOffers: [bareOffer],
      daily: bareStatus)
    let empty = HomeView(matches: [], invitations: [], rematchOffers: [], daily: bareStatus)
    return [
      AnswerSample(full, isFull: true) { object throws(WireFault) in try HomeView(object) },
      AnswerSample(bare, isFull: false) { object throws(WireFault) in try HomeView(object) },
      AnswerSample(empty, isFull: false) { object throws(WireFault) in try HomeView(object) },
    ]
  }()

  private static let match: [AnswerSample] = {
    let hash = Hash(bytes: Array(repeating: 0xa7, count: 32))!
    let turn = MatchView.Turn(
      number: 1, seat: 1, moves: ["x202", "000-001"], words: ["", "CUBES"], scores: [0, 110],
      acceptedAt: time, hash: hash, reaction: .init(seat: 0, word: "BRAVO"))
    var plainTurn = turn
    plainTurn.reaction = nil
    let bare = MatchView(
      id: id, version: 9, kind: .random, language: .english, lexicon: "en-2", rules: "cube-1",
      letters: String(repeating: "Q", count: 81),
      seats: [
        .init(player: nil, name: nil, points: 0, turns: 0, state: .free, bot: nil)
      ], stage: .playing, turn: 2, seatToPlay: 0, previous: hash, startedAt: time,
      uses: String(repeating: "3", count: 81), inPlay: String(repeating: "1", count: 27),
      playable: String(repeating: "0", count: 81), turns: [plainTurn])
    var full = bare
    full.seats = [
      .init(player: player, name: anna, points: 110, turns: 1, state: .taken, bot: true),
      .init(player: player, name: anna, points: 0, turns: 0, state: .invited, bot: true),
    ]
    full.turns = [turn, turn]
    (full.daily, full.mode, full.turnLimit) = (daily, .timed, 3_600)
    full.outcome = Outcome(reason: .timedOut, seat: 1, results: [.won, .lost], mergedInto: id)
    (full.deadline, full.endedAt) = (time, time.adding(seconds: 1))
    (full.predecessor, full.successor) = (id, MatchID(rawValue: 8))
    (full.rematchOfferBy, full.code, full.casual) = (1, ShareCode("CODE"), true)
    (full.ruledFor, full.gaveUp, full.stage) = (.agreement, true, .ended)
    full.nudgeFrom = Instant(microseconds: 1_700_000_000_000_000)
    full.why = MeetingView(
      MeetingReason(
        ratingDistance: 12, window: 100, waitedSeconds: 7, hadMetLately: true, merged: id))
    var open = bare
    open.why = MeetingView(MeetingReason(ratingDistance: 12, window: nil, waitedSeconds: 7))
    open.outcome = Outcome(reason: .finished, seat: nil, results: [.completed])
    (open.letters, open.uses, open.inPlay, open.playable) = ("", "", "", "")
    return [
      AnswerSample(full, isFull: true) { object throws(WireFault) in try MatchView(object) },
      AnswerSample(bare, isFull: false) { object throws(WireFault) in try MatchView(object) },
      AnswerSample(open, isFull: false) { object throws(WireFault) in try MatchView(object) },
    ]
  }()

  private static let ranks: [AnswerSample] = {
    let row = RankedRow(rank: 1, outOf: 9, player: player, name: anna, points: 512, word: "CUBES")
    let bareRow = RankedRow(rank: 1, outOf: 9, player: player, name: anna, points: 512)
    let ranking = Ranking(rows: [row, row], own: row, outOf: 9)
    let bareRanking = Ranking(rows: [bareRow], own: nil, outOf: 1)
    let board = Leaderboard(
      games: SoloGames(kind: .solo, mode: .timed), measure: .words, window: .day)
    let place = Ladder.Row(
      rank: 2, outOf: 9, player: player, name: anna,
      rating: RatingView(rating: 1_512, deviation: 83, isProvisional: true, matches: 7))
    let ladder = Ladder(rows: [place, place], you: place, around: [place], outOf: 9)
    let bareLadder = Ladder(rows: [], you: nil, around: [], outOf: 0)
    let tally = WeekInReview.Tally(kind: .random, count: 7, won: 4, lost: 2, tied: 1)
    let result = DailyHistory.Result(daily: daily, points: 512, rank: 3, outOf: 9)
    return [
      AnswerSample(Standings(daily: daily, ranking), isFull: true) { object throws(WireFault) in
        try Standings(object)
      },
      AnswerSample(Standings(daily: daily, bareRanking), isFull: false) {
        object throws(WireFault) in
        try Standings(object)
      },
      AnswerSample(LeaderboardView(board, ranking), isFull: true) { object throws(WireFault) in
        try LeaderboardView(object)
      },
      AnswerSample(LeaderboardView(board, bareRanking), isFull: false) {
        object throws(WireFault) in
        try LeaderboardView(object)
      },
      AnswerSample(ladder, isFull: true) { object throws(WireFault) in try Ladder(object) },
      AnswerSample(bareLadder, isFull: false) { object throws(WireFault) in try Ladder(object) },
      AnswerSample(DailyHistory(results: [result, result]), isFull: true) {
        object throws(WireFault) in
        try DailyHistory(object)
      },
      AnswerSample(
        WeekInReview(
          since: Instant(microseconds: 1), until: Instant(microseconds: 2), games: [tally, tally],
          places: [WeekInReview.Place(board, row)]), isFull: true
      ) { object throws(WireFault) in
        try WeekInReview(object)
      },
      AnswerSample(DailyHistory(results: []), isFull: false) { object throws(WireFault) in
        try DailyHistory(object)
      },
    ]
  }()

  private static let lists: [AnswerSample] = {
    var settings = SettingsView(
      displayName: "Änne 🙂", kinds: ["yourTurn": true, "reminder": false], reminders: true,
      devices: [
        DeviceView(
          device: "phone", service: "webPush", permission: "authorized", hasToken: true,
          arrivedAt: time, answer: "201", answeredAt: time)
      ], isBot: true, language: "de", bundle: false, nudges: false)
    (settings.timeZone, settings.digest, settings.review) = ("Europe/Berlin", "08:00", "sunday")
    settings.quietHours = .init(from: "22:00", until: "07:30", late: "silent")
    settings.leavesAt = time
    settings.pushKey = String(repeating: "B", count: 87)
    let bareSettings = SettingsView(
      displayName: nil, kinds: [:], reminders: false,
      devices: [DeviceView(device: "tablet", permission: "denied", hasToken: false)])
    let blocks = BlockList(players: [.init(player: player, name: anna, since: time)])
    let key = PublicKey(bytes: Array(repeating: 0xa, count: 32))!
    let keys = KeyList(
      keys: [.init(key: key, addedAt: time, inviter: key, device: .terminal)],
      invitations: [.init(invitation: .zero, until: time, inviter: key)],
      recovery: KeyList.Recovery(
        key: key, waiting: .init(key: key, at: time),
        pending: .init(recovery: EventID(at: time, random: 1), key: key, at: time, objector: key)))
    let game = PastGame(
      id: id, endedAt: time, kind: .daily, daily: daily, mode: .timed, opponent: player,
      opponentName: anna, result: .tied, reason: .cleared, points: 7, opponentPoints: 7,
      cursor: PastGamesCursor(endedAt: time, match: id), casual: true, gaveUpBy: player)
    let bareGame = PastGame(
      id: id, endedAt: time, kind: .solo, daily: nil, opponent: nil, opponentName: nil,
      result: .completed, reason: .finished, points: 7, opponentPoints: nil,
      cursor: PastGamesCursor(endedAt: time, match: id))
    let item = InboxItem(
      id: PushJobID(rawValue: 3), kind: "yourTurn", title: "Your turn", body: "“CUBES” scored.",
      match: id, day: daily.day, sentAt: time, opponentName: anna)
    let bareItem = InboxItem(
      id: PushJobID(rawValue: 3), kind: "dailyReady", title: "", body: "", match: nil, day: nil,
      sentAt: time)
    let overview = Overview(
      matches: [.init(match: id, version: 3), .init(match: id, version: 1 << 40)],
      inbox: .init(id: PushJobID(rawValue: 3), sentAt: time), settings: "a7")
    let bareOverview = Overview(matches: [], inbox: nil, settings: "")
    return [
      AnswerSample(overview, isFull: true) { object throws(WireFault) in try Overview(object) },
      AnswerSample(bareOverview, isFull: false) { object throws(WireFault) in
        try Overview(object)
      },
      AnswerSample(settings, isFull: true) { object throws(WireFault) in
        try SettingsView(object)
      },
      AnswerSample(bareSettings, isFull: false) { object throws(WireFault) in
        try SettingsView(object)
      },
      AnswerSample(blocks, isFull: true) { object throws(WireFault) in try BlockList(object) },
      AnswerSample(BlockList(players: []), isFull: false) { object throws(WireFault) in
        try BlockList(object)
      },
      AnswerSample(keys, isFull: true) { object throws(WireFault) in try KeyList(object) },
      AnswerSample(KeyList(keys: [.init(key: key, addedAt: time)]), isFull: false) {
        object throws(WireFault) in
        try KeyList(object)
      },
      AnswerSample(
        RecoveryView(player: player, name: anna, role: .newKey, recovery: keys.recovery!),
        isFull: true
      ) { object throws(WireFault) in
        try RecoveryView(object)
      },
      AnswerSample(InvitingPlayer(player: player, name: anna), isFull: true) {
        object throws(WireFault) in
        try InvitingPlayer(object)
      },
      AnswerSample(RecordAnswer(record: #"{"format":"ä 🙂"}"#), isFull: true) {
        object throws(WireFault) in
        try RecordAnswer(object)
      },
      AnswerSample(PastGames(games: [game, game], next: game.cursor), isFull: true) {
        object throws(WireFault) in
        try PastGames(object)
      },
      AnswerSample(PastGames(games: [bareGame], next: nil), isFull: false) {
        object throws(WireFault) in
        try PastGames(object)
      },
      AnswerSample(InboxView(items: [item, item]), isFull: true) { object throws(WireFault) in
        try InboxView(object)
      },
      AnswerSample(InboxView(items: [bareItem]), isFull: false) { object throws(WireFault) in
        try InboxView(object)
      },
    ]
  }()

  private static let headToHead: [AnswerSample] = {
    let word = HeadToHead.BestWord(word: "CUBES", points: 110, match: id, turn: 3)
    let full = HeadToHead(
      opponent: player, opponentName: anna, score: .init(won: 3, lost: 1, tied: 2), notCounted: 4,
      hasOlder: true, run: .init(result: .won, count: 2), wordMatches: 6, bestWord: word,
      opponentBestWord: word,
      series: .init(score: .init(won: 1), startedAt: time, hasOlder: true, running: id))
    let bare = HeadToHead(opponent: player, opponentName: anna, score: .init())
    let plain = HeadToHead(
      opponent: player, opponentName: anna, score: .init(won: 1),
      series: .init(score: .init(won: 1), startedAt: time))
    return [
      AnswerSample(full, isFull: true) { object throws(WireFault) in try HeadToHead(object) },
      AnswerSample(bare, isFull: false) { object throws(WireFault) in try HeadToHead(object) },
      AnswerSample(plain, isFull: false) { object throws(WireFault) in try HeadToHead(object) },
    ]
  }()
}
