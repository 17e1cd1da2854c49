import CustomDump
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("Words of notifications")
struct PushWordsTests {
  private static func job(_ kind: PushJob.Kind, turn: Int? = nil) -> PushJob {
    PushJob(
      id: PushJobID(rawValue: 1), kind: kind, player: TestPlayer.ann.id, turn: turn,
      day: Day(containing: .noon))
  }

  private static func details(
    _ language: PushLanguage = .english, name: String? = nil
  ) -> PushStore.Details {
    PushStore.Details(
      opponent: name.map { .init(TestPlayer.bob.id, $0) },
      preferences: PushPreferences(language: language), readAt: .noon)
  }

  private static let nameless: Set<PushJob.Kind> = [
    .dailyReady, .dailyEndsSoon, .account, .digest, .weekInReview, .test,
  ]

  @Test(
    "Every kind has words in every language, with and without a name",
    arguments: PushJob.Kind.allCases, PushLanguage.allCases)
  func complete(kind: PushJob.Kind, language: PushLanguage) {
    let reasons: [MatchCore.Outcome.Reason?] = [nil, .declined]
    for reason in reasons {
      for turn in [nil, 1] {
        var named = Self.details(language, name: "Bob")
        named.reason = reason
        var unnamed = Self.details(language)
        unnamed.reason = reason
        let words = PushWords(Self.job(kind, turn: turn), named)
        #expect(words.body.contains("Bob") || Self.nameless.contains(kind))
        for words in [words, PushWords(Self.job(kind, turn: turn), unnamed)] {
          #expect(!words.title.isEmpty && !words.body.isEmpty)
          #expect(words.body.hasSuffix(".") && !words.title.hasSuffix("."))
          #expect(!"\(words)".contains("nil") && !words.body.contains("  "))
          #expect(!words.title.contains("Optional") && !words.body.contains("Optional"))
        }
      }
    }
  }

  @Test("The languages differ", arguments: PushJob.Kind.allCases)
  func languages(kind: PushJob.Kind) {
    let texts = PushLanguage.allCases.map {
      PushWords(Self.job(kind), Self.details($0, name: "Bob")).body
    }
    #expect(Set(texts).count == PushLanguage.allCases.count)
  }

