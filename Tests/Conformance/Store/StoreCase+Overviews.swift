import CubeLexicon
import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

extension StoreCase {
  /// The versions of everything that concerns players.
  static let overviews: [StoreCase] = [
    StoreCase("An overview has each match with its version, as long as it is current or new") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let id = try lab.begin()
      #expect(try versions(of: .ann, stores) == [id: try lab.match(id)?.version])
      try lab.act(lab.turn(in: try #require(try lab.match(id))), by: .ann)
      for player in [TestPlayer.ann, .bob] {
        #expect(try versions(of: player, stores) == [id: try lab.match(id)?.version])
      }
      #expect(try versions(of: .cyd, stores) == [:])
      // An invitation concerns both, and neither once it is declined.
      let asked = try lab.event(
        .matchRequested(
          MatchRequest(opponent: .player(TestPlayer.cyd.id), turnLimitSeconds: 100)), by: .ann)
      try lab.send([asked])
      let invitation = asked.newMatch
      #expect(try versions(of: .ann, stores).keys.sorted() == [id, invitation].sorted())
      #expect(try versions(of: .cyd, stores) == [invitation: 1])
      try lab.act(.invitationDeclined(invitation), by: .cyd)
      #expect(try versions(of: .cyd, stores) == [:])
      // A match that has ended stays, and its version rises with an offer of a rematch.
      try lab.act(.matchForfeited(id), by: .ann)
      let ended = try #require(try lab.match(id)?.version)
      #expect(try versions(of: .bob, stores) == [id: ended])
      try lab.act(.rematchRequested(id), by: .bob)
      #expect(try versions(of: .ann, stores) == [id: ended + 1])
      try lab.act(.rematchRequested(id), by: .ann)
      let successor = MatchID(successorOf: id)
      #expect(try versions(of: .ann, stores).keys.sorted() == [id, successor].sorted())
      // The newest comes first, and one question is about many players.
      let all = try stores.reader.overviews(
        [TestPlayer.ann, .bob, .cyd, .ann].map(\.id) + [PlayerID(rawValue: 77)])
      #expect(all.count == 4)
      #expect(all[TestPlayer.ann.id] == all[TestPlayer.bob.id].map { $0 })
      let ids = all[TestPlayer.ann.id]?.matches.map(\.match) ?? []
      expectNoDifference(ids, ids.sorted(by: >))
      #expect(all[PlayerID(rawValue: 77)] == all[TestPlayer.cyd.id])
    },
    StoreCase("Of ended matches an overview has the last twenty") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      var ended: [MatchID] = []
      for _ in 0..<(Overview.endedLimit + 2) {
        let id = try lab.begin()
        try lab.act(.matchForfeited(id), by: .bob)
        ended.append(id)
      }
      let running = try lab.begin()
      let found = try versions(of: .ann, stores)
      expectNoDifference(
        found.keys.sorted(), (ended.suffix(Overview.endedLimit) + [running]).sorted())
    },
    StoreCase("An overview has the newest notification that was sent and not seen") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
      func newest(_ player: PlayerID) throws -> Overview.Newest? {
        let found = try stores.reader.overviews([ann, bob])
        return found[player]?.inbox
      }
      func deliver(_ number: UInt128, _ fate: PushStore.Fate = .delivered) throws -> PushJobID {
        let job = PushJob(
          id: PushJobID(rawValue: number), kind: .matchEnded, player: ann,
          match: MatchID(rawValue: 7))
        try stores.push.record(.init([.init(job, fate)]))
        return job.id
      }
      func see(_ job: PushJobID?) throws {
        var write = BatchWrite(now: try stores.worker.lookUp(Lookup()).now)
        let change = job.map { PlayerChange.seen($0) } ?? .allSeen(until: write.now)
        write.playerChanges = [.init(player: ann, change: change)]
        try stores.worker.commit(write)
      }
      #expect(try newest(ann) == nil)
      let first = try deliver(9)
      try stores.age(1)
      let second = try deliver(5)
      _ = try deliver(6, .dropped)
      #expect(try newest(ann)?.id == second && newest(bob) == nil)
      let shown = try stores.reader.inbox(ann, 1).first
      #expect(try newest(ann)?.sentAt == shown?.sentAt && shown?.job.id == second)
      try see(second)
      #expect(try newest(ann)?.id == first)
      try see(nil)
      #expect(try newest(ann) == nil)
      try stores.age(1)
      let third = try deliver(1)
      #expect(try newest(ann)?.id == third)
    },
    StoreCase("An overview's text for settings changes with settings, devices and blocks only") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
      var texts: [String] = []
      func settings(of player: PlayerID) throws -> String {
        let found = try stores.reader.overviews([player])
        return found[player]?.settings ?? "none"
      }
      func isNew() throws -> Bool {
        let text = try settings(of: ann)
        defer { texts.append(text) }
        return !texts.contains(text)
      }
      func write(_ change: PlayerChange, of player: PlayerID) throws {
        var write = BatchWrite(now: try stores.worker.lookUp(Lookup()).now)
        write.playerChanges = [.init(player: player, change: change)]
        try stores.worker.commit(write)
      }
      func device(_ name: String, _ token: String?) throws -> Device {
        Device(name: try #require(DeviceName(name)), token: token, permission: .authorized)
      }
      #expect(try isNew())
      let other = try settings(of: bob)
      // Seen notifications make a row of settings.
      try write(.allSeen(until: stores.worker.lookUp(Lookup()).now), of: ann)
      _ = try lab.begin()
      #expect(try !isNew())
      try write(.settings(SettingsChange(kinds: [.yourTurn: false])), of: ann)
      #expect(try isNew())
      let name = try #require(DisplayName("A \"quoted\", name"))
      try write(.settings(SettingsChange(displayName: .set(name))), of: ann)
      #expect(try isNew())
      for change in [
        PushChange(timeZone: TimeZoneName("Asia/Tokyo").map { .set($0) }),
        PushChange(language: .german), PushChange(isBundled: false),
        PushChange(takesNudges: false), PushChange(digest: MinuteOfDay(0).map { .set($0) }),
        PushChange(review: .set(.monday)),
        PushChange(
          quietHours: QuietHours(
            from: try #require(MinuteOfDay(0)), until: try #require(MinuteOfDay(1))
          ).map { .set($0) }),
      ] {
        try write(.settings(SettingsChange(push: change)), of: ann)
        #expect(try isNew(), "\(change)")
      }
      let phone = try #require(DeviceName("phone"))
      let token = String(repeating: "0a", count: 32)
      try write(
        .device(Device(name: phone, route: .apns(token: token), permission: .authorized)), of: ann)
      #expect(try isNew())
      try write(.device(device("phone", token)), of: ann)
      #expect(try isNew())
      try write(.device(device("phone", "one")), of: ann)
      #expect(try isNew())
      try write(.device(device("phone", "two")), of: ann)
      #expect(try isNew())
      try write(.device(device("phone", nil)), of: ann)
      #expect(try isNew())
      try lab.act(.playerBlocked(bob), by: .ann)
      #expect(try isNew())
      try lab.act(.playerUnblocked(bob), by: .ann)
      #expect(try !isNew())
      try lab.act(.playerBlocked(ann), by: .bob)
      #expect(try !isNew())
      #expect(try settings(of: bob) != other)
    },
  ]

  private static func versions(
    of player: TestPlayer, _ stores: StoreSet
  ) throws -> [MatchID: Int64] {
    let found = try stores.reader.overviews([player.id])
    let overview = try #require(found[player.id])
    return Dictionary(overview.matches.map { ($0.match, $0.version) }) { first, _ in first }
  }
}
