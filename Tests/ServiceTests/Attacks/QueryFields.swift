import MatchCore
import MatchWire
import Testing

/// Every field of every query, and the answers to a registered player who sends wrong values in it.
enum QueryFields {
  /// A query of every type in which everything that can be set is, with a reader of its answer.
  static func examples(
    _ scene: FieldScene
  ) throws -> [(kind: Query.Kind, isAnswer: ([UInt8]) -> Bool)] {
    let code = try #require(ShareCode("ABCD1234"))
    let filter = PastGamesFilter(
      kind: .solo, result: .won, from: Instant(microseconds: 1), until: Instant(microseconds: 2))
    let cursor = PastGamesCursor(endedAt: Instant(microseconds: 7), match: scene.over)
    return [
      (.serviceInfo, reads(ServiceInfo.self)), (.whoAmI, reads(PlayerView.self)),
      (.player(.init(try #require(PlayerName("Ann")))), reads(PlayerView.self)),
      (.matches, reads(HomeView.self)),
      (.match(.init(scene.mine, atLeast: 1, newerThan: 1)), reads(MatchView.self)),
      (.matchByCode(.init(code)), reads(MatchView.self)),
      (
        .pastGames(.init(with: scene.ann, filter: filter, before: cursor, limit: 2)),
        reads(PastGames.self)
      ),
      (.headToHead(.init(with: scene.ann)), reads(HeadToHead.self)),
      (.record(.init(scene.over, part: 1)), reads(RecordAnswer.self)),
      (.recordByCode(.init(code, part: 1)), reads(RecordAnswer.self)),
      (.standings(.init(DailyKey(day: try #require(Day("9999-12-31"))))), reads(Standings.self)),
      (.ladder(.init(limit: 2)), reads(Ladder.self)), (.dailyHistory, reads(DailyHistory.self)),
      (
        .leaderboard(
          .init(
            Leaderboard(
              games: SoloGames(kind: .daily, mode: .timed), measure: .points, window: .week))),
        reads(LeaderboardView.self)
      ),
      (.review, reads(WeekInReview.self)), (.settings, reads(SettingsView.self)),
      (.inbox, reads(InboxView.self)), (.blocks, reads(BlockList.self)),
      (.overview, reads(Overview.self)), (.keys, reads(KeyList.self)),
      (
        .invitationOf(.init(DeviceCode(random: 7).hash(at: scene.service))),
        reads(InvitingPlayer.self)
      ),
      (.recoveryOf(.init(try #require(PlayerName("Ann")))), reads(RecoveryView.self)),
      (.account(.init(.pastGames, after: 1)), reads(AccountRows.self)),
    ]
  }

  private static func reads<Answer: Decodable & Sendable>(
    _: Answer.Type
  ) -> ([UInt8]) -> Bool {
    { bytes in
      guard case .ok? = try? AnswerCodec.decode(bytes, as: Answer.self).answer else {
        return false
      }
      return true
    }
  }

  static func table(_ scene: FieldScene) -> [FieldRow] {
    common(scene) + matches(scene) + pastGames(scene) + boards(scene) + keys
  }

  /// The fields of every query, sent with the one for the asker.
  private static func common(_ scene: FieldScene) -> [FieldRow] {
    [
      FieldRow(
        "v", .integer,
        ["unsupportedVersion": ["0", "2", "9007199254740992"], "malformed": ["-1"]]),
      .id("service", unknown: "wrongService", nowhere: scene.nowhere, ["ok": ["\(scene.service)"]]),
      FieldRow(
        "type", .text,
        [
          "ok": ["whoAmI", "serviceInfo", "inbox", "review"],
          "malformed": ["whoami", "WhoAmI", "whoAmI ", "matchForfeited", "ticked", "select"],
        ]),
      .id("player", unknown: "notPermitted", nowhere: scene.nowhere, ["ok": ["\(scene.eve)"]]),
      FieldRow(
        "id", .id,
        [
          "ok": [scene.id(0), scene.id(240)],
          "expired": [
            scene.id(400), scene.id(86_400), scene.id(-61), scene.id(-86_400),
            "ffffffff-ffff-7fff-bfff-ffffffffffff", "00000000-0000-7000-8000-000000000001",
          ],
          "malformed": [
            "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
            "9b2c8b8e-59a1-4b7e-9d3a-0242ac120002",
          ],
          // Made of hashes: one in 64 looks like the id of an event, of any time.
          "malformed/expired": ["\(scene.service)", "\(scene.eve)"],
        ]),
    ]
  }

  private static let codes = FieldRow(
    "code", .text,
    [
      "codeUnknown": ["ABCD", "abcd1234", "00000000", "0123456789ABCDEF"],
      "malformed": ["ABC", "0123456789ABCDEFG", "AB-CD", "AB CD", "%%%%", "\u{df}\u{df}\u{df}"],
    ])

  /// The records of the scene have one part.
  private static let parts = [
    "ok": ["1"], "malformed": ["-1", "0", "2", "128", "129", "9007199254740992"],
  ]

  private static func matches(_ scene: FieldScene) -> [FieldRow] {
    let nowhere = scene.nowhere
    let (mine, over) = ("\(scene.mine)", "\(scene.over)")
    return [
      FieldRow(
        "player.name", .text,
        [
          "ok": ["Ann", "ANN", "ann"], "unknownPlayer": ["nobody", "___", "0123456789abcdef"],
          "malformed": [
            "ab", "0123456789abcdefg", "An%", "An ", "\u{410}nn", "Ann\u{200b}", "Ann\u{301}",
          ],
        ]),
      // A match that is not there cannot reach a version: the asker waits for it.
      .id(
        "match.match", unknown: "unknownMatch/unavailable",
        nowhere: ["\(scene.theirs)", "\(scene.ann)"], ["ok": [over]]),
      FieldRow(
        "match.atLeast", .integer, leftOut: "ok",
        ["ok": ["0", "1", "2"], "malformed": ["-1"], "unavailable": ["9007199254740992"]]),
      FieldRow(
        "match.newerThan", .integer, leftOut: "ok",
        ["ok": ["0", "9007199254740992"], "malformed": ["-1"]]),
      FieldRow("matchByCode.code", .text, codes.values),
      FieldRow("recordByCode.code", .text, codes.values),
      .id(
        "record.match", unknown: "unknownMatch", nowhere: nowhere,
        ["matchNotOver": [mine], "ok": [over]]),
      FieldRow("record.part", .integer, leftOut: "ok", parts),
      // The code is nobody's.
      FieldRow(
        "recordByCode.part", .integer, leftOut: "codeUnknown",
        ["codeUnknown": ["1", "2", "128"], "malformed": ["-1", "0", "129", "9007199254740992"]]),
    ]
  }

  private static func pastGames(_ scene: FieldScene) -> [FieldRow] {
    let times = ["ok": ["0", "1", "9007199254740992"], "malformed": ["-1"]]
    let last = "ffffffff-ffff-ffff-ffff-ffffffffffff"
    return [
      .id("pastGames.with", unknown: "ok", leftOut: "ok", nowhere: scene.nowhere),
      FieldRow(
        "pastGames.kind", .text, leftOut: "ok",
        ["ok": MatchKind.allCases.map(\.rawValue), "malformed": ["Solo", "all", "clock"]]),
      FieldRow(
        "pastGames.result", .text, leftOut: "ok",
        ["ok": Outcome.Result.allCases.map(\.rawValue), "malformed": ["Won", "win"]]),
      FieldRow("pastGames.from", .integer, leftOut: "ok", times),
      FieldRow("pastGames.until", .integer, leftOut: "ok", times),
      FieldRow(
        "pastGames.before", .text, leftOut: "ok",
        [
          "ok": [
            "0_\(scene.over)", "0_00000000-0000-0000-0000-000000000000",
            "9223372036854775807_\(last)", "\(scene.now.microseconds)_\(scene.theirs)",
          ],
          "malformed": [
            "_", "1", "1_", "_\(last)", "-1_\(last)", "+1_\(last)", "01_\(last)",
            "9223372036854775808_\(last)", "1_\(last.uppercased())", "1_\(last)_", "1__\(last)",
            "1.0_\(last)", "1e3_\(last)", " 1_\(last)", "\u{661}_\(last)",
          ],
        ]),
      .id(
        "headToHead.with", unknown: "unknownPlayer", nowhere: scene.nowhere,
        ["ok": ["\(scene.ann)", "\(scene.eve)"]]),
      FieldRow(
        "pastGames.limit", .integer,
        ["ok": ["1", "100"], "malformed": ["0", "-1", "101", "9007199254740992"]]),
    ]
  }

  private static let keys = [
    FieldRow(
      "account.section", .text,
      [
        "ok": AccountSection.allCases.map(\.rawValue),
        "malformed": ["players", "Keys", "keys ", "pg_authid", "player_keys"],
      ]),
    FieldRow(
      "account.after", .integer,
      ["ok": ["0", "1", "1000000"], "malformed": ["-1", "1000001", "9007199254740992"]]),
    FieldRow(
      "invitationOf.invitation", .text,
      ["codeUnknown": EventFields.bytes, "malformed": EventFields.noBytes]),
    // Nobody without a key of the player's recovery is told whether there is such a player.
    FieldRow(
      "recoveryOf.name", .text,
      [
        "notPermitted": ["Ann", "ANN", "nobody", "___"],
        "malformed": ["ab", "0123456789abcdefg", "An%", "An ", "\u{410}nn", "Ann\u{301}"],
      ]),
  ]

  private static func boards(_ scene: FieldScene) -> [FieldRow] {
    let board = "leaderboard.board"
    return [
      FieldRow("standings.daily", .object, ["malformed": ["{}", #"{"day":"9999-12-31"}"#]]),
      FieldRow(
        "standings.daily.day", .text,
        [
          "dailyNotDealt": [
            "1970-01-01", "2024-02-29", "9999-12-31", "\(Day(containing: scene.now))",
            "\(Day(containing: scene.now).next)",
          ],
          "malformed": EventFields.badDays,
        ]),
      FieldRow(
        "standings.daily.mode", .text,
        ["dailyNotDealt": ["timed", "unlimited"], "malformed": ["Timed", "any"]]),
      FieldRow(
        "standings.daily.language", .text,
        ["dailyNotDealt": ["en"], "malformed": ["EN", "de", "en/x"]]),
      FieldRow(
        "ladder.limit", .integer,
        ["ok": ["1", "100"], "malformed": ["0", "-1", "101", "9007199254740992"]]),
      FieldRow(board, .object, ["malformed": ["{}", #"{"kind":"solo"}"#]]),
      FieldRow("\(board).kind", .text, ["ok": ["solo", "daily"], "malformed": ["random", "%"]]),
      FieldRow(
        "\(board).mode", .text, ["ok": ["timed", "unlimited"], "malformed": ["Timed", "any"]]),
      FieldRow("\(board).language", .text, ["ok": ["en"], "malformed": ["EN", "de", "en/timed"]]),
      FieldRow(
        "\(board).measure", .text, ["ok": ["points", "words"], "malformed": ["word", "Points"]]),
      FieldRow(
        "\(board).window", .text,
        ["ok": ["day", "week", "all"], "malformed": ["year", "All", "all/../day"]]),
    ]
  }
}
