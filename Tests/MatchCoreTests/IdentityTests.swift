import CubeRules
import CubistBasics
import Testing

@testable import MatchCore

// The values of these vectors were computed apart from this code, with SHA-256 and HMAC of another
// library.

@Suite("Names of things")
struct IdentityTests {
  let eventID = EventID(at: .noon, random: 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef)
  var match: MatchID { MatchID(askedBy: TestPlayer.ann.id, event: eventID) }
  let daily = DailyKey(day: .first)

  @Test("An event id is the UUIDv7 of a time and random bits")
  func eventIDs() {
    #expect(eventID.description == "019de368-f600-7def-8123-456789abcdef")
    #expect(eventID.time == .noon)
    #expect(eventID.isVersion7)
    #expect(EventID("019DE368-F600-7DEF-8123-456789ABCDEF") == eventID)
  }

  @Test("A time before 1970 or beyond 48 bits makes an event id all the same")
  func eventIDsAtTheEnds() {
    #expect(EventID(at: Instant(microseconds: .min), random: 0).time.microseconds == 0)
    #expect(EventID(at: Instant(microseconds: .max), random: .max).isVersion7)
    #expect(EventID(rawValue: .max).time.microseconds == 281_474_976_710_655_000)
  }

  @Test("A player id comes from the first key")
  func players() {
    #expect(TestPlayer.ann.id.description == "319c8502-3d28-cee1-b077-2bd04a630301")
  }

