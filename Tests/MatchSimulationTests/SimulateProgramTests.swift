import ArgumentParser
import CustomDump
import Foundation
import MatchCore
import MatchService
import Testing

@testable import MatchSimulation
@testable import cubist_simulate

@Suite("The program that simulates")
struct SimulateProgramTests {
  private static let failing: SimulationReport = {
    var options = Simulation.Options()
    options.faults = [.workerCrash, .duplicate]
    options.bug = .replyNotStored
    var report = SimulationReport(
      seed: 8, options: options, violations: ["event 1 is gone"], events: 100, matches: 15)
    report.turns = 30
    report.endings = [.forfeited: 3]
    report.faults = [.duplicate: 4]
    report.trace = ["worker 0 commits"]
    return report
  }()

  private static func table() -> SimulationTable {
    var table = SimulationTable(first: 7, count: 2, faults: [.workerCrash, .duplicate])
    var held = SimulationReport(
      seed: 7, options: failing.options, violations: [], events: 99, matches: 12)
    held.turns = 28
    held.endings = [.forfeited: 1, .mergedInto: 2]
    held.faults = [.duplicate: 1]
    table.add(held)
    var shortest = failing
    shortest.options.eventCount = 2
    shortest.options.faults = []
    table.add(
      failing, shrunk: Shrinker.Result(report: shortest, runs: 31, isComplete: true))
    return table
  }

  @Test("A person reads a table of runs, and how often each fault was injected")
  func text() {
    expectNoDifference(
      SimulateProgramTests.table().text,
      """
      runs  events  matches  turns  violations
         2     199       27     58           1

      ended       matches
      cleared           0
      forfeited         4
      timedOut          0
      finished          0
      timeUp            0
      aborted           0
      withdrawn         0
      declined          0
      expired           0
      stopped           0
      annulled          0
      mergedInto        2

      fault         injected
      duplicate            5
      worker-crash         0

      """)
  }

