import Chaos
import Foundation
import Glibc
import RealServers
import Testing

@testable import PrivateServers

@Suite("Private servers and their starters", .serialized)
struct LifetimeTests {
  @Test(
    "Servers of `cubistd up` listen on loopback alone, with a random cookie, and end where it is killed"
  )
  func up() async throws {
    try await inFolder { folder in
      let program = try RoleProcess.binaryBesideThisProgram()
      let service = ServerSet(in: "\(folder)/servers")
      var cookies: Set<String> = []
      for _ in 0..<2 {
        let log = "\(folder).log"
        defer { try? FileManager.default.removeItem(atPath: log) }
        let group = try ProcessGroup()
        defer { group.end() }
        let up = try group.start(
          [program, "up", "--folder", folder, "--bots", "0"],
          environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"], log: log)
        try waitUntil("the service runs") {
          if !up.isRunning { throw ChaosFailure("it ended: \(Disk.text(log) ?? "")") }
          return Disk.text(log)?.contains("cubist connect") == true
        }
        #expect(service.status().allSatisfy { $0.process != nil })
        #expect(try Self.listeners(service).allSatisfy { $0.isLoopback })
        let cookie = try #require(Disk.text(service.paths.cookie))
        #expect(cookie.wholeMatch(of: /[0-9a-f]{32}/) != nil && !cookies.contains(cookie))
        #expect(try Self.mode(service.paths.cookie) == 0o400)
        cookies.insert(cookie)
        up.kill()
        try waitUntilNoneRuns(service)
        // A former build's, which Erlang made.
        try Disk.write("ABCDEFGHIJKLMNOPQRST", to: service.paths.cookie)
        try #require(chown(service.paths.cookie, Self.owner(service.paths.data), gid_t.max) == 0)
        try #require(chmod(service.paths.cookie, 0o400) == 0)
      }
    }
  }

  @Test(
    "`cubistd up` starts a RabbitMQ and a PostgreSQL that died again, says so, and goes on serving")
  func restarted() async throws {
    try await inFolder { folder in
      let log = "\(folder)/log"
      let program = try RoleProcess.binaryBesideThisProgram()
      let group = try ProcessGroup()
      defer { group.end() }
      let up = try group.start(
        [program, "up", "--folder", "\(folder)/service", "--bots", "0"],
        environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"], log: log)
      func said(_ text: String) throws -> Bool {
        if !up.isRunning { throw ChaosFailure("it ended: \(Disk.text(log) ?? "")") }
        return Disk.text(log)?.contains(text) == true
      }
      try waitUntil("the service runs") { try said("cubist connect") }
      #expect(try !said("amqp://"))
      let address = try #require(Disk.text(log)?.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)?.0)
      let servers = ServerSet(in: "\(folder)/service/servers")
      for name in ["RabbitMQ", "PostgreSQL"] {
        let process = try #require(servers.status().first { $0.name == name }?.process)
        #expect(kill(process, SIGKILL) == 0)
        try waitUntil("the death is told", found: Disk.text(log) ?? "") {
          try said("\(name) has died. It is started again")
        }
        try waitUntil("the start is told", found: Disk.text(log) ?? "") {
          try said("\(name) runs again: nothing is lost.")
        }
        #expect(servers.status().allSatisfy { $0.process != nil })
        #expect(servers.status().first { $0.name == name }?.process != process)
      }
      // A registration goes by the broker to a worker, who writes it to the database.
      func plays(_ words: String...) throws -> Bool {
        try group.start(
          ["\(Disk.parent(of: program))/cubist"] + words,
          environment: ["HOME": folder, "XDG_STATE_HOME": "\(folder)/player"],
          log: "\(folder)/said"
        ).wait() == 0
      }
      try waitUntil("a new player is let in", found: Disk.text("\(folder)/said") ?? "") {
        try plays("connect", String(address)) && plays("register", "newcomer")
      }
      up.signal(SIGINT)
      #expect(up.wait() == 0, "\(Disk.text(log) ?? "")")
      try waitUntilNoneRuns(servers)
    }
  }

  private static func status(_ path: String) throws -> stat {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return status
  }

  private static func mode(_ path: String) throws -> mode_t { try status(path).st_mode & 0o777 }

  private static func owner(_ path: String) throws -> uid_t { try status(path).st_uid }

  /// The sockets that listen on the servers' ports.
  private static func listeners(
    _ servers: ServerSet
  ) throws -> [(port: UInt16, isLoopback: Bool)] {
    let text = try #require(Disk.text(servers.paths.ports))
    let ports = Set(text.split(whereSeparator: { "=\n".contains($0) }).compactMap { UInt16($0) })
    let found: [(port: UInt16, isLoopback: Bool)] = try ["/proc/net/tcp", "/proc/net/tcp6"].flatMap
    { table in
      try #require(Disk.text(table)).split(separator: "\n").dropFirst().compactMap { line in
        let words = line.split(separator: " ")
        let ends = words[1].split(separator: ":")
        guard words[3] == "0A", let port = UInt16(ends[1], radix: 16), ports.contains(port) else {
          return nil
        }
        return (port, ["0100007F", "00000000000000000000000001000000"].contains(ends[0]))
      }
    }
    #expect(Set(found.map(\.port)).count > 4, "PostgreSQL, three of RabbitMQ and epmd")
    return found
  }

  @Test("One that is killed while it starts them leaves none behind")
  func starting() async throws {
    try await inFolder { folder in
      let program = try RoleProcess.binaryBesideThisProgram()
      let service = ServerSet(in: "\(folder)/servers")
      let group = try ProcessGroup()
      defer { group.end() }
      let up = try group.start(
        [program, "up", "--folder", folder], environment: ["PATH": "/usr/bin:/bin"],
        log: "/dev/null")
      try waitUntil("the first server begins") {
        !service.processes.isEmpty
      }
      up.kill()
      try waitUntilNoneRuns(service)
      // Nothing begins afterwards either.
      #expect(Patience.holds(for: .seconds(2)) { service.processes.isEmpty })
    }
  }

  @Test("Servers end with the process that owns them, the last one that was named")
  func owners() async throws {
    try await inFolder { folder in
      let servers = ServerSet(in: folder)
      let group = try ProcessGroup()
      defer { group.end() }
      let owners = try (0..<2).map { _ in
        try group.start(["/bin/sleep", "600"], environment: [:], log: "/dev/null")
      }
      for owner in owners {
        _ = try ServerKeeper.start(
          servers, .init(), owner: owner.id, keptBy: RoleProcess.binaryBesideThisProgram())
      }
      let running = servers.status()
      owners[0].kill()
      // Longer than the keeper's pause between two looks.
      #expect(Patience.holds(for: .milliseconds(1_500)) { servers.status() == running })
      #expect(running.allSatisfy { $0.process != nil })
      owners[1].kill()
      try waitUntilNoneRuns(servers)
      let failure = #expect(throws: ServersError.self) {
        _ = try ServerKeeper.start(servers, .init(), owner: owners[1].id, keptBy: "/bin/true")
      }
      #expect(failure?.description.contains("no process \(owners[1].id)") == true)
    }
  }

