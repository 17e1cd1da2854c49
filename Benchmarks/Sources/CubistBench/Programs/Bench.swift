import ArgumentParser
import Foundation
import MatchLoad
import MatchWire

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
        deploy/bench --growth            what 20 million turns in the database change
        deploy/bench --web               the page in a browser
        deploy/bench --push              the push worker; --push --help says more
        deploy/bench --against FILE      this build beside another of cubistd

      Everything runs on this machine at once, on servers of its own in .cubist/bench. Figures \
      depend on the machine and on what else it does: compare ratios, not turns a second. \
      Benchmarks/README.md says what each row is. --growth fills a database in .cubist/growth, which \
      takes some minutes and GB the first time, and keeps it for the next.
      """,
    subcommands: [
      RunProgram.self, WorkerProgram.self, CeilingProgram.self, OwnProgram.self, ScaleProgram.self,
    ],
    defaultSubcommand: RunProgram.self)
}

/// Runs every row and prints the report.
struct RunProgram: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "run", shouldDisplay: false)

  enum Row: String, CaseIterable {
    case cubist, gateway, streams, garbage, latency, floor, celery, ceiling, counts, rules
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
  @Flag(help: "Growth alone: a full database beside an empty one.")
  var growth = false
  @Option(help: .init("Another build of cubistd, for a comparison alone.", valueName: "file"))
  var against: String?
  @Option(help: "How many matches a comparison is at.")
  var matches = Field.lanes
  @Option(help: "How many queues events are spread over.")
  var queues = QueueLayout.standard.queueCount
  @Option(help: "How much of its size the full database has, in hundredths.")
  var percent = 100
  @Option(
    help: .init(
      "Where servers and logs are kept (default: .cubist/bench, of growth .cubist/growth)."))
  var folder: String?
  @Option(help: "The shipped program.")
  var cubistd: String
  @Option(help: "The players' program; without it its time is not measured.")
  var cubist: String?
  @Option(help: "Celery's program; without it Celery is not measured.")
  var celery: String?

  func validate() throws {
    _ = try rows()
    guard let layout, !growth || layout == .standard else {
      throw ValidationError("--queues is \(queues); it takes 1 to \(Slot.count), without --growth.")
    }
    guard 1...100 ~= percent else {
      throw ValidationError("--percent is \(percent); it takes 1 to 100.")
    }
    guard growth || percent == 100 else {
      throw ValidationError("--percent is of --growth. Add it.")
    }
    guard against == nil || !growth && only == nil && json == nil else {
      throw ValidationError("--against is measured alone. Leave --growth, --only and --json out.")
    }
    guard 1...10_000 ~= matches, against != nil || matches == Field.lanes else {
      throw ValidationError("--matches is \(matches); it takes 1 to 10000, and --against.")
    }
    guard !growth || only == nil else {
      throw ValidationError("--growth is measured alone. Leave --only out.")
    }
  }

  private var layout: QueueLayout? { QueueLayout(queueCount: queues) }

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
    let folder = folder ?? (growth ? ".cubist/growth" : ".cubist/bench")
    let path = folder.hasPrefix("/") ? folder : "\(root)/\(folder)"
    do {
      if let against {
        return print(try compare(with: against, folder: path))
      }
      let report = try measure(root: root, folder: path)
      print(report.table)
      if let json {
        try Data((try report.json() + "\n").utf8).write(to: URL(fileURLWithPath: json))
      }
    } catch  where error is BenchFailure || error is LoadFailure {
      Progress.say("\(error)")
      throw ExitCode(1)
    }
  }

  private func compare(with other: String, folder: String) throws -> String {
    Progress.say("starting servers in \(folder)")
    let servers = try Servers(folder: folder, cubistd: cubistd)
    defer { servers.stop() }
    let site = try Site(
      "cubist", on: servers, cubistd: cubistd, layout: layout ?? .standard)
    defer { site.end() }
    return try Comparison(
      site: site, stock: Stock(site, seed: 42), durations: quick ? .quick : .full, lanes: matches,
      programs: [("this", cubistd), ("other", other)]
    ).run()
  }

  private func measure(root: String, folder: String) throws -> Report {
    var report = Report(machine: Report.machine())
    Progress.say("starting servers in \(folder)")
    let servers = try Servers(folder: folder, cubistd: cubistd)
    defer { servers.stop() }
    if growth {
      let plan = GrowthPlan(
        servers: servers, cubistd: cubistd, cubist: cubist, size: GrownSize(percent: percent),
        durations: quick ? .quickGrowth : .growth)
      report.growth = try plan.run()
      return report
    }
    let bench = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    let rows = try rows()
    let plan = Plan(
      rows: rows, celery: celery,
      field: try Field(
        root: root, cubistd: cubistd, bench: bench, servers: servers,
        durations: quick ? .quick : .full, layout: layout ?? .standard),
      isQuick: quick)
    defer { plan.field.end() }
    try plan.run(&report)
    if rows.contains(.rules), !quick { report.rules = try plan.rules(beside: bench) }
    report.relate()
    return report
  }
}