  @Test("A program reads the same, with the failure and the shortest run that fails")
  func json() throws {
    expectNoDifference(
      try SimulateProgramTests.table().json(isInterrupted: false),
      #"{"endings":{"aborted":0,"annulled":0,"cleared":0,"declined":0,"expired":0,"#
        + #""finished":0,"forfeited":4,"mergedInto":2,"stopped":0,"timeUp":0,"timedOut":0,"#
        + #""withdrawn":0},"events":199,"failures":[{"command":"cubist-simulate --seed 8 "#
        + #"--faults duplicate,worker-crash --bug reply-not-stored","seed":8,"shortest":"#
        + #"{"command":"cubist-simulate --seed 8 --faults none --events 2 "#
        + #"--bug reply-not-stored","isComplete":true,"trace":["worker 0 commits"],"tries":31,"#
        + #""violations":["event 1 is gone"]},"violations":["event 1 is gone"]}],"#
        + #""faults":{"duplicate":5,"worker-crash":0},"interrupted":false,"matches":27,"#
        + #""runs":2,"schema":"cubistd.simulate/1","seed":7,"seeds":2,"turns":58,"#
        + #""violations":1}"# + "\n")
  }

  @Test("Changes of devices are counted where there are any")
  func devices() throws {
    var report = SimulationReport(seed: 1, options: Simulation.Options(), violations: [])
    report.options.hasDevices = true
    report.devices.added = 2
    report.devices.thefts = 1
    var table = SimulationTable(first: 1, count: 2, faults: [])
    table.add(report)
    table.add(report)
    expectNoDifference(
      table.text.split(separator: "\n").suffix(7).joined(separator: "\n"),
      """
      devices     times
      added           4
      removed         0
      races           0
      thefts          2
      objections      0
      recoveries      0
      """)
    let json = try table.json(isInterrupted: false)
    #expect(
      json.contains(
        #""devices":{"added":4,"objections":0,"races":0,"recoveries":0,"removed":0,"thefts":2}"#))
    #expect(!(try SimulateProgramTests.table().json(isInterrupted: false)).contains("devices"))
  }

  @Test("A seed that failed is shown with how to repeat it, and the shortest run after it")
  func failure() throws {
    let failure = try #require(SimulateProgramTests.table().failures.first)
    expectNoDifference(
      failure.text,
      """
      seed 8: 100 events, 15 matches, 0 entries; duplicate 4
      violations:
        event 1 is gone
      to repeat it: cubist-simulate --seed 8 --faults duplicate,worker-crash --bug reply-not-stored

      the shortest run found, in 31 tries:
      seed 8: 100 events, 15 matches, 0 entries; duplicate 4
      violations:
        event 1 is gone
      the last of the trace:
        worker 0 commits
      to repeat it: cubist-simulate --seed 8 --faults none --events 2 --bug reply-not-stored
      """)
  }

  @Test("The command that a report prints is read as the options that it had")
  func command() throws {
    var options = Simulation.Options()
    options.faults = [.brokerRestart, .poison]
    options.eventCount = 12
    options.onlyStrikes = [3, 17]
    options.bug = .requeueWithNack
    options.usesEd25519 = true
    options.hasDevices = true
    let report = SimulationReport(seed: 5, options: options, violations: [])
    let words = report.command.split(separator: " ").map(String.init)
    #expect(words.first == "cubist-simulate")
    let command = try SimulateProgram.parse(Array(words.dropFirst()))
    #expect(command.seed == 5)
    #expect(try command.options() == options)
    let matches = try SimulateProgram.parse(["--matches", "30"])
    #expect(try matches.options().matchCount == 30)
    #expect(try matches.options().eventCount == 3_000)
  }

  @Test(
    "An argument that cannot be understood is refused as usage, and named",
    arguments: [
      (["--faults", "earthquake"], "earthquake"), (["--seeds", "0"], "0"),
      (["--bug", "typo"], "typo"), (["--only-strikes", "0"], "0"),
      (["--events", "0"], "--events"), (["--matches", "0"], "--matches"),
      (["--seeds", "2", "--trace"], "--trace"),
    ])
  func usage(arguments: [String], named: String) {
    #expect {
      _ = try SimulateProgram.parse(arguments)
    } throws: { error in
      SimulateProgram.exitCode(for: error).rawValue == 64
        && SimulateProgram.fullMessage(for: error).contains(named)
    }
  }

  @Test("Faults are read by name, all or none")
  func faults() throws {
    #expect(try SimulateProgram.faults("all") == Set(Fault.allCases))
    #expect(try SimulateProgram.faults("none") == [])
    #expect(try SimulateProgram.faults("worker-crash,poison") == [.workerCrash, .poison])
  }

  @Test("Each command line that a page or the help names can be read")
  func documented() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let pages = try FileManager.default.contentsOfDirectory(
      at: root.appending(path: "docs"), includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "md" }
    var lines = SimulateProgram.configuration.discussion.matches(
      of: /\n +cubist-simulate (.*?)(?: {3}|(?=\n))/
    ).map { String($0.1) }
    #expect(lines.count > 5)
    for page in pages + [root.appending(path: "README.md")] {
      let text = String(decoding: try Data(contentsOf: page), as: UTF8.self)
      lines += text.matches(of: /cubist-simulate (-[^`\n]+)/).map { String($0.1) }
    }
    #expect(lines.count > 8)
    // A placeholder stands for a number or for a mistake.
    let values = ["N": "3", "NAME": "no-version-guard"]
    for line in lines {
      let words = line.split(separator: " ").map { values[String($0)] ?? String($0) }
      do {
        _ = try SimulateProgram.parse(words)
      } catch {
        let message = SimulateProgram.message(for: error)
        #expect(message.hasPrefix("Missing value"), "\(line): \(message)")
      }
    }
  }

  @Test("Seeds run on several threads come out in order, each as if it had run alone")
  func order() throws {
    var options = Simulation.Options()
    options.eventCount = 5
    let runner = SeedRunner(first: 40, count: 6, options: options, stop: StopSignal())
    try runner.start(threads: 3)
    var reports: [SimulationReport] = []
    while let report = runner.next() { reports.append(report) }
    #expect(reports.map(\.seed) == Array(40...45))
    for report in reports {
      #expect(report.traceHash == Simulation.run(seed: report.seed, options).traceHash)
    }
  }

  @Test("A request to stop gets no more seeds")
  func stop() throws {
    let stop = StopSignal()
    var options = Simulation.Options()
    options.eventCount = 5
    let runner = SeedRunner(first: 1, count: 1_000_000, options: options, stop: stop)
    try runner.start(threads: 2)
    #expect(runner.next()?.seed == 1)
    stop.ask()
    #expect(runner.next() == nil)
  }
}
