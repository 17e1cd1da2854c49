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
    /// The number of its events. A command that sends several may block a player again after it was
    /// killed.
    var events: ClosedRange<Int>
    /// Whether the program has no key beforehand.
    var isNew: Bool
    /// Whether a person who has seen the answer repeats the command, to see how far it is.
    var isRepeated: Bool

    init(
      events: ClosedRange<Int> = 1...1, isNew: Bool = false, isRepeated: Bool = false,
      _ arguments: @escaping @Sendable (Scene) throws -> String
    ) {
      self.arguments = arguments
      self.events = events
      self.isNew = isNew
      self.isRepeated = isRepeated
    }
  }

  /// All commands that send events, except the bot's, which calls the same functions.
  static let commands: [Command] = [
    Command(isNew: true) { "register \($0.ann.name)" },
    Command { _ in "start" }, Command { "start \($0.bob.name)" },
    Command { _ in "solo --timed" }, Command { _ in "daily start" },
    Command { scene in
      try scene.prepare(.dailyStarted(scene.today))
      return "daily play --remove 222"
    },
    Command { scene in
      let open = MatchRequest(opponent: .open, turnLimitSeconds: 3_600)
      let ticket = try scene.bob.act(.matchRequested(open)).ticket
      return "join \(try #require(ticket?.code))"
    },
    Command { "accept \(try $0.invitation())" }, Command { "decline \(try $0.invitation())" },
    Command(events: 2...3) { scene in
      _ = try scene.invitation()
      return "decline --all --block --yes"
    },
    Command { scene in
      let open = MatchRequest(opponent: .open, turnLimitSeconds: 3_600)
      return "withdraw \(try scene.prepare(.matchRequested(open)))"
    },
    Command { "play --match \(try $0.match()) --remove 222 --remove 212" },
    Command { scene in
      let (match, word) = try scene.answerable()
      return "react \(match) \(word)"
    },
    Command { "forfeit \(try $0.match()) --yes" }, Command { "rematch \(try $0.ended())" },
    Command { scene in
      let match = try scene.ended()
      try scene.bob.must(.rematchRequested(match))
      return "rematch \(match) --decline"
    },
    Command { "share \(try $0.ended())" }, Command { _ in "settings set yourTurn off" },
    Command { "account delete --confirm \($0.ann.name)" }, Command { _ in "account keep" },
    Command { _ in "settings name Adele" }, Command { _ in "devices add phone --token abc" },
    Command { scene in
      let phone = try #require(DeviceName("phone"))
      try scene.prepare(
        .deviceRegistered(Device(name: phone, token: "abc", permission: .authorized)))
      return "devices remove phone"
    },
    Command { _ in "notify test" },
    Command { _ in "inbox --all-seen" }, Command { "block \($0.bob.name)" },
    Command { scene in
      try scene.prepare(.playerBlocked(scene.bob.id))
      return "unblock \(scene.bob.name)"
    },
    Command { "report \(try $0.match()) --because conduct" },
    Command { _ in "key invite" },
    Command(isNew: true) { scene in
      try scene.prepare(.playerRegistered(name: scene.ann.name, code: nil))
      return "key add \(try scene.deviceCode())"
    },
    Command { "key remove \(try $0.device())" },
    // Words that were shown before the program was killed may be those of no key.
    Command(events: 0...1) { _ in "key words --yes" },
    Command { scene in
      try scene.recovery()
      return "key object"
    },
    Command { scene in
      try scene.recovery()
      return "key recover \(scene.ann.name) --withdraw"
    },
    Command(isNew: true, isRepeated: true) { scene in
      try scene.prepare(.playerRegistered(name: scene.ann.name, code: nil))
      _ = try scene.words()
      return "key recover \(scene.ann.name)"
    },
  ]

  @Test(
    "The program killed at each of its steps, for every command: a wish repeated comes true once",
    .timeLimit(.minutes(15)))
  func everywhere() async throws {
    // A service for each part, so that each has its own limit of time.
    let parts = 4
    var types: Set<String> = []
    var killed = 0
    for part in 0..<parts {
      let numbers = Self.commands.indices.filter { $0 % parts == part }
      let (found, count) = try await Self.kill(numbers)
      types.formUnion(found)
      killed += count
    }
    // A nudge has to wait for a quarter of the other player's time.
    let all = Set(EventType.ofPlayers.map(\.rawValue)).subtracting([Event.Nudged.name])
    #expect(types == all)
    #expect(killed > 10 * Self.commands.count)
  }

  /// Kills the program at each step of some commands; the types of their events, and how often it
  /// was killed.
  private static func kill(_ numbers: [Int]) async throws -> (types: Set<String>, count: Int) {
    var options = ServiceLab.Options(workers: 1)
    options.roles = [.reader, .relay, .push, .scheduler]
    let found = Mutex<(types: Set<String>, count: Int)>(([], 0))
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
      let scenes = try await withThrowingTaskGroup(of: [Scene].self) { group in
        for number in numbers {
          group.addTask {
            try Self.scenes(
              of: commands[number], number, in: lab, at: lab.playersURL, folder: folder,
              today: today)
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      let replies = try lab.replies()
      for scene in scenes {
        let types = try scene.expectOnce(replies)
        found.withLock { $0.types.formUnion(types) }
      }
      found.withLock { $0.count = scenes.count { $0.wasKilled } }
      #expect(try lab.violations() == [])
    }
    return found.withLock { $0 }
  }

  @Test(
    "The same by HTTP, for a registration, an invitation and a turn", .timeLimit(.minutes(15)))
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
