import CubeRules
import CubistBasics
import Foundation
import MatchCore
import MatchWire
import Testing

/// Every field of every event, and the replies to a registered player who sends wrong values in it.
enum EventFields {
  /// At least one event of every type. Together, the events of one type set every field.
  static func examples(_ scene: FieldScene) throws -> [Event.Action] {
    let (mine, over) = (scene.mine, scene.over)
    let nobody = PlayerID(rawValue: 9)
    let cube = Cube.all[0]
    let key = try #require(PublicKey(bytes: Array(repeating: 9, count: 32)))
    return [
      .playerRegistered(
        name: try #require(PlayerName("Eva")), code: ShareCode("ABCD1234")),
      .matchRequested(
        MatchRequest(opponent: .player(nobody), turnLimitSeconds: 86_400, isCasual: true)),
      .dailyStarted(DailyKey(day: try #require(Day("9999-12-31")))),
      .invitationAccepted(mine, code: ShareCode("ABCD1234")), .invitationDeclined(mine),
      .requestWithdrawn(mine),
      .turnPlayed(
        mine, Turn(number: 1, previous: scene.head, moves: [.removal(cube), .removal(cube)])),
      .reacted(mine, turn: 1, word: "CAT"), .nudged(mine, turn: 1),
      .matchForfeited(over), .rematchRequested(mine), .rematchDeclined(mine), .gameShared(mine),
      .settingsChanged(
        SettingsChange(
          displayName: DisplayName("Eve").map { .set($0) }, kinds: [.yourTurn: true],
          reminders: true, isBot: true, isLeaving: true,
          push: PushChange(
            timeZone: TimeZoneName("Europe/Berlin").map { .set($0) }, language: .german,
            quietHours: QuietHours(
              from: try #require(MinuteOfDay("22:00")),
              until: try #require(MinuteOfDay("07:30"))
            ).map { .set($0) }, isBundled: true, takesNudges: true,
            digest: MinuteOfDay("08:00").map { .set($0) }, review: .set(.sunday)))),
      .deviceRegistered(
        Device(name: try #require(DeviceName("phone")), token: "abc", permission: .authorized)),
      .deviceRegistered(
        Device(
          name: try #require(DeviceName("phone")),
          route: .webPush(
            try #require(
              WebPushSubscription(
                endpoint: "https://push.example/abc", key: [4] + Array(repeating: 7, count: 64),
                secret: Array(repeating: 7, count: 16)))), permission: .authorized)),
      .deviceRemoved(try #require(DeviceName("fax"))),
      .deviceInvited(DeviceCode(random: 5).hash(at: scene.service)),
      .keyAdded(DeviceCode(random: 6), device: .terminal),
      .keyRemoved(key), .recoveryKeyNamed(key), .playerRecovered(scene.recovered),
      .recoveryObjected(scene.evesEvent), .recoveryWithdrawn(scene.evesEvent),
      .notificationTested(Event.NotificationTested()), .inboxSeen(.one(PushJobID(rawValue: 10))),
      .playerBlocked(nobody), .playerUnblocked(nobody),
      .reported(mine, .other, text: Report.Text("x")),
      .ticked(queue: 1, time: scene.now, since: scene.now),
      .mergeProposed(
        Merger(
          kept: mine, merged: scene.theirs,
          reason: MeetingReason(
            ratingDistance: 1, window: 1, waitedSeconds: 1, hadMetLately: true, merged: mine))),
      .deadlinePassed(mine, turn: 1, deadline: scene.now, gone: scene.eve),
      .recoveryDue(of: scene.eve, recovery: scene.evesEvent, key: key, due: scene.now),
      .ruled(mine, Ruling(.annulled, for: .fault)),
    ]
  }

  /// The rows that an attacker leaves by sending all of that, by type and table, beside the
  /// replies.
  static let rows: [String: [String: Int64]] = [
    // This one is Ann's.
    "matchRequested": ["matches": 1, "entries": 2, "seats": 2, "pairs": 1],
    "settingsChanged": ["bots": 1, "departures": 1],
    "deviceRegistered": ["devices": 5],
    "deviceRemoved": ["devices": -1],
    "deviceInvited": ["device_invitations": 2],
    "recoveryKeyNamed": ["recoveries": 1],
    "playerBlocked": ["blocks": 1],
    "playerUnblocked": ["blocks": -1],
    // One about each match of Eve's, however often.
    "reported": ["reports": 2],
  ]

  static func table(_ scene: FieldScene) -> [FieldRow] {
    common(scene) + meeting(scene) + matches(scene) + turns(scene) + players(scene)
      + keys(scene) + service(scene)
  }

  /// The fields of every event, sent with one that is noted.
  private static func common(_ scene: FieldScene) -> [FieldRow] {
    let (day, ahead, behind): (Int64, Int64, Int64) = (86_400, 300, 7 * 86_400)
    return [
      FieldRow(
        "v", .integer,
        ["unsupportedVersion": ["0", "2", "9007199254740992"], "malformed": ["-1"]]),
      .id(
        "service", unknown: "wrongService", nowhere: scene.nowhere, ["noted": ["\(scene.service)"]]),
      FieldRow(
        "type", .text,
        [
          "malformed": [
            "inboxseen", "InboxSeen", "inboxSeen ", "seen", "turnPlayed", "ticked", "whoAmI",
            "matchEnded", "1",
          ]
        ]),
      .id("player", unknown: "notPermitted", nowhere: scene.nowhere, ["noted": ["\(scene.eve)"]]),
      FieldRow(
        "id", .id,
        [
          "noted": [
            scene.id(0), scene.id(ahead - 30), scene.id(600 - behind), "\(scene.annsEvent)",
          ],
          "idempotencyMismatch": ["\(scene.evesEvent)"],
          "clockAhead": [
            scene.id(ahead + 600), scene.id(2 * day), scene.id(400 * day),
            "ffffffff-ffff-7fff-bfff-ffffffffffff",
          ],
          "eventTooOld": [
            scene.id(-behind - 1), scene.id(-400 * day), "00000000-0000-7000-8000-000000000001",
          ],
          "malformed": [
            "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
            "9b2c8b8e-59a1-4b7e-9d3a-0242ac120002",
          ],
          // Made of hashes: one in 64 looks like the id of an event, of any time.
          "malformed/clockAhead/eventTooOld": ["\(scene.service)", "\(scene.eve)"],
        ]),
    ]
  }

  private static func meeting(_ scene: FieldScene) -> [FieldRow] {
    [
      // Eve is registered: a readable name gets as far as that refusal.
      FieldRow(
        "playerRegistered.name", .text,
        [
          "alreadyRegistered": ["abc", "Ann", "ANN", "Eve", "___", "0123456789abcdef"],
          "malformed": [
            "ab", "0123456789abcdefg", "An n", "Ann ", "Änn", "\u{410}nn", "\u{ff21}nn",
            "Ann\u{301}",
            "Ann\u{200b}", "a'b", "a/b", "a.b",
          ],
        ]),
      FieldRow(
        "playerRegistered.code", .text, leftOut: "alreadyRegistered",
        [
          "alreadyRegistered": ["ABCD", "abcd1234", "0123456789ABCDEF"],
          "malformed": [
            "ABC", "0123456789ABCDEFG", "AB-CD", "ßßßß", "ABC\u{200b}D", "\u{ff21}BCD",
          ],
        ]),
      FieldRow(
        "matchRequested.opponent", .text,
        [
          "turnLimitInvalid": ["nobody", "clock"], "unknownPlayer": ["player"],
          "malformed": ["Random", "anybody", "player ", "nobod\u{443}"],
        ]),
      .id(
        "matchRequested.with", unknown: "unknownPlayer", nowhere: scene.nowhere,
        ["opponentIsYourself": ["\(scene.eve)"], "matchStarted": ["\(scene.ann)"]]),
      FieldRow(
        "matchRequested.turnLimit", .integer, leftOut: "turnLimitInvalid",
        [
          "turnLimitInvalid": [
            "0", "-1", "1", "9", "2592001", "9007199254740992", "-9007199254740992",
          ],
          "unknownPlayer": ["10", "2592000"],
        ]),
      FieldRow(
        "matchRequested.language", .text,
        ["unknownPlayer": ["en"], "malformed": ["EN", "de", "en-US", "en_US.UTF-8", "\u{435}n"]]),
      FieldRow(
        "matchRequested.casual", .flag, leftOut: "unknownPlayer",
        ["unknownPlayer": ["true", "false"]]),
      FieldRow("dailyStarted.daily", .object, ["malformed": ["{}", #"{"day":"9999-12-31"}"#]]),
      FieldRow(
        "dailyStarted.daily.day", .text,
        [
          "dailyNotDealt": ["9999-12-31", "\(Day(containing: scene.now).next)", "2096-02-29"],
          "dailyOver": ["1970-01-01", "2024-02-29", "\(Day(containing: scene.now).previous)"],
          "malformed": badDays,
        ]),
      FieldRow(
        "dailyStarted.daily.mode", .text,
        ["dailyNotDealt": ["timed", "unlimited"], "malformed": ["Timed", "180", "solo"]]),
      FieldRow(
        "dailyStarted.daily.language", .text,
        ["dailyNotDealt": ["en"], "malformed": ["EN", "de", "en/unlimited"]]),
    ]
  }

  /// Invalid days in the form that days have.
  static let badDays = [
    "0000-01-01", "0001-01-01", "1969-12-31", "10000-01-01", "-001-01-01", "2026-02-30",
    "2023-02-29", "2026-00-01", "2026-13-01", "2026-01-00", "2026-01-32", "2026-1-1", "26-01-01",
    "2026-05-01T00:00:00Z", "2026-05-01+02:00", "2026-05-01 ", "01-05-2026", "2026/05/01",
    "today", "infinity", "epoch", "2026-05-0\u{661}", "\u{ff12}026-05-01",
  ]

  private static func matches(_ scene: FieldScene) -> [FieldRow] {
    // A match of others gets the same refusal as one that does not exist: `codeUnknown` where a
    // code is asked for, else `unknownMatch`.
    let nowhere = scene.nowhere
    let (mine, over) = ("\(scene.mine)", "\(scene.over)")
    return [
      .id(
        "invitationAccepted.match", unknown: "codeUnknown", nowhere: nowhere,
        ["alreadyJoined": [mine, over]]),
      FieldRow(
        "invitationAccepted.code", .text, leftOut: "alreadyJoined",
        [
          "alreadyJoined": ["ABCD", "0123456789ABCDEF"],
          "malformed": ["ABC", "0123456789ABCDEFG", "AB CD", "ıııı"],
        ]),
      .id(
        "invitationDeclined.match", unknown: "unknownMatch", nowhere: nowhere,
        ["notInvited": [mine], "matchOver": [over]]),
      .id(
        "requestWithdrawn.match", unknown: "unknownMatch", nowhere: nowhere,
        ["alreadyJoined": [mine], "matchOver": [over]]),
      .id(
        "matchForfeited.match", unknown: "unknownMatch", nowhere: nowhere.filter { $0 != mine },
        ["matchOver": [over]]),
      .id(
        "rematchRequested.match", unknown: "unknownMatch", nowhere: nowhere,
        ["matchNotOver": [mine]]),
      .id(
        "rematchDeclined.match", unknown: "unknownMatch", nowhere: nowhere,
        ["matchNotOver": [mine], "noRematchOffer": [over]]),
      .id(
        "gameShared.match", unknown: "unknownMatch", nowhere: nowhere, ["matchNotOver": [mine]]),
    ]
  }

  private static func turns(_ scene: FieldScene) -> [FieldRow] {
    let removal = "\"-000\""
    func list(_ count: Int, of json: String) -> String {
      "[\((0..<count).map { _ in json }.joined(separator: ","))]"
    }
    return [
      .id(
        "turnPlayed.match", unknown: "unknownMatch", nowhere: scene.nowhere,
        ["illegalTurn": ["\(scene.mine)"], "matchOver": ["\(scene.over)"]]),
      FieldRow(
        "turnPlayed.turn", .integer,
        [
          "illegalTurn": ["1"], "unknownTurn": ["2", "1000000"],
          "malformed": ["0", "-1", "1000001", "9007199254740992", "-9007199254740992"],
        ]),
      .id(
        "reacted.match", unknown: "unknownMatch", nowhere: scene.nowhere,
        ["unknownTurn": ["\(scene.mine)"], "matchOver": ["\(scene.over)"]]),
      FieldRow(
        "reacted.turn", .integer,
        [
          "unknownTurn": ["1", "1000000"],
          "malformed": ["0", "-1", "1000001", "9007199254740992", "-9007199254740992"],
        ]),
      FieldRow(
        "reacted.word", .text,
        [
          "unknownTurn": ["A", String(repeating: "Z", count: 162)],
          "malformed": [
            "", "cat", "CA T", "C\\u00c4T", "C4T", "CAT\\u0000", String(repeating: "Z", count: 163),
          ],
        ]),
      .id(
        "nudged.match", unknown: "unknownMatch", nowhere: scene.nowhere,
        ["youAreToMove": ["\(scene.mine)"], "matchOver": ["\(scene.over)"]]),
      FieldRow(
        "nudged.turn", .integer,
        [
          "youAreToMove": ["1"], "turnNotDue": ["2", "1000000"],
          "malformed": ["0", "-1", "1000001", "9007199254740992", "-9007199254740992"],
        ]),
      FieldRow(
        "turnPlayed.previous", .text,
        [
          "illegalTurn": ["\(scene.head)"],
          "wrongPrevious": [
            String(repeating: "0", count: 64), String(repeating: "f", count: 64),
          ],
          "malformed": [
            String(repeating: "0", count: 62), String(repeating: "0", count: 63),
            String(repeating: "0", count: 66), String(repeating: "F", count: 64), "0x00",
          ],
        ]),
      FieldRow(
        "turnPlayed.moves", .list,
        [
          "illegalTurn": [
            "[]", list(2, of: removal), list(81, of: removal), #"["000T 000T 000T"]"#,
            #"["000T"]"#, "[\"\((0..<27).map { _ in "000T" }.joined(separator: " "))\"]",
          ],
          "malformed": [
            list(82, of: removal), list(200, of: "null"), list(1_000, of: "\"\""), #"[""]"#,
            #"[" "]"#, #"["-"]"#, #"["-999"]"#, #"["--000"]"#, #"["-000 "]"#, #"["000t"]"#,
            #"["000X"]"#, #"["000T  000L"]"#, #"["000T\u0000"]"#, #"["\u202e000T"]"#,
            #"["000T\u200b"]"#, "[1]", "[null]", "[true]", #"[["-000"]]"#, #"[{}]"#,
            "[\"\((0..<82).map { _ in "000T" }.joined(separator: " "))\"]", #"["\ud800"]"#,
            "[\"\(String(repeating: "a", count: 3_000))\"]", #"["-000",]"#, #"["-000""#,
          ],
        ]),
    ]
  }

  private static func players(_ scene: FieldScene) -> [FieldRow] {
    let kinds = PushJob.Kind.optional.map { "\"\($0.rawValue)\":true" }.joined(separator: ",")
    let known = ["yourTurn", "YourTurn", "invited"]
    let many = (0..<60).map { "\"kind\($0)\":true" }.joined(separator: ",")
    return [
      FieldRow(
        "settingsChanged.displayName", .text, leftOut: "noted",
        [
          "noted": [
            "", "Ada L.", "Ann", "\u{5d0}\u{5d1}", "你好", "é", "☺️",
            String(repeating: "a", count: 16),
            String(repeating: "😀", count: 16), String(repeating: "e\u{301}", count: 16),
          ],
          "malformed": [
            String(repeating: "a", count: 17), String(repeating: "😀", count: 17), " Ada", "Ada ",
            String(repeating: "1\u{fe0f}\u{20e3}", count: 11),
            "a\u{a0}b", "a\u{3000}b", "\u{e000}", "a" + String(repeating: "\u{301}", count: 64),
            // Invisible characters.
            "\u{3164}", "\u{115f}", "\u{ffa0}", "\u{2800}", "a\u{34f}b", "\u{fe0f}", "a\u{e0100}",
            "\u{17b5}", "\u{180b}", "\u{301}a", "Ann\u{3164}",
          ],
        ]),
      FieldRow(
        "settingsChanged.kinds", .object, leftOut: "noted",
        [
          "noted": ["{}", "{\(kinds)}"],
          "malformed": [
            "{\"\(known[1])\":true}", #"{"all":true}"#, #"{"":true}"#, "{\(many)}",
            #"{"yourTurn":true,"yourTurn":true}"#,
          ],
        ]),
      FieldRow(
        "settingsChanged.kinds.yourTurn", .flag, leftOut: "noted", ["noted": ["true", "false"]]),
      FieldRow(
        "settingsChanged.reminders", .flag, leftOut: "noted", ["noted": ["true", "false"]]),
      FieldRow(
        "settingsChanged.bot", .flag, leftOut: "noted",
        ["noted": ["true"], "botForGood": ["false"]]),
      FieldRow("settingsChanged.leave", .flag, leftOut: "noted", ["noted": ["true", "false"]]),
    ] + wishes() + [
      FieldRow(
        "deviceRegistered.device", .text,
        [
          "noted": ["phone", "A", "-.-", "0", String(repeating: "x", count: 32)],
          "malformed": [
            String(repeating: "x", count: 33), "my phone", "phone\u{200b}", "\u{440}hone", "a/b",
            "é",
          ],
        ]),
      FieldRow(
        "deviceRegistered.token", .text, leftOut: "noted",
        [
          "noted": [
            "x", "https://evil.example/?a=b", "<script>", String(repeating: "x", count: 512),
          ],
          "malformed": ["a b", "é", String(repeating: "x", count: 513), #"a\tb"#, #"a\u007f"#],
        ]),
    ] + subscriptions() + [
      FieldRow(
        "deviceRegistered.permission", .text,
        [
          "noted": ["notDetermined", "provisional", "authorized", "denied"],
          "malformed": ["Authorized", "granted", "ephemeral"],
        ]),
      FieldRow(
        "deviceRemoved.device", .text,
        [
          "noted": ["fax", "phone", String(repeating: "y", count: 32)],
          "malformed": [String(repeating: "x", count: 33), "*", "%", "a b"],
        ]),
      .id("inboxSeen.job", unknown: "noted", leftOut: "noted", nowhere: scene.nowhere),
      .id(
        "playerBlocked.other", unknown: "unknownPlayer", nowhere: scene.nowhere,
        ["playerIsYourself": ["\(scene.eve)"], "playerBlocked": ["\(scene.ann)"]]),
      .id(
        "playerUnblocked.other", unknown: "unknownPlayer", nowhere: scene.nowhere,
        ["playerIsYourself": ["\(scene.eve)"], "playerUnblocked": ["\(scene.ann)"]]),
      .id(
        "reported.match", unknown: "unknownMatch", nowhere: scene.nowhere,
        ["reported": ["\(scene.mine)", "\(scene.over)"]]),
      FieldRow(
        "reported.reason", .text,
        [
          "reported": Report.Reason.allCases.map(\.rawValue),
          "malformed": ["Name", "names", "name ", "misconduct", "n\u{430}me"],
        ]),
      FieldRow(
        "reported.text", .text, leftOut: "reported",
        [
          "reported": [
            "x", "two words", "<script>alert(1)</script>", "'; DROP TABLE reports; --",
            String(repeating: "\u{e9}", count: 100),
          ],
          "malformed": [
            "", " x", "x ", String(repeating: "\u{e9}", count: 100) + "x", "a\u{202e}b",
            "a\u{a0}b", "\u{301}a", "a\u{200b}b", "a\u{e000}", "\u{3164}",
            #"a\nb"#, #"a\u001b[2Jb"#, #"a\u0000"#,
          ],
        ]),
    ]
  }

  /// Eve has one key, and it speaks already.
  /// Values of a hash or a key, and values that are neither.
  static let bytes = ["0", "f"].map { String(repeating: $0, count: 64) }
  static let noBytes = [
    String(repeating: "0", count: 62), String(repeating: "0", count: 63),
    String(repeating: "0", count: 66), String(repeating: "F", count: 64), "0x00",
  ]

  private static func keys(_ scene: FieldScene) -> [FieldRow] {
    [
      FieldRow(
        "deviceInvited.invitation", .text, ["deviceInvited": bytes, "malformed": noBytes]),
      FieldRow(
        "keyAdded.code", .text,
        [
          "alreadyRegistered": ["0123456789AZ", "ZZZZZZZZZZZZ"],
          "malformed": [
            "0123456789A", "0123456789AZ0", "0123456789az", "0123-4567-89AZ", "0123456789AU",
            "0123456789A\u{ff21}",
          ],
        ]),
      FieldRow(
        "keyAdded.device", .text, leftOut: "alreadyRegistered/malformed",
        [
          "alreadyRegistered": ["a", String(repeating: "a", count: 32)],
          "malformed": ["", String(repeating: "a", count: 33), "a b", "a\u{202e}b", "a\n"],
        ]),
      FieldRow("keyRemoved.key", .text, ["keyUnknown": bytes, "malformed": noBytes]),
      // Eve has just registered, so the first one counts at once. A third one within the hour would
      // be too many.
      FieldRow(
        "recoveryKeyNamed.key", .text,
        // All zeros is a point of small order, all ones are no canonical form of one.
        ["recoverySet": [String(repeating: "09", count: 32)], "malformed": noBytes + bytes]),
      // The proof is another key's then.
      FieldRow("playerRecovered.key", .text, ["badSignature": bytes, "malformed": noBytes]),
      FieldRow(
        "playerRecovered.proof", .text,
        [
          "notRecoverable": [Hex.encode(scene.recovered.proof)],
          "badSignature": bytes.map { $0 + $0 }, "malformed": noBytes + bytes,
        ]),
      .id("recoveryObjected.recovery", unknown: "noRecovery", nowhere: scene.nowhere),
      .id("recoveryWithdrawn.recovery", unknown: "notRecoverable", nowhere: scene.nowhere),
    ]
  }

  /// Events that only the service may send: every readable value gets `notPermitted`.
  private static func service(_ scene: FieldScene) -> [FieldRow] {
    func number(_ path: String, leftOut: String = "malformed", _ bad: [String] = []) -> FieldRow {
      let all = ["0", "1", "-1", "9007199254740992"]
      return FieldRow(
        path, .integer, leftOut: leftOut,
        ["notPermitted": all.filter { !(["-1"] + bad).contains($0) }, "malformed": ["-1"] + bad])
    }
    func id(_ path: String, leftOut: String = "malformed") -> FieldRow {
      .id(path, unknown: "notPermitted", leftOut: leftOut, nowhere: scene.nowhere)
    }
    return [
      number("ticked.queue", ["9007199254740992"]), number("ticked.time"),
      number("ticked.since", leftOut: "notPermitted"),
      id("mergeProposed.match"), id("mergeProposed.merged"),
      FieldRow("mergeProposed.why", .object, ["malformed": ["{}"]]),
      number("mergeProposed.why.ratingDistance"),
      number("mergeProposed.why.window", leftOut: "notPermitted"),
      number("mergeProposed.why.waited"),
      FieldRow(
        "mergeProposed.why.metLately", .flag, leftOut: "notPermitted",
        ["notPermitted": ["true", "false"]]),
      id("mergeProposed.why.merged", leftOut: "notPermitted"),
      id("deadlinePassed.match"), number("deadlinePassed.turn", ["0", "9007199254740992"]),
      number("deadlinePassed.deadlineAt"), id("deadlinePassed.gone", leftOut: "notPermitted"),
      id("recoveryDue.of"), id("recoveryDue.recovery"),
      FieldRow(
        "recoveryDue.key", .text,
        ["notPermitted": [String(repeating: "0", count: 64)], "malformed": noBytes]),
      number("recoveryDue.dueAt"), id("ruled.match"),
      FieldRow(
        "ruled.verdict", .text,
        ["notPermitted": ["ended", "annulled"], "malformed": ["Annulled", "won"]]),
      FieldRow(
        "ruled.reason", .text,
        [
          "notPermitted": ["cheating", "misconduct", "agreement", "fault"],
          "malformed": ["timedOut", "Fault"],
        ]),
    ]
  }
}
