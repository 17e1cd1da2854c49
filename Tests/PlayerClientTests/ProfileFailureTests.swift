import MatchCore
import MatchInterfaces
import PlayerClient
import Testing

@Suite("A profile that cannot be read or written")
struct ProfileFailureTests {
  let world = World()

  /// The calls of a profile's store that a player makes, except those for the journal.
  enum FailingCall: CaseIterable {
    case loadProfile, loadKey, saveKey, lock, loadPending, savePending, saveProfile, removePending

    /// Whether the event was sent before the call.
    var comesAfterTheAnswer: Bool { self == .removePending || self == .saveProfile }
  }

  private func open(_ store: ProfileStore, _ bus: PlayerBus) throws(ClientError) -> Player {
    try Player.open(
      store, bus: bus, clock: world.clock.clock, randomness: world.randomness, makingKey: true)
  }

  private func register(_ store: ProfileStore, _ bus: PlayerBus) throws(ClientError) {
    _ = try open(store, bus).register(.ann)
  }

  // Failure: ProfileStore.lock, ProfileStore.loadKey, ProfileStore.loadProfile,
  //   ProfileStore.loadURL, ProfileStore.loadPending: Nothing is sent.
  // Failure: ProfileStore.saveKey: The player is not registered.
  // Failure: ProfileStore.saveProfile: The player is told. The answer counts.
  // Failure: ProfileStore.saveURL: The player is told.
  // Failure: ProfileStore.savePending: The event is not sent.
  // Failure: ProfileStore.removePending: The event is sent again and gets the stored reply.
  @Test(
    "Any failing call of the profile is told to the player, and nothing unkept is sent",
    arguments: FailingCall.allCases)
  func failing(call: FailingCall) {
    let full = ProfileError.notAccessible(path: "profile", reason: "disk full")
    if call == .saveKey { world.memory.key = nil }
    world.memory.profile.name = nil
    var store = world.memory.store
    switch call {
    case .loadProfile: store.loadProfile = { () throws(ProfileError) in throw full }
    case .loadKey: store.loadKey = { () throws(ProfileError) in throw full }
    case .saveKey: store.saveKey = { _ throws(ProfileError) in throw full }
    case .lock: store.lock = { () throws(ProfileError) in throw full }
    case .loadPending: store.loadPending = { () throws(ProfileError) in throw full }
    case .savePending: store.savePending = { _ throws(ProfileError) in throw full }
    case .saveProfile: store.saveProfile = { _ throws(ProfileError) in throw full }
    case .removePending: store.removePending = { _ throws(ProfileError) in throw full }
    }
    let error = thrown(try register(store, call.comesAfterTheAnswer ? world.desk.bus : .failing))
    #expect(error == .profile(full))
    #expect(world.desk.handled.count == (call.comesAfterTheAnswer ? 1 : 0))
    #expect(!world.memory.isLocked)

    // Once the disk has room again, the same command succeeds, and is handled once.
    if call == .saveKey { world.memory.key = .ann }
    #expect(
      thrown(try register(world.memory.store, world.desk.bus)) == nil)
    #expect(world.desk.handled.count == 1)
    #expect(world.memory.pending.isEmpty)
  }
}
