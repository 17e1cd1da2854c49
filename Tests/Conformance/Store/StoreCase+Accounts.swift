import CubeLexicon
import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

extension StoreCase {
  /// Rows that are kept of players.
  static let accounts: [StoreCase] = [
    StoreCase("The rows of a player come section by section, in order, and nobody else's") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let player = TestPlayer.ann.id
      let day = DailyKey(day: Day(containing: lab.now), mode: .timed)
      _ = try stores.scheduler.keepDaily(
        Dealer.daily(day, lexicon: .everyWord, secret: .test))
      try lab.act(.dailyStarted(day), by: .ann)
      let daily = MatchID(daily: day, player: player)
      try lab.playWord(in: daily, by: .ann)
      try lab.act(.matchForfeited(daily), by: .ann)
      while try stores.scheduler.rank(100) {}
      let running = try lab.begin()
      let over = try lab.lose()
      try lab.act(.reported(over, .name), by: .ann)
      try stores.rater.finish(try stores.rater.take(10).rated(), [])
      for name in ["phone", "pad"] {
        let device = try #require(DeviceName(name))
        try lab.act(
          .deviceRegistered(Device(name: device, token: name, permission: .authorized)), by: .ann)
      }
      let code = DeviceCode(random: 1).hash(at: .test)
      try lab.act(.deviceInvited(code), by: .ann)
      try lab.act(.recoveryKeyNamed(TestPlayer("words", seedByte: 0x60).key), by: .ann)
      try lab.act(.playerBlocked(TestPlayer.cyd.id), by: .ann)
      try lab.act(.settingsChanged(SettingsChange(isBot: true, isLeaving: true)), by: .ann)
      let job = PushJob(id: PushJobID(rawValue: 1), kind: .matchEnded, player: player)
      let dropped = PushJob(id: PushJobID(rawValue: 2), kind: .matchEnded, player: player)
      try stores.push.record(.init([.init(job, .delivered), .init(dropped, .dropped)]))

      let games = try stores.reader.pastGames(
        .init(player: player, opponent: nil, before: nil, limit: 10))
      let own = ["\(player)"]
      // The day's own board, and a board of points for each window. Words come after the day.
      let places = Array(repeating: "daily", count: 1 + Leaderboard.Window.allCases.count)
      let expected: [AccountSection: (column: String, values: [String])] = [
        .player: ("name", ["Ann"]), .keys: ("key", ["\\x\(TestPlayer.ann.key)"]),
        .deviceInvitations: ("hash", ["\\x\(code)"]), .recovery: ("player", own),
        .settings: ("player", own), .devices: ("name", ["pad", "phone"]),
        .blocks: ("blocked", ["\(TestPlayer.cyd.id)"]), .reports: ("match", ["\(over)"]),
        .departure: ("player", own), .bot: ("player", own),
        .runningMatches: ("match", ["\(running)"]),
        .pastGames: ("match", games.reversed().map { "\($0.match)" }),
        .dailyScores: ("mode", ["timed"]),
        .soloScores: ("match", ["\(daily)"]), .boardPlaces: ("kind", places),
        .rating: ("player", own),
        .ratingResults: ("match", ["\(over)"]), .notifications: ("job", ["\(job.id)"]),
      ]
      #expect(games.count == 2)
      for section in AccountSection.allCases {
        let (column, values) = try #require(expected[section])
        let rows = try stores.reader.account(player, section, 0)
        let found = try rows.map { row in
          let object = try JSONReader.object(of: Array(row.utf8))
          for hidden in section.hiddenColumns { #expect(object[hidden] == nil) }
          return object[column]
        }
        expectNoDifference(found, values.map { .string($0) }, "\(section)")
        expectNoDifference(
          try stores.reader.account(player, section, 1), Array(rows.dropFirst()), "\(section)")
        #expect(
          try stores.reader.account(TestPlayer.cyd.id, section, 0).isEmpty
            == ![.player, .keys].contains(section), "\(section)")
      }
    }
  ]
}
