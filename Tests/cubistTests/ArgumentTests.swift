import ArgumentParser
import CubePlay
import MatchCore
import MatchWire
import PlayerClient
import ServiceNews
import Testing

@testable import GameScreens
@testable import cubist

@Suite("Arguments")
struct ArgumentTests {
  @Test("The screen proposes the same time for a turn as the command")
  func proposedLimit() {
    let seconds = DurationText.seconds(NewMatchScreen().turnLimit.text)
    #expect(seconds == Start.standardLimit)
  }

  @Test("A start without a limit meets a bot")
  func standardLimit() throws {
    let lab = CommandLab()
    _ = lab.run("start")
    guard case .matchRequested(let request)? = lab.service.events.first?.action else {
      Issue.record("no match was requested")
      return
    }
    #expect(request.turnLimitSeconds == Bot.Habits().openTurnLimitSeconds)
    #expect(MatchRequest.turnLimits.contains(Start.standardLimit))
  }

  @Test("Options are understood before and after the command")
  func optionPlaces() {
    for line in ["--profile grace --json games", "games --json --profile grace"] {
      let lab = CommandLab()
      let run = lab.run(line)
      #expect(run.status == 0)
      #expect(run.output == "{\"matches\":[],\"schema\":\"cubist.games.1\"}\n")
      #expect(lab.folders.last == "/home/ada/.local/state/cubist/grace")
    }
  }

  @Test("Profile and broker come from the option, else from the environment, else from before")
  func places() {
    let lab = CommandLab()
    _ = lab.run("games")
    lab.variables["CUBIST_URL"] = "amqp://two"
    lab.variables["CUBIST_PROFILE"] = "other"
    _ = lab.run("games")
    _ = lab.run("games --url amqp://three --profile third")
    #expect(lab.urls == ["amqp://localhost", "amqp://two", "amqp://three"])
    let names = lab.folders.map { $0.split(separator: "/").last.map(String.init) }
    #expect(Set(names) == ["default", "other", "third"])
  }

  @Test(
    "A missing argument is refused with status 64, and nothing is sent",
    arguments: [
      "play", "play A B C", "play 1234 CAB --match 1234", "play CAB --choice 0",
      "play CAB --faces 222X", "play CAB --faces 222T --choice 1", "play CAB --any --choice 1",
      "play CAB --remove 333",
      "start ada --open", "start --solo --turn-limit 3d", "start --solo --casual",
      "start --turn-limit 5s", "start --turn-limit 31d", "start a!", "join ÄÖÜ", "games --limit 3",
      "games --past --limit 101", "games --past --before x", "games --summary",
      "games --with ada --summary --past", "games --with ada --summary --result won",
      "bot --games 0", "bot --strength 2", "report --because name", "report 1234",
      "report 1234 --because rudeness", "report 1234 --because name --text \u{202e}",
      "show --svg --json", "daily play", "daily standings --day today", "dance",
      "key add K3F7", "key add K3F7-9QMN-2XVU", "key remove xyz1", "key remove 3fa", "key remove",
      "key recover", "key recover a!", "key words", "key words ada",
      "--profile a/b games", "--timeout 2h games", "--timeout 0s games", "connect",
    ])
  func usage(line: String) {
    let lab = CommandLab(isConnected: line != "connect")
    let run = lab.run(line)
    #expect(run.status == 64)
    #expect(run.output == "")
    #expect(run.errors != "")
    #expect(lab.service.events == [])
  }

  @Test(
    "A pasted link of an invitation joins by its code",
    arguments: ["https://play.example.org/g/7k3qx2m9", "<https://play.example.org/7K3QX2M9>."])
  func link(text: String) throws {
    let lab = CommandLab()
    _ = lab.run("join \(text)")
    let code = try #require(ShareCode("7K3QX2M9"))
    #expect(lab.service.queries.contains(.matchByCode(.init(code))))
  }

  @Test("A link that invites to no match says what it is for")
  func otherLinks() {
    let lab = CommandLab()
    let shared = lab.run("join https://play.example.org/s/7K3QX2M97K3QX2M9")
    #expect(shared.status == 64)
    #expect(shared.errors.contains("cubist show --code 7K3QX2M97K3QX2M9"))
    let device = lab.run("join https://play.example.org/#add=K3F79QMN2XVB")
    #expect(device.status == 64)
    #expect(device.errors.contains("cubist key add CODE"))
    #expect(lab.service.queries.isEmpty && lab.service.events.isEmpty)
  }

  @Test("Help begins with examples, for every command")
  func help() throws {
    var open: [any ParsableCommand.Type] = [Cubist.self]
    var count = 0
    while let command = open.popLast() {
      let configuration = command.configuration
      open += configuration.subcommands
      count += 1
      #expect(configuration.discussion.hasPrefix("EXAMPLES:\n  cubist "), "\(command)")
      #expect(!configuration.abstract.isEmpty, "\(command)")
      // Help is wrapped at 80 columns: a paragraph is one line, and an example fits.
      let lines = configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false)
      for (line, next) in zip(lines, lines.dropFirst() + [""]) {
        let isWhole = next.isEmpty || next.hasPrefix(" ") || ".:".contains(line.last ?? ".")
        #expect(line.hasPrefix(" ") ? line.count <= 80 : isWhole, "\(command): \(line)")
      }
    }
    #expect(count >= 20)
    let run = CommandLab().run("play --help")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("OVERVIEW: Play a turn.\n\nEXAMPLES:\n"))
    #expect(run.errors == "")
    #expect(CommandLab().run("help daily play").output.contains("cubist daily play CUBES"))
  }

  @Test(
    "Help lists a command's own options before those of every command, and then its subcommands",
    arguments: ["start --help", "help devices add", "settings --help", "daily --help", "--help"])
  func ownOptionsFirst(line: String) throws {
    let run = CommandLab().run(line)
    #expect(run.status == 0 && run.output.hasSuffix("\n") && !run.output.hasSuffix("\n\n\n"))
    let heads = run.output.split(separator: "\n").filter { $0.hasSuffix("OPTIONS:") }
    #expect(heads.suffix(2) == ["OPTIONS:", "GLOBAL OPTIONS:"], "\(heads)")
    let parts = run.output.split(separator: "\n\n")
    let own = try #require(parts.first { $0.hasPrefix("OPTIONS:\n") })
    let every = try #require(parts.first { $0.hasPrefix("GLOBAL OPTIONS:\n") })
    #expect(own.contains("--help") && every.contains("--profile") && every.contains("--verbose"))
    if line == "start --help" { #expect(own.contains("--turn-limit <duration>")) }
    if line.hasPrefix("settings") {
      let subcommands = try #require(parts.first { $0.hasPrefix("SUBCOMMANDS:\n") })
      #expect(subcommands.contains("  name "))
    }
  }

  @Test("Completions are printed for every shell", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) {
    let run = CommandLab().run("--generate-completion-script \(shell)")
    #expect(run.status == 0)
    #expect(run.output.contains("rematch"))
  }

  @Test("The version is printed")
  func version() {
    let version = CommandLab().run("--version")
    #expect(version.status == 0 && version.output.hasPrefix("0.1.0 (commit "))
  }
}
