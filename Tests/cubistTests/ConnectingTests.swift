import ArgumentParser
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@testable import cubist

@Suite("Connecting, and the suggestions before it")
struct ConnectingTests {
  @Test("A person is told to paste the URL; a pipe is read without a word")
  func prompt() {
    let lab = CommandLab(isConnected: false)
    lab.isTerminal = true
    lab.lines = ["amqp://players:secret@host/cubist"]
    let run = lab.run("connect -")
    #expect(run.status == 0)
    #expect(run.errors.hasPrefix("Paste the service's URL, then press Return.\n"))
    #expect(lab.urls == ["amqp://players:secret@host/cubist"])
    lab.isTerminal = false
    lab.files["-"] = Array("amqp://host\n".utf8)
    #expect(!lab.run("connect -").errors.contains("Paste"))
  }

  @Test("The URL is suggested without the password after a wrong one, to be typed again")
  func wrongPassword() {
    let lab = CommandLab(isConnected: false)
    lab.service.onQuery = { _ in .error(.notPermitted("login refused. Check the password.")) }
    let run = lab.run("connect amqp://players:se:c@ret@host:5672/cubist?verify=none")
    #expect(run.status == 77)
    #expect(
      run.errors == """
        cubist: The service's broker does not let you in. Check user and password, or ask who runs \
        it for the address of its gateway. What waits to be sent goes there. Try: cubist connect \
        'amqp://players:PASSWORD@host:5672/cubist?verify=none'

        """)
    #expect(lab.run("connect amqp://host").errors.hasSuffix("Try: cubist connect URL\n"))
    #expect(
      lab.run("connect amqp://host -v").errors.contains(
        "does not let you in: login refused. Check the password.\nTry: cubist connect URL\n"))
  }

  @Test("A profile with a broker's address moves to a gateway, and what waited is sent there, once")
  func moved() throws {
    let lab = CommandLab()
    #expect(lab.memory.url == "amqp://localhost")
    lab.service.onEvent = { _ in .bus(.unknown) }
    #expect(lab.run("start").status == 75)
    let waiting = try #require(lab.memory.pending.keys.first)
    // The operators have taken the account away meanwhile.
    lab.service.onQuery = { _ in .error(.notPermitted("login refused.")) }
    lab.service.onEvent = { _ in .error(.notPermitted("login refused.")) }
    let refused = lab.run("home")
    #expect(refused.status == 77 && refused.errors.contains("the address of its gateway"))
    #expect(Array(lab.memory.pending.keys) == [waiting])

    lab.service.onQuery = { _ in nil }
    lab.service.onEvent = { _ in
      .reply(.accepted(.matchStarted(Made.ticket(Made.match(0x1234)))))
    }
    let (key, profile) = (lab.memory.key, lab.memory.profile)
    #expect(lab.run("connect https://play.example.org").status == 0)
    #expect(lab.memory.url == "https://play.example.org")
    #expect(Array(lab.memory.pending.keys) == [waiting])
    #expect(lab.memory.key == key && lab.memory.profile == profile)
    #expect(lab.run("home").status == 0)
    #expect(lab.memory.pending.isEmpty)
    #expect(Set(lab.service.events.map(\.id)) == [waiting])
    #expect(lab.urls.last == "https://play.example.org")
  }

  @Test("An unconnected player is told to connect before registering")
  func notConnected() {
    let lab = CommandLab(isConnected: false)
    lab.memory.key = nil
    let run = lab.run("key export")
    #expect(run.status == 77)
    #expect(run.errors.hasSuffix("Try: cubist connect URL\nTry: cubist key import FILE\n"))
    lab.memory.url = "amqp://localhost"
    #expect(lab.run("key export").errors.contains("Try: cubist register NAME\n"))
  }

  @Test("A turn before the first is told which there are")
  func turn() {
    let run = CommandLab().run("show --turn -1")
    #expect(run.status == 64)
    #expect(run.errors.contains("--turn takes 0 or more"))
    #expect(CommandLab().run("play CAB --choice -1").errors.contains("--choice counts from 1"))
  }

  @Test(
    "A number below zero is out of range, not missing",
    arguments: [
      "games --past --limit -1", "ladder --limit -1", "bot --all --games -1",
      "bot --all --seconds -1", "home --timeout -1",
    ])
  func belowZero(command: String) {
    let run = CommandLab().run(command)
    #expect(run.status == 64)
    let option = command.split(separator: " ").dropLast().last ?? ""
    #expect(run.errors.contains(option) && !run.errors.contains("Missing"))
  }

  @Test("Strengths are completed", arguments: ["bash", "zsh", "fish"])
  func strengths(shell: String) throws {
    let script = Cubist.completionScript(for: try #require(CompletionShell(rawValue: shell)))
    #expect(script.contains("easy") && script.contains("medium"))
  }
}
