import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

extension StoreCase {
  /// Further keys of players.
  static let keys: [StoreCase] = [
    StoreCase("A key that shows a code is the player's for workers, readers and the check") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      try lab.act(.deviceInvited(hash), by: .ann)
      #expect(try invitation(stores) == InvitationFacts(player: TestPlayer.ann.id, isOpen: true))
      let reply = Reply.accepted(.keyAdded(TestPlayer.ann.id, TestPlayer.ann.name))
      #expect(try lab.send([lab.event(.keyAdded(code), of: .ann, on: phone)]) == [reply])
      #expect(try invitation(stores) == InvitationFacts(player: TestPlayer.ann.id, isOpen: false))
      var lookup = Lookup()
      lookup.keys = [phone.key]
      let owner = KeyOwner(player: TestPlayer.ann.id, name: TestPlayer.ann.name)
      #expect(try stores.otherWorker.lookUp(lookup).keys == [phone.key: owner])
      let owners = try stores.reader.ownersAndMatches([phone.key], []).owners
      #expect(owners[phone.key]?.player == TestPlayer.ann.id)
      #expect(owners[phone.key]?.isRevoked == false)
      #expect(try stores.check.owners([phone.key]) == [phone.key: TestPlayer.ann.id])
    },
    StoreCase("A device's name is that of the event that brought its key in") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      try lab.act(.deviceInvited(hash), by: .ann)
      let name = DeviceName("old.laptop")
      try lab.send([lab.event(.keyAdded(code, device: name), of: .ann, on: phone)])
      let names = try stores.reader.keys(TestPlayer.ann.id).keys.map(\.device)
      #expect(names == [nil, name])
    },
    StoreCase("A code is good once, also for a batch that was judged before it was used") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      try lab.act(.deviceInvited(hash), by: .ann)
      let (write, _) = try lab.judge([try lab.event(.keyAdded(code), of: .ann, on: phone)])
      var late = BatchWrite(now: write.now)
      late.keyChanges = write.keyChanges.map { change in
        guard case .added(var added) = change else { return change }
        added.key = pad.key
        return .added(added)
      }
      try stores.worker.commit(write)
      #expect(try storeError { try stores.otherWorker.commit(late) }.isConflict)
      let again = try lab.send([lab.event(.keyAdded(code), of: .ann, on: pad)])
      #expect(again == [.refused(.deviceCodeInvalid)])
      #expect(try stores.check.owners([pad.key]) == [:])
    },
    StoreCase("An operator takes back the codes that wait, also from a batch judged before") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      try lab.act(.deviceInvited(hash), by: .ann)
      try lab.act(.deviceInvited(otherHash), by: .bob)
      let (write, _) = try lab.judge([try lab.event(.keyAdded(code), of: .ann, on: phone)])
      stores.worker.abandon()
      #expect(try stores.administration.stopInvitations(TestPlayer.ann.id) == 1)
      #expect(try stores.administration.stopInvitations(TestPlayer.ann.id) == 0)
      #expect(
        try stores.reader.inviters([hash, otherHash]).keys.sorted { "\($0)" < "\($1)" } == [
          otherHash
        ])
      #expect(try storeError { try stores.worker.commit(write) }.isConflict)
      let again = try lab.send([lab.event(.keyAdded(code), of: .ann, on: phone)])
      #expect(again == [.refused(.deviceCodeInvalid)])
      // The same code may be named again: nothing of it is left.
      try add(pad, lab)
      #expect(try stores.check.owners([pad.key]).count == 1)
    },
    StoreCase("A key is one player's: a batch that adds it elsewhere meanwhile is a conflict") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      try lab.act(.deviceInvited(hash), by: .ann)
      let (write, _) = try lab.judge([try lab.event(.keyAdded(code), of: .ann, on: .bob)])
      stores.worker.abandon()
      try StoreLab(stores.otherWorker, number: 1).register(.bob)
      #expect(try storeError { try stores.worker.commit(write) }.isConflict)
      #expect(try stores.check.owners([TestPlayer.bob.key]).values.first == TestPlayer.bob.id)
      #expect(try invitation(stores)?.isOpen == true)
    },
    StoreCase("A batch that was judged before a key was removed is not committed after it") {
      stores in
      let lab = StoreLab(stores.worker)
      let other = StoreLab(stores.otherWorker, number: 1)
      try lab.register(.ann, .bob)
      try add(phone, lab)
      let (judged, _) = try other.judge([try other.event(asksAlone, of: .ann, on: phone)])
      try lab.act(.keyRemoved(phone.key), by: .ann)
      #expect(try storeError { try stores.otherWorker.commit(judged) }.isConflict)
      // A batch that is judged from now on sees the removal, and is committed.
      let (again, _) = try other.judge([try other.event(asksAlone, by: .bob)])
      #expect(again.revocationCount == 1)
      try stores.otherWorker.commit(again)
      #expect(try stores.check.matches(nil, 10).count == 1)
    },
    StoreCase("A removed key is found as such, with its player, and is removed once") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      try add(phone, lab)
      let (write, _) = try lab.judge([try lab.event(.keyRemoved(phone.key), by: .ann)])
      var again = BatchWrite(now: write.now)
      again.keyChanges = write.keyChanges
      try stores.worker.commit(write)
      #expect(try storeError { try stores.worker.commit(again) }.isConflict)
      #expect(try !stores.administration.revokeKey(phone.key))
      var lookup = Lookup()
      lookup.events = [EventKey(player: TestPlayer.ann.id, event: EventID(rawValue: 1))]
      lookup.keys = [phone.key, TestPlayer.ann.key]
      let known = try stores.otherWorker.lookUp(lookup)
      #expect(known.revocationCount == 1)
      #expect(
        known.keys.mapValues(\.isRevoked) == [phone.key: true, TestPlayer.ann.key: false])
      #expect(try stores.check.owners([phone.key]) == [phone.key: TestPlayer.ann.id])
    },
    StoreCase("A removal is not committed if it was judged before a revocation") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      try add(phone, lab)
      let (write, _) = try lab.judge([try lab.event(.keyRemoved(phone.key), by: .ann)])
      stores.worker.abandon()
      #expect(try stores.administration.revokeKey(TestPlayer.ann.key))
      #expect(try storeError { try stores.worker.commit(write) }.isConflict)
      var lookup = Lookup()
      lookup.keys = [phone.key]
      #expect(try stores.worker.lookUp(lookup).keys[phone.key]?.isRevoked == false)
    },
    StoreCase("Invited, added and removed in one batch: all of it happens, in its order") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let replies = try lab.send([
        lab.event(.deviceInvited(hash), by: .ann),
        lab.event(.keyAdded(code), of: .ann, on: phone),
        lab.event(.keyRemoved(phone.key), by: .ann),
      ])
      expectNoDifference(
        replies,
        [
          .accepted(.deviceInvited(until: lab.now.adding(seconds: DeviceInvitation.seconds))),
          .accepted(.keyAdded(TestPlayer.ann.id, TestPlayer.ann.name)),
          .accepted(.keyRemoved(phone.key)),
        ])
      var lookup = Lookup()
      lookup.keys = [phone.key]
      #expect(try stores.worker.lookUp(lookup).keys[phone.key]?.isRevoked == true)
    },
    StoreCase("One hash has one invitation") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let (write, _) = try lab.judge([try lab.event(.deviceInvited(hash), by: .ann)])
      stores.worker.abandon()
      try StoreLab(stores.otherWorker, number: 1).act(.deviceInvited(hash), by: .bob)
      #expect(try storeError { try stores.worker.commit(write) }.isConflict)
      #expect(try invitation(stores)?.player == TestPlayer.bob.id)
    },
    StoreCase("The origin of a key is told with those of the keys that it came from") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      try add(phone, lab)
      let invited = try lab.event(.deviceInvited(otherHash), of: .ann, on: phone)
      let added = try lab.event(.keyAdded(otherCode), of: .ann, on: pad)
      try lab.send([invited, added])
      // A removed key has signed entries, too.
      try lab.act(.keyRemoved(phone.key), by: .ann)
      let origins = try stores.reader.origins([pad.key, TestPlayer.ann.key, TestPlayer.bob.key])
      let known = KeyOrigin(invited: invited.signed, added: added.signed)
      #expect(Set(origins.map(\.key)) == [pad.key, phone.key] && origins.count == 2)
      #expect(origins.contains(known))
      #expect(origins.allSatisfy { $0.fault(of: TestPlayer.ann.id, at: .test) == nil })
      #expect(try stores.reader.origins([TestPlayer.ann.key]) == [])
      #expect(try Set(stores.check.origins([pad.key])) == Set(origins))
    },
    StoreCase("A player is told keys and open invitations, a device whose code it has") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let registered = lab.now
      try add(phone, lab)
      var expected = KeyList(
        keys: [.init(key: TestPlayer.ann.key, addedAt: registered)]
          + [.init(key: phone.key, addedAt: lab.now, inviter: TestPlayer.ann.key)])
      expected.keys.sort { ($0.addedAt, "\($0.key)") < ($1.addedAt, "\($1.key)") }
      expectNoDifference(try stores.reader.keys(TestPlayer.ann.id), expected)
      // A used code is nobody's.
      #expect(try stores.reader.inviters([hash]) == [:])
      let ann = InvitingPlayer(player: TestPlayer.ann.id, name: TestPlayer.ann.name)
      try lab.send([lab.event(.deviceInvited(otherHash), of: .ann, on: phone)])
      let until = lab.now.adding(seconds: DeviceInvitation.seconds)
      #expect(try stores.reader.inviters([hash, otherHash]) == [otherHash: ann])
      expected.invitations = [.init(invitation: otherHash, until: until, inviter: phone.key)]
      expectNoDifference(try stores.reader.keys(TestPlayer.ann.id), expected)
      #expect(try stores.reader.keys(TestPlayer.bob.id).keys.map(\.key) == [TestPlayer.bob.key])
      // A key that is gone takes its invitations with it.
      try lab.act(.keyRemoved(phone.key), by: .ann)
      #expect(try stores.reader.inviters([otherHash]) == [:])
      let left = try stores.reader.keys(TestPlayer.ann.id)
      #expect(left.keys.map(\.key) == [TestPlayer.ann.key] && left.invitations.isEmpty)
      let third = DeviceCode(random: 9).hash(at: .test)
      try lab.act(.deviceInvited(third), by: .ann)
      #expect(try stores.reader.inviters([third]) == [third: ann])
      try stores.age(DeviceInvitation.seconds + 1)
      #expect(try stores.reader.inviters([third]) == [:])
      #expect(try stores.reader.keys(TestPlayer.ann.id).invitations.isEmpty)
      #expect(try stores.reader.keys(TestPlayer.cyd.id) == KeyList(keys: []))
    },
    StoreCase("Under its lock a claim tells a player's keys and open invitations, no other's") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      var expected = PlayerKeys(name: TestPlayer.ann.name)
      expected.keys[TestPlayer.ann.key] = PlayerKeys.Key(addedAt: lab.now)
      try add(phone, lab)
      expected.keys[phone.key] = PlayerKeys.Key(addedAt: lab.now)
      expected.lifetimeCount = 2
      try lab.send([
        lab.event(.deviceInvited(otherHash), of: .ann, on: phone),
        lab.event(.deviceInvited(DeviceCode(random: 9).hash(at: .test)), by: .bob),
      ])
      let open = try keys(of: .ann, stores).invitations
      #expect(open.keys.sorted { "\($0)" < "\($1)" } == [otherHash])
      #expect(open[otherHash]?.inviter == phone.key)
      #expect(open[otherHash]?.until == lab.now.adding(seconds: DeviceInvitation.seconds))
      expected.invitations = open
      expectNoDifference(try keys(of: .ann, stores), expected)
      // A removed key is told for a day after it was added; a code that is over not at all.
      try lab.act(.keyRemoved(phone.key), by: .ann)
      try stores.age(DeviceInvitation.seconds + 1)
      let later = try keys(of: .ann, stores)
      #expect(later.invitations.isEmpty && later.keys[phone.key]?.isRemoved == true)
      try stores.age(86_400)
      let last = try keys(of: .ann, stores)
      #expect(Set(last.keys.keys) == [TestPlayer.ann.key] && last.lifetimeCount == 2)
      #expect(try keys(of: .cyd, stores) == PlayerKeys())
    },
  ]

  private static let code = DeviceCode(random: 7)
  private static let hash = code.hash(at: .test)
  private static let otherCode = DeviceCode(random: 8)
  private static let otherHash = otherCode.hash(at: .test)
  private static let phone = TestPlayer("phone", seedByte: 0x70)
  private static let pad = TestPlayer("pad", seedByte: 0x71)
  private static let asksAlone = Event.Action.matchRequested(
    MatchRequest(opponent: .nobody, turnLimitSeconds: nil))

  private static func add(_ device: TestPlayer, _ lab: StoreLab) throws {
    try lab.act(.deviceInvited(hash), by: .ann)
    try lab.send([lab.event(.keyAdded(code), of: .ann, on: device)])
  }

  private static func invitation(_ stores: StoreSet) throws -> InvitationFacts? {
    var lookup = Lookup()
    lookup.invitations = [hash]
    return try stores.otherWorker.lookUp(lookup).invitations[hash]
  }

  private static func keys(of player: TestPlayer, _ stores: StoreSet) throws -> PlayerKeys {
    let facts = try stores.otherWorker.resolve([.keys(of: player.id)])
    stores.otherWorker.abandon()
    guard case .keys(let keys)? = facts.first else { return PlayerKeys() }
    return keys
  }
}