  @Test("Dates, ranks and numbers stand as each language writes them")
  func numbers() {
    var english = Self.details()
    english.yesterday = .init(rank: 3, outOf: 41)
    english.waiting = .init(turns: 1)
    english.week = .init(played: 5, won: 2, bestPoints: 310)
    var german = english
    german.preferences.language = .german
    func body(_ kind: PushJob.Kind, _ details: PushStore.Details) -> String {
      PushWords(Self.job(kind), details).body
    }
    #expect(
      body(.dailyReady, english)
        == "The challenge of 2026-05-01 is there. Yesterday you were number 3 of 41.")
    #expect(
      body(.dailyReady, german)
        == "Die Aufgabe vom 1.5.2026 ist da. Gestern warst du auf Platz 3 von 41.")
    #expect(body(.digest, english) == "1 turn waits for you.")
    #expect(body(.digest, german) == "1 Zug wartet auf dich.")
    english.waiting = .init(turns: 12, invitations: 1, offers: 2)
    german.waiting = english.waiting
    #expect(
      body(.digest, english) == "12 turns, 1 invitation and 2 offers of a rematch wait for you.")
    #expect(
      body(.digest, german)
        == "12 Züge, 1 Einladung und 2 Angebote zur Revanche warten auf dich.")
    english.waiting = .init(invitations: 1, offers: 1)
    #expect(body(.digest, english) == "1 invitation and 1 offer of a rematch wait for you.")
    #expect(
      body(.weekInReview, english) == "Matches played: 5, won: 2. Your best game: 310 points.")
    #expect(
      body(.weekInReview, german)
        == "Gespielte Partien: 5, gewonnen: 2. Dein bestes Spiel: 310 Punkte.")
  }

  private static func bundle(
    _ names: [String?], _ kinds: [PushJob.Kind] = [.yourTurn], language: PushLanguage = .english,
    waiting: PushStore.Waiting? = nil
  ) throws -> PushNotification {
    let parts = names.enumerated().map { number, name in
      var details = details(language)
      details.opponent = name.map { .init(PlayerID(rawValue: UInt128(number + 100)), $0) }
      details.waiting = waiting
      return PushBundle.Part(
        PushJob(
          id: PushJobID(rawValue: UInt128(number)), kind: kinds[number % kinds.count],
          player: TestPlayer.ann.id, match: MatchID(rawValue: UInt128(number)), turn: 1),
        details, isSilent: false)
    }
    let bundles = PushBundle.bundles(of: parts)
    try #require(bundles.count == 1)
    return PushNotification(bundles[0])
  }

  @Test("Several turns come as one, in the singular and the plural of each language")
  func bundles() throws {
    let two = try Self.bundle(["Ann", "Bob"])
    #expect(two.title == "2 matches wait for you")
    #expect(two.body == "Ann and Bob wait for your move.")
    #expect(two.collapseKey == "turns")
    let five = try Self.bundle(
      ["Ann", "Bob", "Cyd", "Dan", "Eve"], waiting: .init(turns: 9, invitations: 3))
    #expect(five.title == "9 matches wait for you")
    #expect(five.body == "Ann, Bob, Cyd and 2 others wait for your move.")
    #expect(five.waiting == 12)
    let german = try Self.bundle(["Ann", "Bob", "Cyd", "Dan"], language: .german)
    #expect(german.title == "4 Partien warten auf dich")
    #expect(german.body == "Ann, Bob, Cyd und 1 anderer warten auf deinen Zug.")
    #expect(german.language == .german)
    #expect(try Self.bundle([nil, nil]).body == "It is your turn.")
    #expect(try Self.bundle([nil, "Bob"]).body == "Bob waits for your move.")
    #expect(
      try Self.bundle([nil, "Bob"], language: .german).body == "Bob wartet auf deinen Zug.")
  }

  @Test("News of several topics are counted by topic, the most important one first")
  func mixedNews() throws {
    let kinds: [PushJob.Kind] = [.matchEnded, .yourTurn, .invited, .matchEnded]
    let names = ["Ann", "Bob", "Cyd", "Dan"]
    let told = try Self.bundle(names, kinds, waiting: .init(turns: 3))
    #expect(told.title == "News from 4 matches")
    #expect(told.body == "It is your turn in 1 match. 1 invitation waits. 2 matches are over.")
    #expect(told.job.kind == .yourTurn && told.collapseKey == "news-\(told.job.id)")
    let german = try Self.bundle(names, kinds, language: .german)
    #expect(german.title == "Neues aus 4 Partien")
    #expect(
      german.body
        == "In 1 Partie bist du am Zug. 1 Einladung wartet. 2 Partien sind zu Ende.")
  }

  @Test("Ten matches that end within a minute are one notification")
  func manyEnds() throws {
    let told = try Self.bundle((1...10).map { "P\($0)" }, [.matchEnded])
    #expect(told.title == "10 matches are over")
    #expect(told.body == "They were against P1, P2, P3 and 7 others. See how it ended.")
    let german = try Self.bundle(["Ann", "Bob"], [.matchEnded], language: .german)
    #expect(german.title == "2 Partien sind zu Ende")
    #expect(german.body == "Sie gingen gegen Ann und Bob. Sieh nach, wie es ausging.")
  }

  @Test(
    "Every topic has words for several matches, alone and among others, in every language",
    arguments: PushJob.Kind.allCases.filter { $0.topic != nil }, PushLanguage.allCases)
  func everyTopic(kind: PushJob.Kind, language: PushLanguage) throws {
    let other: PushJob.Kind = kind.topic == .turn ? .matchEnded : .yourTurn
    for names in [["Ann", "Bob", "Cyd"], ["Ann", nil, nil], [nil, nil, nil]] as [[String?]] {
      for kinds in [[kind], [kind, other], [kind, kind, other]] {
        let told = try Self.bundle(names, kinds, language: language)
        #expect(!told.title.isEmpty && told.body.hasSuffix("."))
        #expect(!told.body.contains("  ") && !told.body.contains("Optional"))
        let isNamed = kinds.count == 1 && names[0] != nil
        #expect(told.body.contains("Ann") == isNamed)
      }
    }
  }

  @Test(
    "A hostile name changes nothing around it",
    arguments: [
      ("\u{202e}Bob", "Bob"), ("B\u{2066}o\u{2069}b", "Bob"), ("Bob\n\nYou won", "BobYou won"),
      ("\u{0}\u{7}\u{1b}[31mBob", "[31mBob"), ("\u{200b}\u{200d}\u{feff}", nil), ("", nil),
      ("   ", nil), ("\u{301}\u{302}", nil), ("\u{301}Bob", "Bob"), ("Bob\u{2028}x", "Bobx"),
      ("\u{2800}\u{3164}\u{115f}", nil), ("  Bob ", "Bob"), ("Bob 🎉", "Bob 🎉"),
      ("\u{e0041}Bob", "Bob"), ("\u{61c}\u{200e}\u{200f}Bob", "Bob"),
      ("דוד", "\u{2068}דוד\u{2069}"), ("Bob (محمد)", "\u{2068}Bob (محمد)\u{2069}"),
    ] as [(String, String?)])
  func hostileNames(name: String, shown: String?) {
    #expect(PushName(name)?.text == shown)
    for language in PushLanguage.allCases {
      let words = PushWords(Self.job(.invited), Self.details(language, name: name))
      let forbidden = words.body.unicodeScalars.filter {
        $0.properties.isBidiControl && $0 != "\u{2068}" && $0 != "\u{2069}"
          || $0.properties.generalCategory == .control
      }
      #expect(forbidden.isEmpty)
      let opened = words.body.unicodeScalars.count { $0 == "\u{2068}" }
      #expect(opened == words.body.unicodeScalars.count { $0 == "\u{2069}" } && opened <= 1)
      if shown == nil {
        #expect(words == PushWords(Self.job(.invited), Self.details(language)))
      }
    }
  }

  @Test("A name that is too long is cut between characters, and stacked marks are few")
  func longNames() throws {
    let long = try #require(PushName(String(repeating: "é", count: 500)))
    #expect(long.text == String(repeating: "é", count: 64) + "…")
    let stacked = try #require(PushName("a" + String(repeating: "\u{301}", count: 500)))
    #expect(stacked.text.unicodeScalars.count == 8)
    #expect(PushName(String(repeating: "\u{202e}", count: 100_000) + "Bob") == nil)
  }

  @Test("Any scalars at all make a name without controls, or none")
  func anyName() {
    let random = Randomness.seeded(3)
    for _ in 0..<2_000 {
      var name = ""
      for _ in 0..<(random.next() % 40) {
        let range: UInt64 = random.next().isMultiple(of: 2) ? 0x3000 : 0x11_0000
        if let scalar = Unicode.Scalar(UInt32(random.next() % range)) {
          name.unicodeScalars.append(scalar)
        }
      }
      guard let text = PushName(name)?.text else { continue }
      #expect(!text.isEmpty && text.count <= 67)
      for scalar in text.unicodeScalars where scalar != "\u{2068}" && scalar != "\u{2069}" {
        #expect(scalar.properties.generalCategory != .control)
        #expect(!scalar.properties.isBidiControl)
      }
    }
  }

  private static func single(
    _ kind: PushJob.Kind, isSilent: Bool = false,
    _ change: (inout PushStore.Details) -> Void = { _ in }
  ) throws -> PushNotification {
    var details = details(name: "Bob")
    change(&details)
    let part = PushBundle.Part(job(kind), details, isSilent: isSilent)
    return PushNotification(try #require(PushBundle.bundles(of: [part]).first))
  }

  @Test("A turn with little time wakes the device, one with much does not")
  func urgency() throws {
    func turn(_ seconds: Int64?) throws -> PushNotification.Urgency {
      try Self.single(.yourTurn) {
        $0.expiresAt = seconds.map { Instant.noon.adding(seconds: $0) }
      }.urgency
    }
    #expect(try turn(3_599) == .high)
    #expect(try turn(3_600) == .normal)
    #expect(try turn(nil) == .normal)
    for kind in [PushJob.Kind.account, .turnRunningOut, .nudged, .test] {
      #expect(try Self.single(kind).urgency == .high)
    }
    #expect(try Self.single(.weekInReview).urgency == .low)
    #expect(try Self.single(.nudged, isSilent: true).urgency == .normal)
  }

  @Test("Every notification has an end: the store's, or the standard time of its kind")
  func ends() throws {
    for kind in PushJob.Kind.allCases {
      let end = try #require(try Self.single(kind).expiresAt)
      #expect(end > .noon && end <= Instant.noon.adding(seconds: 28 * 86_400))
      let given = Instant.noon.adding(seconds: 77)
      let told = try Self.single(kind) { $0.expiresAt = given }
      #expect(told.expiresAt == given)
    }
    #expect(try Self.single(.dailyReady).expiresAt == Day(containing: .noon).end)
    #expect(try Self.single(.account).expiresAt == Instant.noon.adding(seconds: 28 * 86_400))
  }

  @Test("A notification of one job has the job's own key, text and devices")
  func alone() throws {
    let device = Device(
      name: try #require(DeviceName("phone")), token: "t", permission: .authorized)
    let told = try Self.single(.yourTurn, isSilent: true) { $0.devices = [device] }
    #expect(told.title == "Your turn")
    #expect(told.body == "Bob has played. The match waits for your move.")
    #expect(told.collapseKey == Self.job(.yourTurn).collapseKey(opponent: TestPlayer.bob.id))
    #expect(told.isSilent && told.devices == [device])
  }
}
