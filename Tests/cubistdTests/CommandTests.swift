import ArgumentParser
import Foundation
import MatchService
import Testing

@testable import cubistd

@Suite("Command line")
struct CommandTests {
  @Test(
    "Unless told otherwise up keeps all in .cubist, runs one bot, and makes no account for programs"
  )
  func upDefaults() throws {
    let command = try #require(try Cubistd.parseAsRoot(["up"]) as? UpCommand)
    #expect(command.folder == ".cubist")
    #expect(command.bots == 1)
    #expect(command.workers == 1)
    #expect(command.queues == 16)
    #expect(command.httpPort == nil)
    #expect(!command.makesPlayerAccount)
    let asked = try #require(try Cubistd.parseAsRoot(["up", "--amqp"]) as? UpCommand)
    #expect(asked.makesPlayerAccount)
  }

  @Test("run takes any roles, each once, and a number of workers")
  func runRoles() throws {
    let command = try #require(
      try Cubistd.parseAsRoot(["run", "worker", "push", "--workers", "3"]) as? RunCommand)
    #expect(command.roles == [.worker, .push])
    #expect(command.workers == 3)
    let all = try #require(try Cubistd.parseAsRoot(["run"]) as? RunCommand)
    #expect(all.roles == [])
    let gateway = try #require(try Cubistd.parseAsRoot(["run", "gateway"]) as? RunCommand)
    #expect(gateway.roles == [.gateway])
  }

  @Test(
    "An argument that no command understands is refused as usage, and named",
    arguments: [
      (["run", "typist"], "typist"), (["run", "worker", "worker"], "twice"),
      (["run", "--workers", "0"], "0"), (["up", "--bots", "101"], "101"),
      (["up", "--queues", "1025"], "1025"), (["up", "--workers", "65"], "65"),
      (["up", "--http-port", "65536"], "65536"),
      (["dead-letters", "list", "--limit", "0"], "0"),
      (["dead-letters", "discard", "--reason", "x"], "--all"),
      (["dead-letters", "discard", "--all"], "--reason"),
      (["dead-letters", "retry", "--all", "--older", "2w"], "2w"),
      (["dead-letters", "list", "--kind", ""], "--kind"),
      (["matches", "annul", "0c2b11", "--player", "ada"], "--reason"),
      (["registration", "new-code", "--count", "1001"], "1001"),
      (["words", "hide", "WORD", "TW0"], "\"TW0\""),
      (["words", "list", "--limit", "0"], "0"), (["acts", "--limit", "10001"], "10001"),
      (["setup", "--check", "--renew", "root.key"], "--renew"),
      (["setup", "--check", "--take-broker"], "--take-broker"),
      (["players"], "--reported"), (["players", "ada", "--reported"], "--reported"),
      (["players", "ada", "--limit", "0"], "0"), (["recoveries", "stop", "ada"], "--reason"),
      (["keys", "uninvite", "ada"], "--reason"),
      (["accounts", "export", "ada"], "--reason"),
      (["accounts", "delete", "ada", "--reason", "asked"], "--confirm"),
      (["check", "--threads", "0"], "--threads"), (["rebuild"], "--match"),
      (["rebuild", "--all", "--match", "x"], "--match"),
      (["rebuild", "--match", "x", "--after", "y"], "--after"),
    ])
  func usage(arguments: [String], named: String) {
    #expect {
      _ = try Cubistd.parseAsRoot(arguments)
    } throws: { error in
      Cubistd.exitCode(for: error).rawValue == 64
        && Cubistd.fullMessage(for: error).contains(named)
    }
  }

  @Test(
    "simulate names the program that it has become, whatever its options",
    arguments: [[], ["--seeds", "1000"], ["--help"]])
  func simulate(options: [String]) throws {
    let command = try #require(
      try Cubistd.parseAsRoot(["simulate"] + options) as? SimulateCommand)
    #expect(SimulateCommand.advice.contains("cubist-simulate"))
    #expect { try command.run() } throws: { ($0 as? ExitCode)?.rawValue == 64 }
  }

  @Test("Help shows examples before options; a command of a group may leave them to the group")
  func help() throws { try expectExamples(Cubistd.self, isOfGroup: false) }

  private func expectExamples(_ command: any ParsableCommand.Type, isOfGroup: Bool) throws {
    let configuration = command.configuration
    guard configuration.shouldDisplay else { return }
    let help = command.helpMessage()
    if let examples = help.range(of: "Examples:") {
      let usage = try #require(help.range(of: "USAGE:"), "\(command)")
      #expect(examples.lowerBound < usage.lowerBound, "\(command)")
    } else {
      #expect(isOfGroup, "\(command)")
    }
    // Help is wrapped at 80 columns: a paragraph is one line, and an example fits.
    let lines = configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false)
    for (line, next) in zip(lines, lines.dropFirst() + [""]) {
      let isWhole = next.isEmpty || next.hasPrefix(" ") || ".:".contains(line.last ?? ".")
      #expect(line.hasPrefix(" ") ? line.count <= 80 : isWhole, "\(command): \(line)")
    }
    for inner in configuration.subcommands {
      try expectExamples(inner, isOfGroup: command != Cubistd.self)
    }
  }
}
