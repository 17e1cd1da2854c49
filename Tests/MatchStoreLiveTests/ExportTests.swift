import CubeLexicon
import CustomDump
import LibPQ
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import Conformance
@testable import MatchStoreLive

@Suite("The export of an account")
struct ExportTests {
  @Test("Every section is read from its table, and a player who is gone has left only some")
  func sections() throws {
    try LiveStores.run { stores in
      let lab = StoreLab(.live(try stores.connect()))
      let operators = OperatorStore.live(try stores.connect(), by: "olga")
      try lab.register(.ann, .bob, .cyd)
      try fill(lab, stores)

      /// The rows of each section that has any.
      func export(_ player: TestPlayer) throws -> [AccountSection: [String]] {
        let pairs = try AccountSection.allCases.map { section in
          let rows = try operators.export(player.id, section, 0)
          #expect(try operators.export(player.id, section, rows.count) == [], "\(section)")
          return (section, rows)
        }
        return Dictionary(uniqueKeysWithValues: pairs).filter { !$1.isEmpty }
      }
      let all = try export(.ann)
      #expect(AccountSection.allCases.filter { all[$0] == nil } == [])
      for (section, word) in [
        (AccountSection.player, #""name": "Ann""#), (.devices, #""token": "secret""#),
        (.blocks, "\(TestPlayer.cyd.id)"), (.reports, #""reason": "name""#),
        (.rating, "\(TestPlayer.ann.id)"), (.dailyScores, #""mode": "timed""#),
      ] {
        #expect(all[section]?.count == 1 && all[section]?[0].contains(word) == true, "\(section)")
      }
      // The player is shown the same rows without the addresses of devices.
      let reader = ReaderStore.live(try stores.connect())
      for section in AccountSection.allCases {
        let shown = try reader.account(TestPlayer.ann.id, section, 0)
        if section == .devices {
          #expect(shown.count == 1 && shown[0].contains(#""name": "phone""#))
          for column in section.hiddenColumns {
            #expect(!shown[0].contains("\"\(column)\""))
            #expect(all[section]?[0].contains("\"\(column)\"") == true)
          }
        } else {
          expectNoDifference(shown, all[section])
        }
        #expect(try reader.account(TestPlayer.ann.id, section, shown.count) == [])
      }
      // Another player's rows are no part of it.
      expectNoDifference(Set(try export(.cyd).keys), [.player, .keys])

      #expect(try operators.removePlayer(TestPlayer.ann.id, ActRow(act: "test", detail: "")))
      let left = try export(.ann)
      expectNoDifference(
        AccountSection.allCases.filter { left[$0] == nil },
        [.deviceInvitations, .recovery, .settings, .devices, .blocks])
      #expect(left[.player]?[0].contains(#""name": "gone""#) == true)
    }
  }

  @Test("Every table with a player's rows is a section, or is left out for a reason")
  func tables() throws {
    try LiveStores.run { stores in
      let rows = try stores.connect().query(
        """
        SELECT DISTINCT c.relname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
          AND NOT c.relispartition AND a.attname IN ('player', 'from_player')
        """)
      let exported = AccountSection.allCases.map {
        SQL.export($0, isWhole: true).text.split { $0.isWhitespace }.joined(separator: " ")
      }
      let others = try rows.map { try $0[0].text }.filter { table in
        !exported.contains { text in
          text.contains("FROM \(table) ") || text.contains("JOIN \(table) ")
        }
      }
      expectNoDifference(
        others.sorted(),
        [
          // They go within days.
          "events", "held_jobs", "outbox", "rematch_offers", "seats_left",
          "stranger_invitations",
          // For checks of jobs, as long as these are kept.
          "owed_jobs",
          // For operators, who look into them one by one.
          "dead_events",
          // A running match has the same.
          "open_seats",
          // The player is to be counted anew.
          "ranking_queue", "rating_queue",
        ].sorted())
    }
  }

  @Test("A reader that cannot read one table answers everything else")
  func missingRight() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      try StoreLab(.live(try stores.connect())).register(.ann)
      try connection.script("ALTER TABLE reports RENAME TO reports_elsewhere")
      let reader = ReaderStore.live(connection)
      let error = #expect(throws: StoreError.self) {
        try reader.account(TestPlayer.ann.id, .reports, 0)
      }
      #expect(error?.concernsTheStore == false)
      #expect(try reader.account(TestPlayer.ann.id, .player, 0).count == 1)
      try connection.rollback()
      try connection.script("ALTER TABLE reports_elsewhere RENAME TO reports")
      #expect(try reader.account(TestPlayer.ann.id, .reports, 0) == [])
    }
  }

  /// Lets Ann do everything of which a row is kept.
  private func fill(_ lab: StoreLab, _ stores: LiveStores) throws {
    let day = DailyKey(day: Day(containing: lab.now), mode: .timed)
    let scheduler = SchedulerStore.live(try stores.connect())
    _ = try scheduler.keepDaily(Dealer.daily(day, lexicon: .everyWord, secret: .test))
    try lab.act(.dailyStarted(day), by: .ann)
    let daily = MatchID(daily: day, player: TestPlayer.ann.id)
    try lab.playWord(in: daily, by: .ann)
    try lab.act(.matchForfeited(daily), by: .ann)
    while try scheduler.rank(100) {}
    _ = try lab.begin()
    let over = try lab.lose()
    try lab.act(.reported(over, .name), by: .ann)
    let rater = RaterStore.live(try stores.connect())
    try rater.finish(try rater.take(10).rated(), [])

    let phone = try #require(DeviceName("phone"))
    try lab.act(
      .deviceRegistered(Device(name: phone, token: "secret", permission: .authorized)), by: .ann)
    try lab.act(.deviceInvited(DeviceCode(random: 1).hash(at: .test)), by: .ann)
    try lab.act(.recoveryKeyNamed(TestPlayer("words", seedByte: 0x60).key), by: .ann)
    try lab.act(.playerBlocked(TestPlayer.cyd.id), by: .ann)
    try lab.act(.settingsChanged(SettingsChange(isBot: true, isLeaving: true)), by: .ann)
    let push = PushStore.live(try stores.connect())
    let job = PushJob(id: PushJobID(rawValue: 1), kind: .matchEnded, player: TestPlayer.ann.id)
    try push.record(.init([.init(job, .delivered)]))
  }
}
