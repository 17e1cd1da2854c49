import ArgumentParser
import Glibc
import PrivateServers

/// Servers for developers and tests, as deploy/servers calls them.
struct ServersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "servers",
    abstract: "Start and stop PostgreSQL and RabbitMQ of a folder, on free ports of 127.0.0.1.",
    discussion: """
      The machine's own instances are never touched. FOLDER/env is the output of `env`. Logs are \
      in FOLDER/data/postgresql.log and FOLDER/data/rabbitmq/log, those of a second PostgreSQL in \
      FOLDER/data/postgresql-2.log, of a second node in FOLDER/data/rabbitmq-2/log.

      Commits wait for the standby once it streams.
      """,
    // Operators use `cubistd up`.
    shouldDisplay: false,
    subcommands: [Start.self, Stop.self, Status.self, Env.self, Keep.self])

  struct Place: ParsableArguments {
    @Argument(help: "The folder of the servers and their data.")
    var folder: String

    var servers: ServerSet {
      var servers = ServerSet(in: folder)
      servers.progress = { Output.out($0) }
      return servers
    }
  }

  struct Start: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Start all servers that do not run, with the same ports, passwords and data.",
      discussion: """
        They run until `stop`, or end with the process that --owner names. Later starts keep the \
        options of earlier ones.
        """)

    @OptionGroup var place: Place
    @Flag(help: "Both speak TLS too.")
    var tls = false
    @Flag(help: "PostgreSQL has a synchronous streaming standby.")
    var standby = false
    @Option(help: "RabbitMQ is a cluster of so many nodes, 1 to 7.")
    var nodes: Int?
    @Option(help: .init("The servers end with this process, however it ends.", valueName: "pid"))
    var owner: Int32?

    func validate() throws {
      guard 1...7 ~= nodes ?? 1 else {
        throw ValidationError("--nodes is \(nodes ?? 1), not 1 to 7.")
      }
    }

    func run() throws {
      try Output.reporting { () throws(OperatorFailure) in
        _ = try onServers(
          try ServerKeeper.start(
            place.servers, ServerOptions(tls: tls, standby: standby, nodes: nodes), owner: owner,
            keptBy: OwnProgram.path))
      }
    }
  }

  struct Stop: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Stop all servers and their leftover processes; their data stays.")

    @OptionGroup var place: Place

    func run() throws {
      try Output.reporting { () throws(OperatorFailure) in
        try onServers(try place.servers.stop())
      }
    }
  }

  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show which servers run; exit with 0 when all run, with 3 otherwise.")

    @OptionGroup var place: Place

    func run() throws {
      let rows = place.servers.status()
      for row in rows {
        Output.out("\(row.name): \(row.process.map { "runs (pid \($0))" } ?? "stopped")")
      }
      guard rows.allSatisfy({ $0.process != nil }) else { throw ExitCode(3) }
    }
  }

  struct Env: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the shell lines that tell tests where the servers are.")

    @OptionGroup var place: Place

    func run() throws {
      try Output.reporting { () throws(OperatorFailure) in
        Output.out(try onServers(try place.servers.shellLines()))
      }
    }
  }

  struct Keep: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Wait for the end of the input, or of a process; then stop the servers.",
      shouldDisplay: false)

    @OptionGroup var place: Place
    @Option var owner: Int32?
    @Flag var remove = false

    func run() throws {
      try Output.reporting { () throws(OperatorFailure) in
        try onServers(
          try ServerKeeper.keep(
            place.servers, until: owner.map { .process($0) } ?? .input, isRemoved: remove))
      }
    }
  }
}

/// The program that runs.
enum OwnProgram {
  static var path: String { (try? Files.absolute("/proc/self/exe")) ?? "/proc/self/exe" }
}
