import CubeRules
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Testing

extension Scenes {
  /// An answer to a turn is seen by the other player, who is told unless that is off.
  package static func reaction(on service: some TestedService) throws {
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    let match = try service.begin(ann, bob)
    _ = try ann.play(service.firstWord(service.match(match)).moves, in: match)
    let view = try bob.match(match)
    let word = try #require(view.turns.first?.words.first)
    let version = try bob.react(with: word, in: view)

    // Ann's program waits for any change of the match.
    let seen = try ann.match(match, newerThan: view.version)
    #expect(seen.version == version && seen.turn == view.turn)
    #expect(seen.turns.first?.reaction?.seat == 1 && seen.turns.first?.reaction?.word == word)
    try service.wait(for: "Ann is told") {
      service.pushes.taken.contains {
        $0.kind == .reacted && $0.player == ann.player && $0.turn == 1
      }
    }
    try service.wait(for: "it is in her inbox") {
      try ann.inbox().items.contains { $0.kind == "reacted" && $0.match == match }
    }

    // The other way round, to a player who wants no such notification.
    _ = try bob.send(.settingsChanged(SettingsChange(kinds: [.reacted: false])))
    _ = try bob.play(service.turn(service.match(match)).moves, in: match)
    try ann.react(with: word, in: ann.match(match))
    try ann.forfeit(match)
    try service.wait(for: "Bob is told of the end") {
      service.pushes.taken.contains { $0.kind == .matchEnded && $0.player == bob.player }
    }
    #expect(!service.pushes.taken.contains { $0.kind == .reacted && $0.player == bob.player })
    #expect(try bob.match(match).turns.map { $0.reaction?.seat } == [1, 0])
    #expect(try service.isVerified(bob.record(of: match)))
    try service.expectNothingWrong()
  }

  /// A declined asker reads the other player's name, unless that is switched off.
  package static func decline(on service: some TestedService) throws {
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    func bodies() -> [String] {
      service.pushes.notifications.filter { $0.job.player == ann.player }.map(\.body)
    }
    let name = try #require(bob.profile.name)
    let invitation = try ann.startMatch(against: name, turnLimitSeconds: 3_600).ticket.match
    _ = try bob.decline(invitation)
    let declined = "\(name) declined your invitation."
    try service.wait(for: "Ann is told of the invitation") { bodies().contains(declined) }

    let match = try service.begin(ann, bob)
    try ann.removeTwoCubes(in: match)
    _ = try bob.forfeit(match)
    _ = ann.rematch(of: match)
    _ = try bob.declineRematch(match)
    let refused = "\(name) declined the rematch."
    try service.wait(for: "Ann is told of the rematch") { bodies().contains(refused) }
    try service.wait(for: "both are in her inbox") {
      Set(try ann.inbox().items.map(\.body)).isSuperset(of: [declined, refused])
    }

    try ann.change(SettingsChange(kinds: [.rematchDeclined: false]))
    let second = try service.begin(ann, bob)
    _ = try bob.forfeit(second)
    _ = ann.rematch(of: second)
    _ = try bob.declineRematch(second)
    try service.wait(for: "every job is decided") {
      try own(service, ann, bob).allSatisfy { $0.fate != nil }
    }
    // A slow push worker also drops a "your turn" that was answered meanwhile.
    let dropped = try own(service, ann, bob)
      .filter { $0.fate == .dropped && $0.job.kind == .rematchDeclined }
    #expect(dropped.map(\.job.match) == [second])
    #expect(bodies().count { $0 == refused } == 1)
    try service.expectNothingWrong()
  }