  @Test("A match id comes from asker and event, from the old match, or from the day")
  func matches() {
    #expect(match.description == "019de368-f600-b909-f014-bdd847c6f31d")
    #expect(MatchID(successorOf: match).description == "019de368-f600-056d-def4-165145a40212")
    #expect(
      MatchID(daily: daily, player: TestPlayer.ann.id).description
        == "019de0d5-c800-bb88-eb86-fe1abd22cd70")
  }

  @Test("A push job's id comes from its cause, its kind and its player")
  func pushJobs() {
    let event = Event(
      service: .test, id: eventID, player: TestPlayer.ann.id, action: .matchForfeited(match))
    let job = PushJob(
      .yourTurn, to: TestPlayer.ann.id, match: match, turn: 2, causedBy: event)
    #expect(job.id.description == "43460f81-4236-2b9a-c7aa-a8b982e94e56")
    #expect(job.collapseKey(opponent: TestPlayer.bob.id) == "match-\(match)")
    let ready = PushJob(dailyReady: daily, to: TestPlayer.ann.id)
    #expect(ready.id.description == "b92233aa-493f-7ea0-02f2-5aacfc39774c")
    #expect(ready.collapseKey(opponent: nil) == "daily-2026-05-01")
    let invited = PushJob(.invited, to: TestPlayer.ann.id, match: match, causedBy: event)
    #expect(
      invited.collapseKey(opponent: TestPlayer.bob.id) == "invited-\(TestPlayer.bob.id)")
    #expect(invited.collapseKey(opponent: nil) == "match-\(match)")
    let account = PushJob(account: TestPlayer.ann.id, causedBy: event)
    #expect(account.match == nil && account.collapseKey(opponent: nil) == "account")
    let ids = PushJob.Kind.allCases.flatMap { kind in
      [TestPlayer.ann, .bob].map {
        PushJob(kind, to: $0.id, match: match, causedBy: event).id
      }
    }
    #expect(Set(ids).count == ids.count)
  }

  @Test("An entry's hash covers the chain so far, position, time, key, signature and payload")
  func entryHash() {
    let previous = Hash(bytes: Array(0..<32))!
    let signed = SignedPayload(
      key: TestPlayer.ann.key, signature: Array(repeating: 0x51, count: 64),
      payload: Array(#"{"v":1}"#.utf8))
    let entry = Entry(
      after: previous, position: 3, acceptedAt: .noon.adding(microseconds: 7), signed: signed)
    #expect(
      entry.hash.description
        == "3ac7b648f76320779bd00ebdfa209b263da4f2a6d27a70fef116e31b96ade7bd")
  }

  @Test("Invitation codes and puzzle seeds come from the service's secret")
  func secrets() {
    #expect(ShareCode(invitationTo: match, secret: .test).text == "B1M8C33D")
    #expect(ServiceSecret.test.puzzleSeed(for: match) == 0xe4af_a45a_43b6_58df)
    #expect(ServiceSecret.test.puzzleSeed(for: daily) == 0x057a_6d3b_1b71_712c)
    #expect(ServiceSecret(bytes: Array(repeating: 1, count: 15)) == nil)
    let other = ServiceSecret(bytes: Array(repeating: 1, count: 16))!
    #expect(ShareCode(invitationTo: match, secret: other).text != "B1M8C33D")
  }

  @Test("A turn's fingerprint is the FNV-1a of its notation")
  func fingerprints() {
    #expect(Match.fingerprint(of: moves("-222", "122L 222L")) == 0x3c6b_3405_4a6a_479d)
    #expect(Match.fingerprint(of: moves("-222")) != Match.fingerprint(of: moves("-221")))
  }

  @Test("Identifiers are read as they are printed, and nothing else is")
  func identifiers() {
    #expect(PlayerID(TestPlayer.ann.id.description) == TestPlayer.ann.id)
    #expect(PlayerID(bytes: TestPlayer.ann.id.bytes) == TestPlayer.ann.id)
    for text in [
      "", "319c8502", "319c85023d28cee1b0772bd04a630301", "319c8502-3d28-cee1-b077-2bd04a63030g",
      "319c8502-3d28-cee1-b077-2bd04a6303011", "319c8502x3d28-cee1-b077-2bd04a630301",
      "３19c8502-3d28-cee1-b077-2bd04a6303",
    ] {
      #expect(PlayerID(text) == nil, "\(text)")
    }
    #expect(PlayerID(bytes: [1, 2]) == nil)
    #expect(PlayerID(rawValue: 1) < PlayerID(rawValue: 2))
  }

  @Test("Keys and hashes have 32 bytes, in hexadecimal 64 digits of either case")
  func bytes() {
    #expect(PublicKey(bytes: [UInt8](repeating: 0, count: 31)) == nil)
    #expect(PublicKey(bytes: [UInt8](repeating: 0, count: 33)) == nil)
    let text = String(repeating: "0aF9", count: 16)
    #expect(Hash(text)?.description == text.lowercased())
    for text in ["", "0a", String(repeating: "x", count: 64), String(repeating: "0", count: 66)] {
      #expect(Hash(text) == nil)
    }
    #expect(Hex.decode("0") == nil)
  }

  @Test("A player's name has 3 to 16 of A–Z a–z 0–9 _ -, and a key without case")
  func playerNames() {
    for text in ["Ann", "a-b", "A_1", "0123456789abcdef", "---"] {
      #expect(PlayerName(text)?.text == text)
    }
    for text in ["", "ab", "0123456789abcdefg", "a b", "Änn", "ann\n", "ann\0", "a.b", "ａnn"] {
      #expect(PlayerName(text) == nil, "\(text)")
    }
    #expect(PlayerName("AnN")?.key == PlayerName("aNn")?.key)
  }

  @Test("A code has 4 to 16 of A–Z and 0–9, in either case")
  func shareCodes() {
    #expect(ShareCode("ab12")?.text == "AB12")
    #expect(ShareCode("0123456789ABCDEF")?.text == "0123456789ABCDEF")
    for text in ["", "abc", "0123456789ABCDEFG", "AB 2", "AB-12", "ßabc", "ﬁne", "ıabc"] {
      #expect(ShareCode(text) == nil, "\(text)")
    }
  }

  @Test(
    "A code is read as people type it: letters that look like digits, case, spaces and hyphens",
    arguments: ["7K3Q01M9", "7k3qoim9", " 7K3Q-OLM9 ", "7K3Q 0lM9", "7-K-3-Q-o-1-m-9"])
  func typed(text: String) {
    #expect(ShareCode(typed: text)?.text == "7K3Q01M9")
  }

  @Test("What has too few or too many characters, or others, is no code however it is typed")
  func notTyped() {
    for text in ["", " - ", "a-b-c", "0123456789ABCDEFG", "0123 4567 89AB CDEF G", "AB_12", "ß12"] {
      #expect(ShareCode(typed: text) == nil, "\(text)")
    }
  }

  @Test(
    "The code is found in a link, as people paste it",
    arguments: [
      ("https://play.example.org/g/7K3QX2M9", CodeLink.Target.invitation),
      (" <https://play.example.org:8443/g/7k3q-x2m9>. ", .invitation),
      ("play.example.org/g/7K3QX2M9/?from=chat#top", .invitation),
      ("https://play.example.org/s/7K3QX2M9", .shared),
      ("https://play.example.org/7K3QX2M9", .unknown), ("7k3q x2m9", .unknown),
    ])
  func link(text: String, target: CodeLink.Target) {
    #expect(CodeLink(pasted: text).target == target)
    #expect(ShareCode(pasted: text)?.text == "7K3QX2M9")
  }

  @Test(
    "A link without a code has none, not even its host",
    arguments: ["https://PLAY", "https://PLAY/", "https://play.example.org/g/", "/", "#add=", ""])
  func noCode(text: String) {
    #expect(ShareCode(pasted: text) == nil)
    #expect(DeviceCode(pasted: text) == nil)
  }

  @Test("The code of a device is found in its link")
  func deviceLink() {
    let link = CodeLink(pasted: "https://play.example.org/#add=K3F79QMN2XVB")
    #expect(link.target == .device)
    #expect(DeviceCode(pasted: "https://play.example.org/#add=K3F7-9QMN-2XVB")?.text == link.code)
  }

  @Test("Any code that the service makes is read back from any way of typing it", arguments: 0..<20)
  func typedAnyhow(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let match = MatchID(rawValue: UInt128(random.next()) << 64 | UInt128(random.next()))
    for code in [
      ShareCode(invitationTo: match, secret: .test), ShareCode(sharing: match, secret: .test),
    ] {
      var typed = ""
      for character in code.text {
        let alike: [Character] =
          switch character {
          case "0": ["0", "O", "o"]
          case "1": ["1", "I", "i", "L", "l"]
          default: [character, Character(character.lowercased())]
          }
        typed.append(alike[Int(random.next() % UInt64(alike.count))])
        typed += ["", "", " ", "-", " - "][Int(random.next() % 5)]
      }
      #expect(ShareCode(typed: typed) == code, "\(typed), seed \(seed)")
      let joined = typed.filter { $0 != " " && $0 != "-" }
      #expect(ShareCode(joined)?.asMade == code, "\(joined), seed \(seed)")
    }
  }
}

