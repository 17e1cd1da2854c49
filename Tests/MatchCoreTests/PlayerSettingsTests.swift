import Testing

@testable import MatchCore

@Suite("Settings of a player")
struct PlayerSettingsTests {
  @Test("A change leaves the settings that it does not name, and the later of two holds")
  func changes() {
    var settings = PlayerSettings()
    let name = DisplayName("Ada L.")
    #expect(name != nil)
    let first = SettingsChange(
      displayName: name.map { .set($0) }, kinds: [.yourTurn: false, .invited: false])
    let second = SettingsChange(kinds: [.invited: true, .matchEnded: false])
    settings.apply(first)
    #expect(settings == PlayerSettings(displayName: name, muted: [.yourTurn, .invited]))
    settings.apply(second)
    let both = PlayerSettings(displayName: name, muted: [.yourTurn, .matchEnded])
    #expect(settings == both)
    settings.apply(SettingsChange(displayName: .removed))
    #expect(settings == PlayerSettings(muted: both.muted))
    settings.apply(SettingsChange())
    #expect(settings == PlayerSettings(muted: both.muted))

    var merged = first
    merged.merge(second)
    var again = PlayerSettings()
    again.apply(merged)
    #expect(again == both)
    #expect(SettingsChange().isEmpty && !first.isEmpty && !second.isEmpty)
  }

  // Failure: Refusal.botForGood: An account that is declared a bot's stays one.
  @Test(
    "An account is declared a bot's for good; a change that would unset that is refused by name")
  func bots() {
    var settings = PlayerSettings()
    settings.apply(SettingsChange(isBot: true))
    #expect(settings.isBot && !SettingsChange(isBot: true).isEmpty)
    settings.apply(SettingsChange(displayName: .removed))
    #expect(settings.isBot)
    let lab = MatchLab()
    let declared = SettingsChange(isBot: true)
    lab.send(lab.event(.settingsChanged(declared), by: .ann)) { $0.reply = .accepted(.noted) }
    lab.refuse(
      lab.event(.settingsChanged(SettingsChange(isBot: false)), by: .ann), .botForGood)
  }

  @Test("All that is seen was sent before the event, if that was judged more than a minute later")
  func seen() {
    let made = Instant(microseconds: 1_800_000_000_000_000)
    let event = Event(
      service: .test, id: EventID(at: made, random: 1), player: TestPlayer.ann.id,
      action: .inboxSeen(.all))
    // An id has milliseconds.
    for (seconds, isLate) in [(Int64(-300), false), (0, false), (60, false), (61, true)] {
      let now = made.adding(seconds: seconds)
      #expect(InboxSeen.end(of: event, now: now) == (isLate ? made : now), "\(seconds)")
    }
  }

  @Test("A set of kinds is stored and read again; each kind has a place of its own")
  func masks() {
    #expect(
      Set(PushJob.Kind.allCases.map { PushJob.Kind.mask([$0]) }).count
        == PushJob.Kind.allCases.count)
    #expect(PushJob.Kind.mask([]) == 0)
    #expect(PushJob.Kind.mask([.yourTurn, .dailyReady]) == 65)
    for kind in PushJob.Kind.allCases {
      let others = PushJob.Kind.allCases.filter { $0 != kind }
      #expect(PushJob.Kind.kinds(in: PushJob.Kind.mask(others)) == Set(others))
    }
    #expect(PushJob.Kind.kinds(in: .max) == Set(PushJob.Kind.allCases))
    for reminders in [true, false] {
      let settings = PlayerSettings(muted: [.invited], reminders: reminders)
      var read = PlayerSettings()
      read.setMask(settings.mask)
      #expect(read == settings)
      for kind in PushJob.Kind.allCases {
        let isWanted = settings.mask & PlayerSettings.mask(against: kind) == 0
        #expect(isWanted == settings.wants(kind))
        #expect(isWanted == (kind != .invited && (reminders || !kind.isReminder)))
      }
    }
    // Nobody keeps a player from hearing of the account.
    #expect(Set(PushJob.Kind.allCases).subtracting(PushJob.Kind.optional) == [.account, .test])
    #expect(PlayerSettings(muted: Set(PushJob.Kind.allCases), reminders: false).wants(.account))
    #expect(PlayerSettings.mask(against: .account) == 0)
    let change = SettingsChange(kinds: [.yourTurn: true, .invited: false], reminders: false)
    #expect(change.unwantedMask == PlayerSettings(muted: [.invited], reminders: false).mask)
    #expect(change.wantedMask == PushJob.Kind.mask([.yourTurn]))
    #expect(SettingsChange(reminders: true).wantedMask == PlayerSettings(reminders: false).mask)
    #expect(SettingsChange().wantedMask == 0 && SettingsChange().unwantedMask == 0)
  }

  @Test(
    "A display name can be seen, and nothing else",
    arguments: [
      ("A", true), ("Ada L.", true), ("Zoë ✨", true), ("李", true),
      (String(repeating: "x", count: 16), true), (String(repeating: "x", count: 17), false),
      (String(repeating: "e\u{301}", count: 16), true),
      (String(repeating: "1\u{fe0f}\u{20e3}", count: 10), true),
      (String(repeating: "1\u{fe0f}\u{20e3}", count: 11), false),
      ("", false), (" A", false), ("A ", false), ("a\nb", false), ("a\u{202e}b", false),
      ("a\u{0}", false),
      ("\u{a0}", false), ("\u{1b}[1m", false),
      (String(repeating: "👩‍👩‍👧‍👦", count: 6), false), ("☺️", true), ("e\u{301}", true),
      // Invisible characters.
      ("\u{3164}", false), ("\u{115f}", false), ("\u{ffa0}", false), ("\u{2800}", false),
      ("Ada\u{3164}", false), ("a\u{34f}b", false), ("a\u{e0100}", false), ("\u{180b}", false),
      // Characters that would be drawn over the text before them, or over the lines above.
      ("\u{301}a", false), ("\u{fe0f}", false),
      ("a" + String(repeating: "\u{301}", count: 12), false),
    ])
  func displayNames(text: String, isName: Bool) {
    #expect((DisplayName(text) != nil) == isName)
    #expect(DisplayName(text)?.text == (isName ? text : nil))
  }

  @Test("A longer name that an earlier build has stored is still read, but not taken again")
  func storedNames() {
    for count in [17, 32] {
      let name = String(repeating: "x", count: count)
      #expect(DisplayName(stored: name)?.text == name)
      #expect(DisplayName(name) == nil)
    }
    #expect(DisplayName(stored: String(repeating: "x", count: 33)) == nil)
    #expect(DisplayName(stored: "a\u{202e}b") == nil)
  }

  @Test("Devices have short plain names and tokens, and two permissions admit")
  func devices() {
    for text in ["a", "My-phone_2.0", String(repeating: "x", count: 32)] {
      #expect(DeviceName(text)?.text == text)
    }
    for text in ["", "my phone", "é", "a\n", String(repeating: "x", count: 33)] {
      #expect(DeviceName(text) == nil)
    }
    #expect(Device.isToken("x") && Device.isToken(String(repeating: "~", count: 512)))
    for text in ["", "a b", "é", "\u{7f}", String(repeating: "x", count: 513)] {
      #expect(!Device.isToken(text))
    }
    #expect(Device.Permission.allCases.filter(\.admits) == [.provisional, .authorized])
  }
}