  @Test("Servers in a folder of any name, below one that is closed, keep all that they have in it")
  func folders() async throws {
    try await inFolder { folder in
      let closed = "\(folder)/Adas säcret (2) files, under a name that only a person can have"
      try FileManager.default.createDirectory(
        atPath: closed, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let servers = ServerSet(in: "\(closed)/servers")
      let program = try RoleProcess.binaryBesideThisProgram()
      let (held, addresses) = try HeldServers.start(
        servers, ServerOptions(tls: true), isPassing: true, keptBy: program)
      #expect(addresses.secured != nil)
      #expect(servers.status().allSatisfy { $0.process != nil })
      #expect(try open(servers) == [])
      held.release()
      held.waitForKeeper()
      try waitUntilNoneRuns(servers)
      #expect(!Disk.exists(servers.folder))
    }
  }

  @Test("A folder that is removed takes its servers along once their starter ends")
  func removed() async throws {
    try await inFolder { folder in
      let servers = ServerSet(in: "\(folder)/gone")
      let (held, _) = try HeldServers.start(
        servers, keptBy: RoleProcess.binaryBesideThisProgram())
      #expect(!servers.processes.isEmpty)
      try FileManager.default.removeItem(atPath: servers.folder)
      held.release()
      held.waitForKeeper()
      try waitUntilNoneRuns(servers)
      #expect(!Disk.exists(servers.folder))
    }
  }

  // Failure: ServersError.folder: The folder cannot hold servers, or its content is damaged.
  @Test("A damaged folder and a strange name are refused, with a remedy")
  func damaged() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("cubist-damaged-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Disk.makeFolder(folder)
    chmod(folder, 0o755)
    try Disk.write("AMQP=", to: "\(folder)/ports")
    let strange = #expect(throws: ServersError.self) { try ServerSet(in: "/tmp/it's").start() }
    #expect(strange?.description.hasSuffix("choose another folder") == true)
    let failure = #expect(throws: ServersError.self) { try ServerSet(in: folder).start() }
    #expect(failure?.description.hasSuffix("/ports is damaged; remove it and start again") == true)
  }

  // Failure: ServersError.notStarted: A server does not answer. The error shows the end of its log,
  //   and its ports that are taken.
  @Test("A port that something else listens on is named, and nothing is left running")
  func takenPort() async throws {
    try await inFolder { folder in
      let (listener, port) = try LifetimeTests.listen()
      defer { close(listener) }
      var ports = ServerPorts()
      var generator = SystemRandomNumberGenerator()
      ports.add(ServerOptions(), listening: ServerWork.listening(), using: &generator)
      let text = ports.text.replacing("POSTGRES=\(ports[.postgres(1)])", with: "POSTGRES=\(port)")
      try Disk.write(text, to: "\(folder)/ports")
      let servers = ServerSet(in: folder)
      let failure = #expect(throws: ServersError.self) {
        try HeldServers.start(servers, keptBy: RoleProcess.binaryBesideThisProgram())
      }
      guard case .notStarted(let what, _, let end, let hints) = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
      #expect(what == "PostgreSQL" && end.contains("could not bind"))
      #expect(hints.count == 1 && hints[0].contains("listens on port \(port)"))
      #expect(servers.processes.isEmpty)
    }
  }

  /// A socket that listens on a port of 127.0.0.1, which the kernel chose.
  private static func listen() throws -> (Int32, UInt16) {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) + Glibc.listen(socket, 8) + getsockname(socket, $0, &size)
      }
    }
    guard socket >= 0, status == 0 else { throw ChaosFailure("no socket listens") }
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  /// Files below /var/tmp and /tmp that the servers have open, except those of their own folder.
  private func open(_ servers: ServerSet) throws -> [String] {
    servers.processes.flatMap { process -> [String] in
      let folder = "/proc/\(process)/fd"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.compactMap { name in
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))
        guard let path, path.hasPrefix("/var/tmp/") || path.hasPrefix("/tmp/"),
          !path.hasPrefix(servers.folder)
        else { return nil }
        return path
      }
    }
  }

  private func waitUntilNoneRuns(_ servers: ServerSet) throws {
    try waitUntil("no server runs") { servers.processes.isEmpty }
  }
}