@Suite("Instants and days")
struct InstantTests {
  @Test(
    "Instants are printed in UTC with milliseconds",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000_000, "2000-02-29T00:00:00.000Z"),
      (253_402_300_799_999_999, "9999-12-31T23:59:59.999Z"),
      (-1, "1969-12-31T23:59:59.999Z"), (1_777_636_800_123_456, "2026-05-01T12:00:00.123Z"),
      (Int64.max, "294247-01-10T04:00:54.775Z"),
      (Int64.min, "-290308-12-21T19:59:05.224Z"),
    ] as [(Int64, String)])
  func descriptions(microseconds: Int64, text: String) {
    #expect(Instant(microseconds: microseconds).description == text)
  }

  @Test("Adding and subtracting saturate")
  func saturation() {
    let (first, last) = (Instant(microseconds: .min), Instant(microseconds: .max))
    #expect(last.adding(seconds: 1) == last)
    #expect(last.adding(microseconds: 1) == last)
    #expect(first.adding(seconds: -1) == first)
    #expect(Instant.noon.adding(seconds: .max) == last)
    #expect(Instant.noon.adding(seconds: .min) == first)
    #expect(last.microseconds(since: first) == .max)
    #expect(first.microseconds(since: last) == .min)
    #expect(Instant.noon.adding(seconds: 2).microseconds(since: .noon) == 2_000_000)
  }

  @Test("Every day from 1970 to 9999 is read as it is printed, one after another")
  func days() {
    var day = Day(number: 0)
    #expect(day.description == "1970-01-01")
    var previous = ""
    while day.number <= 2_932_896 {
      let text = day.description
      if day.number.isMultiple(of: 97) || text.hasSuffix("-02-29") || text.hasSuffix("-12-31") {
        #expect(Day(text) == day)
        #expect(Day(containing: day.start) == day)
        #expect(Day(containing: day.end.adding(microseconds: -1)) == day)
        #expect(previous < text)
        previous = text
      }
      day = day.next
    }
    #expect(Day(number: 2_932_896).description == "9999-12-31")
    #expect(Day(number: 11_016).description == "2000-02-29")
  }

  @Test("A text that is no day is not read")
  func badDays() {
    for text in [
      "", "2026-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-01-32", "1969-12-31",
      "26-01-01", "2026-1-1", "2026-01-01 ", "+026-01-01", "2026-01-01-", "２026-01-01",
      "10000-01-01",
    ] {
      #expect(Day(text) == nil, "\(text)")
    }
  }

  @Test("Days at the ends of their range do not trap")
  func extremeDays() {
    let (first, last) = (Day(number: .min), Day(number: .max))
    #expect(first.previous == first)
    #expect(last.next == last)
    #expect(last.end.microseconds == .max)
    #expect(first.start.microseconds == .min)
    #expect(Day(containing: Instant(microseconds: -1)).description == "1969-12-31")
    let id = MatchID(daily: DailyKey(day: first), player: TestPlayer.ann.id)
    #expect(id != MatchID(daily: DailyKey(day: last), player: TestPlayer.ann.id))
  }
}
