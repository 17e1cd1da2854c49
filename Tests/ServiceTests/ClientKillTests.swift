import Chaos
import EventExamples
import Foundation
import GatewayLab
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import RealServers
import Synchronization
import TestedService
import Testing

/// `cubist` itself is killed by SIGKILL in front of each of its steps: each file that it writes,
/// names or removes, each message, each line that it prints. Then the player acts as a person
/// would, and repeats the command unless the answer was seen.
@Suite("The player's program, killed", .serialized)
struct ClientKillTests {
  /// A command that sends events, and the things that have to exist before.
  struct Command: Sendable {
    var arguments: @Sendable (Scene) throws -> String
    /// The types of its events.
    var sends: Set<EventType>
    /// The number of its events. A command that sends several may block a player again after it was
    /// killed.
    var events: ClosedRange<Int>
    /// Whether the program has no key beforehand.
    var isNew: Bool
    /// Whether a person who has seen the answer repeats the command, to see how far it is.
    var isRepeated: Bool

    init(
      _ sends: EventType..., events: ClosedRange<Int> = 1...1, isNew: Bool = false,
      isRepeated: Bool = false, _ arguments: @escaping @Sendable (Scene) throws -> String
    ) {
      self.arguments = arguments
      self.sends = Set(sends)
      self.events = events
      self.isNew = isNew
      self.isRepeated = isRepeated
    }
  }

  /// All commands that send events, except the bot's, which calls the same functions.
  static let commands: [Command] = [
    Command(.playerRegistered, isNew: true) { "register \($0.ann.name)" },
    Command(.matchRequested) { _ in "start" },
    Command(.matchRequested) { "start \($0.bob.name)" },
    Command(.matchRequested) { _ in "solo --timed" },
    Command(.dailyStarted) { _ in "daily start" },
    Command(.turnPlayed) { scene in
      try scene.prepare(.dailyStarted(scene.today))
      return "daily play --remove 222"
    },
    Command(.invitationAccepted) { scene in
      let open = MatchRequest(opponent: .open, turnLimitSeconds: 3_600)
      let ticket = try scene.bob.act(.matchRequested(open)).ticket
      return "join \(try #require(ticket?.code))"
    },
    Command(.invitationAccepted) { "accept \(try $0.invitation())" },
    Command(.invitationDeclined) { "decline \(try $0.invitation())" },
    Command(.invitationDeclined, .playerBlocked, events: 2...3) { scene in
      _ = try scene.invitation()
      return "decline --all --block --yes"
    },
    Command(.requestWithdrawn) { scene in
      let open = MatchRequest(opponent: .open, turnLimitSeconds: 3_600)
      return "withdraw \(try scene.prepare(.matchRequested(open)))"
    },
    Command(.turnPlayed) { "play --match \(try $0.match()) --remove 222 --remove 212" },
    Command(.reacted) { scene in
      let (match, word) = try scene.answerable()
      return "react \(match) \(word)"
    },
    Command(.matchForfeited) { "forfeit \(try $0.match()) --yes" },
    Command(.rematchRequested) { "rematch \(try $0.ended())" },
    Command(.rematchDeclined) { scene in
      let match = try scene.ended()
      try scene.bob.must(.rematchRequested(match))
      return "rematch \(match) --decline"
    },
    Command(.gameShared) { "share \(try $0.ended())" },
    Command(.settingsChanged) { _ in "settings set yourTurn off" },
    Command(.settingsChanged) { "account delete --confirm \($0.ann.name)" },
    Command(.settingsChanged) { _ in "account keep" },
    Command(.settingsChanged) { _ in "settings name Adele" },
    Command(.deviceRegistered) { _ in "devices add phone --token abc" },
    Command(.deviceRemoved) { scene in
      let phone = try #require(DeviceName("phone"))
      try scene.prepare(
        .deviceRegistered(Device(name: phone, token: "abc", permission: .authorized)))
      return "devices remove phone"
    },
    Command(.notificationTested) { _ in "notify test" },
    Command(.inboxSeen) { _ in "inbox --all-seen" },
    Command(.playerBlocked) { "block \($0.bob.name)" },
    Command(.playerUnblocked) { scene in
      try scene.prepare(.playerBlocked(scene.bob.id))
      return "unblock \(scene.bob.name)"
    },
    Command(.reported) { "report \(try $0.match()) --because conduct" },
    Command(.deviceInvited) { _ in "key invite" },
    Command(.keyAdded, isNew: true) { scene in
      try scene.prepare(.playerRegistered(name: scene.ann.name, code: nil))
      return "key add \(try scene.deviceCode())"
    },
    Command(.keyRemoved) { "key remove \(try $0.device())" },
    // Words that were shown before the program was killed may be those of no key.
    Command(.recoveryKeyNamed, events: 0...1) { _ in "key words --yes" },
    Command(.recoveryObjected) { scene in
      try scene.recovery()
      return "key object"
    },
    Command(.recoveryWithdrawn) { scene in
      try scene.recovery()
      return "key recover \(scene.ann.name) --withdraw"
    },
    Command(.playerRecovered, isNew: true, isRepeated: true) { scene in
      try scene.prepare(.playerRegistered(name: scene.ann.name, code: nil))
      _ = try scene.words()
      return "key recover \(scene.ann.name)"
    },
  ]

