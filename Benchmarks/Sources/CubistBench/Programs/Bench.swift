import ArgumentParser
import Foundation

@main
struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deploy/bench",
    abstract: "Measure the service beside what else one could do with the same servers.",
    discussion: """
      Examples:
        deploy/bench                     everything but growth, under ten minutes
        deploy/bench --quick --json FILE
        deploy/bench --only cubist,floor

      Everything runs on this machine at once, on servers of its own in .cubist/bench. Figures \
      depend on the machine and on what else it does: compare ratios, not turns a second. \
      Benchmarks/README.md says what each row is.
      """,
    subcommands: [RunProgram.self, WorkerProgram.self, CeilingProgram.self, OwnProgram.self],
    defaultSubcommand: RunProgram.self)
}

/// Runs every row and prints the report.
struct RunProgram: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "run", shouldDisplay: false)

  enum Row: String, CaseIterable {
    case cubist, latency, floor, celery, ceiling, counts, rules
  }

  @Flag(help: "Shorter and fewer runs: under four minutes.")
  var quick = false
  @Option(help: .init("Write the report as one JSON object.", valueName: "file"))
  var json: String?
  @Option(
    help: .init(
      "Only these rows: \(Row.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "a,b,…"))
  var only: String?
  @Option(help: "Where servers and logs are kept.")
  var folder = ".cubist/bench"
  @Option(help: "The shipped program.")
  var cubistd: String
  @Option(help: "Celery's program; without it Celery is not measured.")
  var celery: String?

  func validate() throws {
    _ = try rows()
  }

  private func rows() throws -> Set<Row> {
    guard let only else { return Set(Row.allCases) }
    return try Set(
      only.split(separator: ",").map { name in
        guard let row = Row(rawValue: String(name)) else {
          throw ValidationError(
            "\"\(name)\" is no row; there are "
              + Row.allCases.map(\.rawValue).joined(separator: ", ") + ".")
        }
        return row
      })
  }

  func run() throws {
    Interruption.listen()
    let root = FileManager.default.currentDirectoryPath
    let path = folder.hasPrefix("/") ? folder : "\(root)/\(folder)"
    do {
      let report = try measure(root: root, folder: path)
      print(report.table)
      if let json {
        try Data((try report.json() + "\n").utf8).write(to: URL(fileURLWithPath: json))
      }
    } catch let failure as BenchFailure {
      Progress.say("\(failure)")
      throw ExitCode(1)
    }
  }

  private func measure(root: String, folder: String) throws -> Report {
    var report = Report(machine: Report.machine())
    Progress.say("starting servers in \(folder)")
    let servers = try Servers(root: root, folder: folder)
    defer { servers.stop() }
    let bench = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    let rows = try rows()
    let plan = Plan(
      rows: rows, celery: celery,
      field: try Field(
        root: root, cubistd: cubistd, bench: bench, servers: servers,
        durations: quick ? .quick : .full), isQuick: quick)
    defer { plan.field.end() }
    try plan.run(&report)
    if rows.contains(.rules), !quick { report.rules = try plan.rules(beside: bench) }
    report.relate()
    return report
  }
}
