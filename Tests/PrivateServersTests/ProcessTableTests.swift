import Glibc
import Testing

@testable import PrivateServers

@Suite("Processes of private servers")
struct ProcessTableTests {
  private static let paths = ServerPaths(folder: "/srv/a")

  private static func mark(_ words: String) -> ServerMark? {
    ServerMark(
      words.split(separator: " ").map(String.init), paths: paths, clusterName: "cubist-1-2")
  }

  @Test(
    "A server is known from its first moment on, through every program before it",
    arguments: ["", "/usr/bin/setsid --fork /usr/bin/setpriv --reuid=postgres /bin/sh -c x "])
  func servers(before: String) {
    let programs = "/usr/lib/postgresql/15/bin"
    #expect(
      Self.mark("\(before)\(programs)/postgres -D /srv/a/data/postgresql")
        == .postgres(folder: "/srv/a/data/postgresql"))
    #expect(
      Self.mark("\(before)\(programs)/postgres -D /srv/a/data/postgresql-2")
        == .postgres(folder: "/srv/a/data/postgresql-2"))
    #expect(
      Self.mark("\(before)/usr/lib/beam.smp -W w -cubist_servers /srv/a/data/rabbitmq-2")
        == .rabbitmq(folder: "/srv/a/data/rabbitmq-2"))
    #expect(Self.mark("\(before)/srv/a/data/epmd -address 127.0.0.1 -port 7") == .epmd)
  }

  @Test("The processes that PostgreSQL makes are known too")
  func backends() {
    func mark(_ title: String) -> ServerMark? {
      ServerMark([title], paths: Self.paths, clusterName: "cubist-1-2")
    }
    #expect(mark("postgres: cubist-1-2-1: checkpointer ") == .backend(member: 1))
    #expect(mark("postgres: cubist-1-2-2: walreceiver") == .backend(member: 2))
    #expect(mark("postgres: cubist-1-23-1: checkpointer ") == nil)
    #expect(mark("postgres: checkpointer ") == nil)
  }

  @Test(
    "Servers of other folders, and commands that look at ours, do not count",
    arguments: [
      "/usr/bin/postgres -D /srv/ab/data/postgresql",
      "/usr/bin/postgres -D /srv/a/data/postgresqlx",
      "less /srv/a/data/postgresql.log", "initdb -D /srv/a/data/postgresql.new",
      "beam.smp -cubist_servers /srv/b/data/rabbitmq", "ls /srv/a/data/epmd", "epmd -port 7",
      "/usr/bin/postgres -D", "cubistd servers keep /srv/a",
    ])
  func others(words: String) {
    #expect(Self.mark(words) == nil)
  }

  @Test("A process that has ended counts as one that is not there, under any name")
  func life() {
    let rest = " 1 2 3 4 5 4194560 7 8 9 10 11 12 13 14 15 16 17 18 4711 20 21"
    let life = ProcessTable.ProcessStatus(stat: "12 (a) S b) S\(rest)")
    #expect(life?.start == "4711" && life?.isOfKernel == false)
    #expect(ProcessTable.ProcessStatus(stat: "12 (a) Z\(rest)") == nil)
    #expect(ProcessTable.ProcessStatus(stat: "12 (a) S 1 2") == nil)
    let kernel = rest.replacing("4194560", with: "2129984")
    #expect(ProcessTable.ProcessStatus(stat: "2 (kthreadd) S\(kernel)")?.isOfKernel == true)
    #expect(ProcessTable.start(of: getpid()) != nil && ProcessTable.runs(getpid()))
  }

  @Test("A process that becomes another program again and again is there all the while")
  func becoming() throws {
    // The command line is empty for a moment in each exec.
    let script = #"[ "$2" = 0 ] || exec /bin/sh -c "$0" "$0" "$1" $(($2 - 1)); sleep 0"#
    let mark = "becoming-\(UInt64.random(in: .min ... .max))"
    let process = try Tool(words: ["/bin/sh", "-c", script, script, mark, "1500"]).start()
    var looks = 0
    while ProcessTable.runs(process) {
      // It may end at any moment. Only then may it be missing.
      let isListed = ProcessTable.entries().contains {
        $0.id == process && $0.arguments.contains(mark)
      }
      #expect(isListed || !ProcessTable.runs(process))
      looks += 1
    }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    #expect(looks > 0)
  }

  @Test("Arguments may be empty")
  func arguments() {
    #expect(ProcessTable.arguments(in: Array("a\0\0b\0".utf8)) == ["a", "", "b"])
  }
}