  /// Each part has a service of its own: a few commands are killed at each step within the time of a test.
  private static let parts = 0..<12
  /// How often the program was killed.
  private static let kills = PartSum(of: parts.count, 0)

  @Test(
    "The program killed at each of its steps, for every command: a wish repeated comes true once",
    arguments: parts)
  func everywhere(part: Int) async throws {
    let numbers = Self.commands.indices.filter { $0 % Self.parts.count == part }
    let count = try await Self.kill(numbers)
    if let all = Self.kills.add({ $0 += count }) { #expect(all > 10 * Self.commands.count) }
  }

  @Test("Every type of event that players send, but the nudge, is sent by some command")
  func types() {
    // A nudge has to wait for a quarter of the other player's time.
    let all = Set(EventType.ofPlayers).subtracting([.nudged])
    #expect(Set(Self.commands.flatMap(\.sends)) == all)
  }

  /// Kills the program at each step of some commands; gives how often it was killed.
  private static func kill(_ numbers: [Int]) async throws -> Int {
    var options = ServiceLab.Options(workers: 1)
    options.roles = [.reader, .relay, .push, .scheduler]
    let killed = Mutex(0)
    try await ServiceLab.run(options) { lab in
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "cubist-kills-\(lab.database.name)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let first = try lab.player("First")
      let today = DailyKey(day: Day(containing: WallClock.live.now()))
      try waitUntil("the day's challenge is dealt") {
        try first.act(.dailyStarted(today)).ticket != nil
      }
      let scenes = try await withThrowingTaskGroup(of: (Int, [Scene]).self) { group in
        for number in numbers {
          group.addTask {
            let scenes = try Self.scenes(
              of: commands[number], number, in: lab, at: lab.playersURL, folder: folder,
              today: today)
            return (number, scenes)
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let replies = try lab.replies()
      for (number, scenes) in scenes {
        let types = try scenes.reduce(into: Set<String>()) { types, scene in
          types.formUnion(try scene.expectOnce(replies))
        }
        #expect(types == Set(commands[number].sends.map(\.rawValue)), "command \(number)")
        killed.withLock { $0 += scenes.count { $0.wasKilled } }
      }
      #expect(try lab.violations() == [])
    }
    return killed.withLock { $0 }
  }

  @Test("The same by HTTP, for a registration, an invitation and a turn")
  func byHTTP() async throws {
    var options = ServiceLab.Options(workers: 1)
    options.roles = [.reader, .relay, .push, .scheduler]
    try await ServiceLab.run(options) { lab in
      try await lab.withGateway { gateway in
        let folder = FileManager.default.temporaryDirectory
          .appending(path: "cubist-http-kills-\(lab.database.name)").path
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let today = DailyKey(day: Day(containing: WallClock.live.now()))
        let url = gateway.url
        let scenes = try await withThrowingTaskGroup(of: [Scene].self) { group in
          for number in [0, 2, 11] {
            group.addTask {
              try Self.scenes(
                of: Self.commands[number], number, in: lab, at: url, folder: folder, today: today)
            }
          }
          return try await group.reduce(into: []) { $0 += $1 }
        }
        let replies = try lab.replies()
        var types: Set<String> = []
        for scene in scenes { types.formUnion(try scene.expectOnce(replies)) }
        #expect(types == ["playerRegistered", "matchRequested", "turnPlayed"])
        #expect(scenes.count { $0.wasKilled } > 30)
        #expect(try lab.violations() == [])
      }
    }
  }

  /// Runs a command once to its end, which finds its steps, and once for each step.
  private static func scenes(
    of command: Command, _ number: Int, in lab: ServiceLab, at url: String, folder: String,
    today: DailyKey
  ) throws -> [Scene] {
    let bob = try lab.player("bob-\(number)")
    func scene(_ step: Int) throws -> Scene {
      try Scene(
        "\(number)-\(step)", in: lab, folder: folder, today: today, command: command, with: bob,
        at: url, isRegistered: !command.isNew)
    }
    let whole = try scene(0)
    try whole.runToItsEnd()
    var scenes = [whole]
    for step in Scene.places(in: whole.steps) {
      let scene = try scene(step)
      try scene.run(killedAt: step)
      scenes.append(scene)
    }
    return scenes
  }
}
