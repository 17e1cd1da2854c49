import Foundation
package import PrivateServers
package import RealServers
import Synchronization

/// Servers for one run or test alone, and the levers that disturb them. They end with this process,
/// however it ends.
package final class RunServers: Sendable {
  let servers: ServerSet
  /// The library that makes a full disk for PostgreSQL, see Tests/CFullDisk.
  private let fullDiskLibrary: String?
  private let held = Mutex<HeldServers?>(nil)

  /// The servers of a folder, which may run already.
  ///
  /// - Parameter fullDiskLibrary: The library that ``setDisk(full:)`` needs. It has to be preloaded
  ///   from the first start on.
  package init(folder: String, fullDiskLibrary: String? = nil) {
    var servers = ServerSet(in: folder)
    self.fullDiskLibrary = fullDiskLibrary
    if fullDiskLibrary != nil {
      let library = RunServers.library(servers)
      let flags = (1...2).map { RunServers.flag(servers, $0) }
      servers.postgresVariables = { member in
        ["LD_PRELOAD": library, "FULL_DISK_FLAG": flags[member - 1]]
      }
    }
    self.servers = servers
  }

  /// Starts them.
  ///
  /// - Parameters:
  ///   - isPassing: Whether the folder goes with them.
  ///   - program: The `cubistd` that keeps them.
  @discardableResult
  package func start(
    _ options: ServerOptions = .init(), isPassing: Bool = false, keptBy program: String
  ) throws -> ServerAddresses {
    try about("start") { () throws(ServersError) in
      if let fullDiskLibrary {
        _ = try servers.copy(fullDiskLibrary, toData: RunServers.libraryName)
      }
      let (held, addresses) = try HeldServers.start(
        servers, options, isPassing: isPassing, keptBy: program)
      self.held.withLock { $0 = held }
      return addresses
    }
  }

  /// Starts them for a test; their folder goes with them.
  package func startForTest() throws -> ServerEnvironment {
    let program = try RoleProcess.binaryBesideThisProgram()
    return try ServerEnvironment(
      start(ServerOptions(tls: true), isPassing: true, keptBy: program).variables)
  }

  /// Stops those that were started here.
  package func stop() throws {
    let held = held.withLock { $0.take() }
    try about("stop") { () throws(ServersError) in try held?.stop() }
  }

  /// A failure of servers says nothing about the service.
  private func about<Result>(
    _ what: String, _ body: () throws(ServersError) -> Result
  ) throws -> Result {
    do throws(ServersError) { return try body() } catch {
      throw ChaosFailure("servers in \(servers.folder), \(what): \(error)", isAboutServers: true)
    }
  }

  private static let libraryName = "fulldisk.so"

  private static func library(_ servers: ServerSet) -> String {
    "\(URL(fileURLWithPath: servers.postgresData()).deletingLastPathComponent().path)/\(libraryName)"
  }

  private static func flag(_ servers: ServerSet, _ member: Int) -> String {
    "\(servers.postgresData(member: member)).disk-is-full"
  }

  // MARK: Levers on PostgreSQL

  /// Ends the primary as by a crash, and starts it again.
  package func restartPostgres() throws {
    try about("restart of PostgreSQL") { () throws(ServersError) in
      try servers.locked { work throws(ServersError) in
        try work.stopPostgres(work.primary, .immediate)
      }
      try servers.start()
    }
  }

  /// Kills the standby, which commits wait for, until ``startStandby()``.
  package func killStandby() throws {
    try about("death of the standby") { () throws(ServersError) in
      try servers.locked { work throws(ServersError) in
        try work.stopPostgres(3 - work.primary, .immediate)
      }
    }
  }

  /// Starts the standby, and returns once it has all commits.
  package func startStandby() throws {
    try about("start of the standby") { () throws(ServersError) in
      try servers.locked { work throws(ServersError) in try work.attachStandby() }
    }
  }

  /// Kills the primary, promotes the standby, and makes the former primary its standby.
  ///
  /// - Returns: How long no server took writes.
  @discardableResult
  package func failOver() throws -> Duration {
    try about("failover") { () throws(ServersError) in
      try servers.locked { work throws(ServersError) in
        guard work.ports.hasStandby, work.postgresProcess(work.primary) != nil else {
          throw .stuck("there is no primary with a standby")
        }
        // Commits from before the standby streamed must be on it too.
        guard work.isSynchronous, work.standbyReports("sync_state", "sync", 30),
          work.allIsOnStandby()
        else { throw .stuck("the standby does not stream, a failover could lose commits") }
        let former = work.primary
        let began = ContinuousClock.now
        // As when a machine dies: the server and all its backends at once.
        var processes = work.postgresProcesses(former)
        while !processes.isEmpty {
          try ServerWork.kill(processes)
          processes = work.postgresProcesses(former)
        }
        for member in 1...2 { try work.remove(RunServers.flag(servers, member)) }
        try work.takeOver()
        let taken = ContinuousClock.now - began
        try work.attachStandby()
        return taken
      }
    }
  }

  /// Keeps the primary's tables and indexes from growing, or lets them. Each server has a disk of
  /// its own, since a standby ends if its disk is full.
  package func setDisk(full isFull: Bool) throws {
    guard fullDiskLibrary != nil else {
      throw ChaosFailure("the servers were started without the library for a full disk")
    }
    try about("full disk") { () throws(ServersError) in
      try servers.locked { work throws(ServersError) in
        for member in 1...2 { try work.remove(RunServers.flag(servers, member)) }
        if isFull { try work.write("", to: RunServers.flag(servers, work.primary)) }
      }
    }
  }

  // MARK: Levers on RabbitMQ

  /// Kills a node, or all of them.
  package func killBroker(node: Int? = nil) throws {
    try about("kill of RabbitMQ") { () throws(ServersError) in
      try servers.locked { work throws(ServersError) in
        let nodes = node.map { [$0] } ?? work.allNodes
        let processes = nodes.compactMap { work.rabbitmqProcess($0) }
        guard !processes.isEmpty else { throw .stuck("RabbitMQ does not run") }
        try ServerWork.kill(processes)
      }
    }
  }

  /// Starts a node that was killed, or all of them.
  package func startBroker(node: Int? = nil) throws {
    try about("start of RabbitMQ") { () throws(ServersError) in
      try servers.locked { work throws(ServersError) in
        try work.startRabbitMQ(node.map { [$0] } ?? work.allNodes)
      }
    }
  }

  /// The resources of RabbitMQ whose want makes it take no messages.
  package enum Resource: Sendable { case memory, disk }

  /// Has RabbitMQ take no messages for want of a resource, or take them again; waits for it.
  ///
  /// An alarm of one node stops publishers at every node; each has to lower its own.
  package func setAlarm(_ isOn: Bool, of resource: Resource = .memory) throws {
    let words =
      switch resource {
      case .memory:
        ["set_vm_memory_high_watermark", isOn ? "0.000001" : ServerWork.memoryWatermark]
      // No disk has that much room.
      case .disk: ["set_disk_free_limit", isOn ? "1000000GB" : ServerWork.diskFreeLimit]
      }
    try about("alarm of \(resource)") { () throws(ServersError) in
      try servers.locked { work throws(ServersError) in
        let running = work.allNodes.filter { work.rabbitmqProcess($0) != nil }
        for node in isOn ? Array(running.prefix(1)) : running {
          try work.rabbitmqctl(node, words)
          let wanted = isOn ? 503 : 200
          var looks = 0
          while work.managementStatus(node, "/api/health/checks/alarms") != wanted {
            looks += 1
            guard looks < 150 else {
              throw .stuck("RabbitMQ's alarm of \(resource) does not go \(isOn ? "on" : "off")")
            }
            pauseThread(0.2)
          }
        }
      }
    }
  }

  /// The process of the first node; nil: it does not run.
  package var brokerProcess: Int32? {
    servers.status().first { $0.name == "RabbitMQ" }?.process
  }

  /// The value of an Erlang expression on the first node, as `rabbitmqctl` prints it.
  package func evaluate(_ expression: String) throws -> String {
    try about("rabbitmqctl eval") { () throws(ServersError) in
      try servers.locked { work throws(ServersError) in
        try work.rabbitmqctl(1, ["eval", expression])
        return work.toolOutput("rabbitmqctl")
      }
    }
  }

  /// Runs a line of `rabbitmqctl` or another tool of RabbitMQ, as an administrator in a shell would.
  ///
  /// - Parameter input: The answer to its question for a password.
  package func administer(_ line: some StringProtocol, input: String = "") throws {
    // No word of such a line has a space or a quote within.
    let words = line.split(separator: " ").map { String($0.filter { $0 != "'" }) }
    let tool = words.first ?? ""
    try about(tool) { () throws(ServersError) in
      try servers.locked { work throws(ServersError) in
        try work.rabbitmqctl(1, Array(words.dropFirst()), tool: tool, input: input)
      }
    }
  }
}
