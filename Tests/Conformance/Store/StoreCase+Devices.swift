import CustomDump
import MatchCore
import MatchInterfaces
import Testing

extension StoreCase {
  /// To whom a device belongs.
  static let devices: [StoreCase] = [
    StoreCase("A device goes with the key that registered it last, and no other one does") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      try add(other, to: .ann, lab)
      try lab.send([
        lab.event(.deviceRegistered(device("phone")), by: .ann),
        lab.event(.deviceRegistered(device("pad")), of: .ann, on: other),
        lab.event(.deviceRegistered(device("pad-2")), of: .ann, on: other),
        lab.event(.deviceRegistered(device("bobs")), by: .bob),
      ])
      // The name stays, and the key that registered it is another one.
      try lab.act(.deviceRegistered(device("pad-2", token: "moved")), by: .ann)
      try lab.act(.keyRemoved(other.key), by: .ann)
      try expect([device("pad-2", token: "moved"), device("phone")], of: .ann, stores)
      try expect([device("bobs")], of: .bob, stores)
    },
    StoreCase("A device that was registered in the batch that removes its key goes, too") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      try add(other, to: .ann, lab)
      try lab.send([
        lab.event(.deviceRegistered(device("pad")), of: .ann, on: other),
        lab.event(.deviceRegistered(device("phone")), of: .ann, on: other),
        lab.event(.keyRemoved(other.key), by: .ann),
        lab.event(.deviceRegistered(device("phone")), by: .ann),
      ])
      try expect([device("phone")], of: .ann, stores)
    },
    StoreCase("The devices of a key that an operator revokes go with it") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      try add(other, to: .ann, lab)
      try lab.act(.deviceRegistered(device("phone")), by: .ann)
      try lab.send([lab.event(.deviceRegistered(device("pad")), of: .ann, on: other)])
      #expect(try stores.administration.revokeKey(other.key))
      try expect([device("phone")], of: .ann, stores)
    },
    StoreCase("A device whose key is not known goes with the first key that is removed") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      try add(other, to: .ann, lab)
      var write = BatchWrite(now: lab.now)
      write.playerChanges = try [TestPlayer.ann, .bob].map {
        .init(player: $0.id, change: .device(try device("old", token: "\($0.name)")))
      }
      try stores.worker.commit(write)
      try lab.act(.deviceRegistered(device("phone")), by: .ann)
      try lab.act(.keyRemoved(other.key), by: .ann)
      try expect([device("phone")], of: .ann, stores)
      try expect([device("old", token: "Bob")], of: .bob, stores)
    },
    StoreCase("An address is one player's: the last one who registers it has it alone") { stores in
      let lab = StoreLab(stores.worker)
      let late = StoreLab(stores.otherWorker, number: 1)
      try lab.register(.ann, .bob, .cyd)
      let browser = try browser("browser", secret: 1)
      for device in [try device("phone"), browser, try apple("watch")] {
        let name = device.name
        try lab.act(.deviceRegistered(device), by: .ann)
        try late.act(.deviceRegistered(device), by: .bob)
        #expect(try devices(of: .ann, stores) == [], "\(name)")
        #expect(try devices(of: .bob, stores).contains(device), "\(name)")
      }
      // In one batch, by whichever name. What the loser had under that name is gone, too.
      try lab.act(.deviceRegistered(device("phone", token: "cyds")), by: .cyd)
      try lab.send([
        lab.event(.deviceRegistered(device("phone", token: "phone")), by: .cyd),
        lab.event(.deviceRegistered(device("telephone", token: "phone")), by: .ann),
      ])
      try expect([device("telephone", token: "phone")], of: .ann, stores)
      try expect([], of: .cyd, stores)
      try expect([browser, apple("watch")], of: .bob, stores)
    },
    StoreCase("Devices without an address, of another way or of other secrets take nobody's") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let text = String(repeating: "0f", count: 32)
      let anns = [
        try device("a", token: nil), try device("b", token: text), try browser("c", secret: 1),
      ]
      let bobs = [try device("a", token: nil), try apple("b"), try browser("c", secret: 2)]
      for device in anns { try lab.act(.deviceRegistered(device), by: .ann) }
      for device in bobs { try lab.act(.deviceRegistered(device), by: .bob) }
      try expect(anns, of: .ann, stores)
      try expect(bobs, of: .bob, stores)
    },
  ]

  private static let code = DeviceCode(random: 7)
  /// A second key of Ann's.
  private static let other = TestPlayer("other", seedByte: 0x70)

  private static func add(_ key: TestPlayer, to player: TestPlayer, _ lab: StoreLab) throws {
    try lab.act(.deviceInvited(code.hash(at: .test)), by: player)
    try lab.send([lab.event(.keyAdded(code), of: player, on: key)])
  }

  private static func device(_ name: String) throws -> Device { try device(name, token: name) }

  private static func device(_ name: String, token: String?) throws -> Device {
    Device(name: try #require(DeviceName(name)), token: token, permission: .authorized)
  }

  private static func apple(_ name: String) throws -> Device {
    Device(
      name: try #require(DeviceName(name)), route: .apns(token: String(repeating: "0f", count: 32)),
      permission: .authorized)
  }

  private static func browser(_ name: String, secret: UInt8) throws -> Device {
    let subscription = WebPushSubscription(
      endpoint: "https://push.example/1", key: [4] + Array(0..<64),
      secret: Array(repeating: secret, count: 16))
    return Device(
      name: try #require(DeviceName(name)), route: .webPush(try #require(subscription)),
      permission: .authorized)
  }

  private static func devices(of player: TestPlayer, _ stores: StoreSet) throws -> [Device] {
    let row = try stores.reader.settings(player.id)
    return row.devices.map(\.device)
  }

  private static func expect(
    _ expected: [Device], of player: TestPlayer, _ stores: StoreSet
  ) throws {
    expectNoDifference(try devices(of: player, stores), expected)
  }
}
