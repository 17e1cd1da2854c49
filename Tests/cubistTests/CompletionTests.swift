import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@testable import cubist

@Suite("Completions")
struct CompletionTests {
  private static func lab() -> CommandLab {
    let lab = CommandLab()
    lab.service.home = Made.home(
      [
        Made.summary(Made.match(0x1111)), Made.summary(Made.match(0x2222), opponent: "ben"),
        Made.summary(Made.match(0x3333)),
      ], invitations: [Made.summary(Made.match(0x4444), opponent: "zoe")])
    lab.service.past = PastGames(
      games: [Made.pastGame(Made.match(0x5555)), Made.pastGame(Made.match(0x6666), opponent: nil)],
      next: nil)
    return lab
  }

  private static func source(_ lab: CommandLab, _ words: String...) -> CompletionSource {
    CompletionSource(words, lab.environment)
  }

  @Test("Matches are offered by opponent and by id, invitations, past games and players as well")
  func values() {
    let source = Self.source(Self.lab(), "cubist", "play")
    #expect(
      source.running
        == ["grace", "ben", "1111", "2222", "3333", "4444"])
    #expect(source.invitations == ["zoe", "4444"])
    #expect(source.past == ["grace", "5555", "6666"])
    #expect(source.opponents == ["grace", "ben", "zoe"])
    #expect(source.profiles == ["default", "grace"])
  }

  @Test("Devices are offered by name, notifications by the endings of their ids, keys by digits")
  func devices() throws {
    let lab = Self.lab()
    lab.service.onQuery = { kind in
      switch kind {
      case .settings:
        .answer(
          SettingsView(
            displayName: nil, kinds: [:], reminders: true,
            devices: [
              DeviceView(device: "phone", permission: "authorized", hasToken: true),
              DeviceView(device: "watch", permission: "denied", hasToken: false),
            ]))
      case .inbox:
        .answer(
          InboxView(
            items: [0x1111, 0x2222].map { number in
              InboxItem(
                job: PushJob(
                  id: PushJobID(rawValue: number), kind: .yourTurn, player: Made.ada,
                  match: Made.match(1)), title: "Your turn", body: "Against grace",
                sentAt: Made.now)
            }))
      case .keys: .answer(Made.keys)
      default: nil
      }
    }
    let source = Self.source(lab, "cubist", "devices", "remove")
    #expect(source.keys == ["ed4928c6", "6e7a1cdd"])
    #expect(source.devices == ["phone", "watch"])
    #expect(source.notifications == ["1111", "2222"])
    lab.service.onQuery = { _ in .nothing }
    #expect(source.devices.isEmpty && source.notifications.isEmpty)
  }

  @Test("Profile and service that were typed are asked")
  func typed() {
    let lab = Self.lab()
    _ = Self.source(lab, "cubist", "--profile", "grace", "--url=amqp://two", "show").running
    #expect(lab.urls == ["amqp://two"])
    #expect(lab.folders.last == "/home/ada/.local/state/cubist/grace")
    #expect(lab.service.isClosed)
  }

  @Test("A list that cannot be had is not offered, and nothing is said or sent")
  func silent() {
    let lab = Self.lab()
    lab.service.onQuery = { _ in .error(.disconnected("gone")) }
    #expect(Self.source(lab).running == [])
    lab.service.onQuery = { _ in .nothing }
    #expect(Self.source(lab).opponents == [])
    #expect(lab.service.queries.count == 2, "nothing is asked twice")
    #expect(Self.source(lab, "--profile", "a/b").running == [])
    lab.memory.key = nil
    #expect(Self.source(lab).running == [])
    lab.variables = [:]
    #expect(Self.source(lab).profiles == [])
    #expect(lab.said == "" && lab.service.events == [])
  }

  @Test("Kinds and the like are in the script itself", arguments: ["bash", "zsh", "fish"])
  func script(shell: String) {
    let script = CommandLab().run("--generate-completion-script \(shell)").output
    for word in ["turnRunningOut", "invitation", "provisional", "completed", "---completion"] {
      #expect(script.contains(word), "\(word)")
    }
  }
}
