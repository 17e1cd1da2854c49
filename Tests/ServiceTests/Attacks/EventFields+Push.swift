import MatchCore

extension EventFields {
  /// When and how notifications come. The texts reach files of time zones and messages to
  /// strangers' servers.
  static func wishes() -> [FieldRow] {
    let badTimes = [
      "24:00", "7:30", "07:60", "07:30:00", "07.30", "0730", " 07:30", "07:30 ", "-7:30", "+7:30",
      "\u{660}\u{667}:\u{663}\u{660}", "0\u{301}7:30", "none",
    ]
    func hours(_ from: String, _ until: String, _ late: String) -> String {
      "{\"from\":\"\(from)\",\"until\":\"\(until)\",\"late\":\"\(late)\"}"
    }
    return [
      FieldRow(
        "settingsChanged.timeZone", .text, leftOut: "noted",
        [
          "noted": [
            "", "Europe/Berlin", "Etc/GMT+1", "A", "Mars/Olympus_Mons",
            String(repeating: "z", count: 64),
          ],
          "malformed": [
            String(repeating: "z", count: 65), "../../etc/passwd", "/etc/passwd", "Europe/../x",
            "Europe Berlin", ":UTC", "1/2", "_x", "Europe/Berlin\u{200b}", "\u{415}urope/Berlin",
            "a\\\\b", "%2e", "a//b", "Europe/",
          ],
        ]),
      FieldRow(
        "settingsChanged.language", .text, leftOut: "noted",
        ["noted": ["en", "de"], "malformed": ["EN", "fr", "en-GB", "e", "english"]]),
      FieldRow(
        "settingsChanged.quietHours", .object, leftOut: "noted",
        [
          "noted": [
            "false", hours("22:00", "07:30", "silent"), hours("00:00", "23:59", "dropped"),
          ],
          "malformed": [
            "true", "{}", hours("22:00", "22:00", "silent"), hours("", "", "silent"),
            #"{"from":"22:00"}"#,
          ],
        ]),
      FieldRow(
        "settingsChanged.quietHours.from", .text,
        ["noted": ["00:00", "23:59"], "malformed": badTimes + ["07:30"]]),
      FieldRow(
        "settingsChanged.quietHours.until", .text,
        ["noted": ["00:00", "23:59"], "malformed": badTimes + ["22:00"]]),
      FieldRow(
        "settingsChanged.quietHours.late", .text,
        ["noted": ["silent", "dropped"], "malformed": ["Silent", "never", "drop"]]),
      FieldRow(
        "settingsChanged.bundle", .flag, leftOut: "noted", ["noted": ["true", "false"]]),
      FieldRow(
        "settingsChanged.nudges", .flag, leftOut: "noted", ["noted": ["true", "false"]]),
      FieldRow(
        "settingsChanged.digest", .text, leftOut: "noted",
        ["noted": ["", "00:00", "23:59"], "malformed": badTimes]),
      FieldRow(
        "settingsChanged.review", .text, leftOut: "noted",
        [
          "noted": [""] + Weekday.allCases.map(\.rawValue),
          "malformed": ["Sunday", "sun", "7", "none", "weekday"],
        ]),
    ]
  }

  /// A browser's subscription. A client chooses the address that the service writes to.
  static func subscriptions() -> [FieldRow] {
    let long = "https://push.example/" + String(repeating: "x", count: 1_003)
    return [
      FieldRow(
        "deviceRegistered.route", .text,
        ["noted": ["webPush"], "malformed": ["app", "apns", "WebPush", "webpush", "fcm", "log"]]),
      FieldRow(
        "deviceRegistered.endpoint", .text,
        [
          "noted": [
            "https://push.example", "https://push.example:8443/?a=b&c", "https://[::1]/x",
            "https://127.0.0.1/x", long,
          ],
          "malformed": [
            long + "x", "http://push.example/x", "HTTPS://push.example/x", "//push.example/x",
            "push.example", "https://", "https:///x", "https://:443/x",
            "https://a:b@push.example/x",
            "https://a@push.example", "https://push.example/x#y", "https://push.example/a b",
            "https://push.example/\u{e9}", "https://pu\u{455}h.example/x", "https://push.example:/",
            "https://push.example:0/", "https://push.example:65536/", "https://push.example:8a/",
            "https://push.example:99999999999999999999/", "https://%31/x", "https://[::1",
            "https://[]/x", "https://[::1]x/", "https://[fe80::1%25eth0]/", "https://a\\\\b/",
            "https://a,b/", "file:///etc/passwd", "javascript:alert(1)",
            "https://push.example/x\\r\\nHost: a",
          ],
        ]),
      FieldRow(
        "deviceRegistered.key", .text,
        [
          "noted": ["B" + String(repeating: "A", count: 86)],
          "malformed": [
            // Compressed and hybrid points, another length, padding, other alphabets, spare bits.
            "A" + String(repeating: "A", count: 86), "B" + String(repeating: "A", count: 85),
            "B" + String(repeating: "A", count: 87), "B" + String(repeating: "A", count: 86) + "=",
            "B" + String(repeating: "A", count: 85) + "+",
            "B" + String(repeating: "A", count: 85) + "/",
            "B" + String(repeating: "A", count: 85) + "B",
            String(repeating: "04", count: 65), "Ag" + String(repeating: "A", count: 42),
          ],
        ]),
      FieldRow(
        "deviceRegistered.secret", .text,
        [
          "noted": [String(repeating: "A", count: 22), "_-_-_-_-_-_-_-_-_-_-_A"],
          "malformed": [
            String(repeating: "A", count: 21), String(repeating: "A", count: 23),
            String(repeating: "A", count: 24), String(repeating: "A", count: 22) + "==",
            String(repeating: "A", count: 21) + "B", "+" + String(repeating: "A", count: 21),
          ],
        ]),
    ]
  }
}