  /// A kind of notifications is switched off, and a display name is in messages.
  package static func kinds(on service: some TestedService) throws {
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    try bob.change(SettingsChange(kinds: [.invited: false]))
    let name = try #require(DisplayName("Ann of Gables"))
    try ann.change(SettingsChange(displayName: .set(name)))
    #expect(try bob.settings().kinds["invited"] == false)
    #expect(try bob.settings().kinds["yourTurn"] == true)
    #expect(try ann.settings().displayName == "Ann of Gables")
    let match = try service.begin(ann, bob)
    try service.wait(for: "Ann is told that Bob has joined, while the match runs") {
      service.pushes.taken.contains { $0.kind == .opponentJoined && $0.match == match }
    }
    try ann.forfeit(match)
    try service.wait(for: "every job is decided") {
      let jobs = try own(service, ann, bob)
      return jobs.count == 3 && jobs.allSatisfy { $0.fate != nil }
    }
    let fates = try own(service, ann, bob).map {
      "\($0.job.kind.rawValue) \($0.fate?.rawValue ?? "")"
    }
    #expect(
      fates.sorted() == ["invited dropped", "matchEnded delivered", "opponentJoined delivered"])
    #expect(
      Set(service.pushes.taken.filter { $0.match == match }.map(\.kind))
        == [.matchEnded, .opponentJoined])
    let words = service.pushes.notifications.filter {
      $0.job.match == match && $0.job.kind == .matchEnded
    }
    #expect(words.allSatisfy { $0.body.contains("Ann of Gables") })
    try service.expectNothingWrong()
  }

  /// Nothing is sent to a phone that may not be told; a tablet that may be gets it. A tablet that
  /// another player registers is that one's alone.
  package static func devices(on service: some TestedService) throws {
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    let phone = Device(
      name: try #require(DeviceName("phone")), token: "p-\(bob.player)", permission: .denied)
    let tablet = Device(
      name: try #require(DeviceName("tablet")), token: nil, permission: .provisional)
    try bob.register(phone)
    let request = MatchRequest(opponent: .player(bob.player), turnLimitSeconds: 3_600)
    _ = try ann.startMatch(request)
    try service.wait(for: "the first is decided") {
      try own(service, ann, bob).map(\.fate) == [.dropped]
    }
    try bob.register(tablet)
    #expect(
      try bob.settings().devices == [
        DeviceView(device: "phone", permission: "denied", hasToken: true),
        DeviceView(device: "tablet", permission: "provisional", hasToken: false),
      ])
    _ = try ann.startMatch(
      MatchRequest(opponent: .player(bob.player), turnLimitSeconds: 7_200))
    try service.wait(for: "the second is decided") {
      try own(service, ann, bob).compactMap(\.fate).sorted { $0.rawValue < $1.rawValue }
        == [.delivered, .dropped]
    }
    try bob.removeDevice(phone.name)
    try bob.removeDevice(phone.name)
    #expect(try bob.settings().devices.map(\.device) == ["tablet"])
    // Ann plays on the tablet from now on.
    let shared = Device(
      name: tablet.name, token: "t-\(bob.player)", permission: .authorized)
    try bob.register(shared)
    try ann.register(shared)
    #expect(try bob.settings().devices.isEmpty)
    #expect(try ann.settings().devices.map(\.device) == ["tablet"])
    try service.expectNothingWrong()
  }

  /// The push jobs of two players, once none is on its way.
  private static func own(
    _ service: some TestedService, _ ann: Player, _ bob: Player
  ) throws -> [StoredJob] {
    try service.jobs().filter { [ann.player, bob.player].contains($0.job.player) }
  }

  /// A match that is given up before its first turn counts for nobody.
  package static func aborted(on service: some TestedService) throws {
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    let match = try service.begin(ann, bob)
    let ending = try bob.forfeit(match)
    #expect(ending.outcome == Outcome(reason: .aborted, seat: 1, results: [.none, .none]))

    let name = try #require(bob.profile.name)
    let words = "\(name) gave up before the first move: the match does not count."
    func ends() -> [String] {
      service.pushes.notifications
        .filter { $0.job.kind == .matchEnded && $0.job.player == ann.player }.map(\.body)
    }
    try service.wait(for: "Ann is told") { !ends().isEmpty }
    #expect(ends() == [words])
    // It is hers once the job is recorded as delivered.
    try service.wait(for: "it is in her inbox") {
      try ann.inbox().items.contains { $0.kind == "matchEnded" && $0.body == words }
    }
    for player in [ann, bob] {
      #expect(try player.match(match).gaveUp == true)
      #expect(try player.pastGames().games.map(\.result) == [.none])
      #expect(try player.pastGames().games.map(\.gaveUpBy) == [bob.player])
      #expect(try player.home().matches.isEmpty)
      #expect(try player.whoAmI().rating?.matches == 0)
      #expect(try player.review().games.isEmpty)
    }
    #expect(try service.isVerified(ann.record(of: match)))
    #expect(try service.stored(match).rating == StoredRating())

    // Either player may ask for another one.
    _ = ann.rematch(of: match)
    guard case .started = bob.rematch(of: match) else {
      Issue.record("no rematch")
      return
    }
    try service.expectNothingWrong()
  }
}
