import CubistBasics
import Testing

@testable import MatchCore

@Suite("Times and ways of notifications")
struct PushPreferencesTests {
  /// Each wish of a change by itself, and its opposite.
  static let changes: [PushChange] = [
    PushChange(timeZone: TimeZoneName("Europe/Berlin").map { .set($0) }),
    PushChange(timeZone: .removed), PushChange(language: .german), PushChange(language: .english),
    PushChange(quietHours: hours("22:00", "07:30", .dropped).map { .set($0) }),
    PushChange(quietHours: .removed), PushChange(isBundled: false), PushChange(isBundled: true),
    PushChange(takesNudges: false), PushChange(takesNudges: true),
    PushChange(digest: MinuteOfDay("08:00").map { .set($0) }), PushChange(digest: .removed),
    PushChange(review: .set(.sunday)), PushChange(review: .removed),
  ]

  private static func hours(
    _ from: String, _ until: String, _ late: QuietHours.Late
  ) -> QuietHours? {
    guard let from = MinuteOfDay(from), let until = MinuteOfDay(until) else { return nil }
    return QuietHours(from: from, until: until, late: late)
  }

  @Test("A merged change does what its parts do one after another, over 2,000 random orders")
  func merging() {
    var random = SplitMix64(state: 23)
    for _ in 0..<2_000 {
      var (merged, preferences) = (PushChange(), PushPreferences())
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let change = PushPreferencesTests.changes.randomElement(using: &random) ?? PushChange()
        merged.merge(change)
        preferences.apply(change)
      }
      var again = PushPreferences()
      again.apply(merged)
      #expect(again == preferences)
    }
  }

  @Test("A change is empty without a wish, and only some wishes move the digest")
  func moving() {
    #expect(PushChange().isEmpty && !PushChange().movesDigest && SettingsChange().isEmpty)
    for change in PushPreferencesTests.changes {
      #expect(!change.isEmpty && !SettingsChange(push: change).isEmpty)
      let isStill =
        change.language != nil || change.isBundled != nil || change.takesNudges != nil
      #expect(change.movesDigest == !isStill)
    }
    #expect(!PushPreferences().hasLocalTimes && PushPreferences(review: .monday).hasLocalTimes)
    #expect(PushPreferences(digest: MinuteOfDay(0)).hasLocalTimes)
    let hours = MinuteOfDay(1_320).flatMap { from in
      MinuteOfDay(420).flatMap { QuietHours(from: from, until: $0) }
    }
    #expect(PushPreferences(quietHours: hours).hasLocalTimes)
  }

  @Test("Every minute of a day is read from its text, and no other text is one")
  func minutes() {
    for number in 0..<1_440 {
      let minute = MinuteOfDay(number)
      #expect(minute?.number == number && minute.flatMap { MinuteOfDay($0.description) } == minute)
    }
    #expect(MinuteOfDay(-1) == nil && MinuteOfDay(1_440) == nil && MinuteOfDay(.max) == nil)
    for text in ["", "7:30", "24:00", "07:60", "07.30", "07:30 ", "0a:00", "-1:00", "٠٧:٣٠"] {
      #expect(MinuteOfDay(text) == nil, "\(text)")
    }
    #expect(Weekday.allCases.map(\.number) == Array(1...7))
    #expect(Weekday.allCases.allSatisfy { Weekday(number: $0.number) == $0 })
    #expect(Weekday(number: 0) == nil && Weekday(number: 8) == nil)
    #expect(PushPreferencesTests.hours("22:00", "22:00", .silent) == nil)
  }

  @Test("A time zone's name leads out of no folder")
  func timeZones() {
    for text in ["UTC", "Europe/Berlin", "Etc/GMT+1", "America/Port-au-Prince"] {
      #expect(TimeZoneName(text)?.text == text)
    }
    for text in [
      "", "/etc", "../x", "a.b", "a b", "1", "_a", "é", String(repeating: "a", count: 65), "/",
      "a/", "a//b", "Europe//Berlin", "Europe/Berlin/",
    ] {
      #expect(TimeZoneName(text) == nil, "\(text)")
    }
  }

  @Test("An endpoint is an https URL with a host, and nothing before the host")
  func endpoints() {
    let long = "https://push.example/" + String(repeating: "x", count: 1_003)
    for text in [
      "https://push.example", "https://push.example:443/a?b=c", "https://a_b-c.example/",
      "https://[2001:db8::1]:65535/", long,
    ] { #expect(WebPushSubscription.isEndpoint(text), "\(text)") }
    for text in [
      "", "https://", "https:///a", "http://a/", "HTTPS://a/", "https://a@b/", "https://a:b@c/",
      "https://a/#b", "https://a/ b", "https://a/é", "https://a\\b/", "https://a:/", "https://a:0/",
      "https://a:65536/", "https://:1/", "https://[]/", "https://[::1", "https://[::1]a/",
      "https://[::g]/", "https://%31/", long + "x", "https://a/\u{7f}", "https://a/\n",
    ] { #expect(!WebPushSubscription.isEndpoint(text), "\(text)") }
    let (key, secret) = ([4] + [UInt8](repeating: 1, count: 64), [UInt8](repeating: 2, count: 16))
    func isTaken(_ key: [UInt8], _ secret: [UInt8]) -> Bool {
      WebPushSubscription(endpoint: "https://a/", key: key, secret: secret) != nil
    }
    #expect(isTaken(key, secret))
    #expect(!isTaken([2] + key.dropFirst(), secret) && !isTaken(key.dropLast(), secret))
    #expect(!isTaken(key + [0], secret) && !isTaken([], secret))
    #expect(!isTaken(key, []) && !isTaken(key, secret + [0]) && !isTaken(key, secret.dropLast()))
  }

  @Test("A token of Apple's has 64 to 200 digits in lower case")
  func tokens() {
    #expect(Device.isAPNsToken(String(repeating: "0", count: 64)))
    #expect(Device.isAPNsToken(String(repeating: "f", count: 200)))
    for text in [
      "", String(repeating: "0", count: 63), String(repeating: "0", count: 201),
      String(repeating: "A", count: 64), String(repeating: "g", count: 64),
      String(repeating: "é", count: 64),
    ] { #expect(!Device.isAPNsToken(text)) }
  }

  @Test("News of a device are forgotten where its way changes, and kept where it does not")
  func registering() throws {
    let name = try #require(DeviceName("phone"))
    let answer = RegisteredDevice.Answer(at: Instant(microseconds: 2), text: "201")
    let first = Device(name: name, token: "a", permission: .authorized)
    let known = RegisteredDevice(first, arrivedAt: Instant(microseconds: 1), answer: answer)
    var again = known
    again.register(Device(name: name, token: "a", permission: .denied))
    #expect(again.arrivedAt == known.arrivedAt && again.answer == answer)
    #expect(again.device.permission == .denied)
    for route in [Device.Route.app(token: nil), .app(token: "b"), .apns(token: "a")] {
      var other = known
      other.register(Device(name: name, route: route, permission: .authorized))
      #expect(other.arrivedAt == nil && other.answer == nil && other.device.route == route)
    }
    let long = RegisteredDevice.Answer(
      at: answer.at, text: "a" + String(repeating: "\u{1f642}\u{301}", count: 900))
    #expect(long.text.utf8.count <= RegisteredDevice.Answer.byteLimit)
  }

  @Test("Bytes have one form in a URL, as RFC 4648 has it")
  func base64() {
    for (text, coded) in [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
      ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"), ("\u{fb}\u{ff}", "w7vDvw"),
    ] {
      #expect(Base64.encodeForURL(Array(text.utf8)) == coded)
      #expect(Base64.decodeForURL(coded) == Array(text.utf8))
    }
    #expect(Base64.encodeForURL([0xfb, 0xff, 0xbe]) == "-_--")
    for text in ["Zg==", "Zg=", "Zh", "Z", "+_--", "-/--", "Z g", "Zm9vY", "é"] {
      #expect(Base64.decodeForURL(text) == nil, "\(text)")
    }
    var random = SplitMix64(state: 5)
    for count in 0..<300 {
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      #expect(Base64.decodeForURL(Base64.encodeForURL(bytes)) == bytes)
    }
  }
}
