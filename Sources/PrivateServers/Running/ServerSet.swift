import Glibc
import LibPQ
import SystemCalls

/// PostgreSQL and RabbitMQ of one folder, on free ports of 127.0.0.1, with everything they own below
/// it. The machine's own instances are never touched.
package struct ServerSet: Sendable {
  let paths: ServerPaths
  /// The folder as it was named: the way there may go through links.
  private let named: String
  /// Hears about steps that take a while.
  package var progress: @Sendable (String) -> Void = { _ in }
  /// Further environment variables of a member of PostgreSQL, such as a library to preload. One
  /// that is preloaded here, to set on the clock, is preloaded there too: the service goes by
  /// the database's clock.
  package var postgresVariables: @Sendable (_ member: Int) -> [String: String] = { _ in
    getenv("LD_PRELOAD").map { ["LD_PRELOAD": String(cString: $0)] } ?? [:]
  }

  /// The servers of a folder, whether it exists or not.
  package init(in folder: String) {
    named = folder
    paths = ServerPaths(folder: Disk.absolute(folder))
  }

  /// The absolute path of the folder.
  package var folder: String { paths.folder }

  // MARK: Starting

  /// Starts all of them, or finds them running; the same ports, passwords and data each time.
  ///
  /// They run until ``stop()``. ``HeldServers`` end with their starter.
  @discardableResult
  package func start(_ options: ServerOptions = .init()) throws(ServersError) -> ServerAddresses {
    try start(options, keeper: nil)
  }

  /// Starts them with another keeper; an empty one is none, nil keeps the former.
  func start(_ options: ServerOptions, keeper: String?) throws(ServersError) -> ServerAddresses {
    // RabbitMQ's scripts and settings do not quote these.
    guard !folder.contains(where: { "'\"\\#".contains($0) || $0.isNewline }) else {
      throw .folder(
        """
        \(folder) has a quote, a backslash or a # in its name, which RabbitMQ cannot bear; choose \
        another folder
        """)
    }
    try makeFolder()
    let lock = try ServersLock(paths)
    defer { withExtendedLifetime(lock) {} }
    if let keeper { try Disk.write(keeper, to: paths.keeper) }
    let user = try ServersUser(for: folder)
    try placeData(user)
    try pickPorts(options)
    let secured = Disk.exists("\(paths.tls)/complete")
    let work = try work(user, tls: options.tls || secured)
    if let nodes = options.nodes, nodes != work.ports.nodes {
      throw .folder(
        "\(folder) has \(work.ports.nodes) nodes already; stop and remove it to have \(nodes)")
    }
    if options.tls, !secured {
      try work.makeCertificates()
      for process in work.processes {
        if case .rabbitmq = process.mark { try ServerWork.stop(process.id) }
      }
    }
    try work.startPostgres()
    try work.startRabbitMQ(work.allNodes)
    return try tell(work)
  }

  /// Makes the folder, and refuses what somebody else has put where our files are.
  func makeFolder() throws(ServersError) {
    try Disk.makeOwnFolder(named, folder)
    for path in paths.ownFiles { try Disk.refuseStrange(path) }
  }

  private func placeData(_ user: ServersUser) throws(ServersError) {
    var status = stat()
    if lstat(paths.data, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
      guard status.st_uid == geteuid() || status.st_uid == 0 else {
        throw .folder(
          "\(paths.data) is a link of user \(status.st_uid); \(TrustedOwners.fileRemedy)")
      }
      try bringHome()
    }
    if mkdir(paths.data, 0o700) == 0 {
      guard lchown(paths.data, user.id, gid_t.max) == 0 else { throw Disk.failure(paths.data) }
    }
    guard stat(paths.data, &status) == 0 else { throw Disk.failure(paths.data) }
    guard status.st_uid == user.id else {
      throw .folder(
        """
        \(paths.data) belongs to user \(status.st_uid) instead of \(user.id); start the servers as \
        the user who started them first, or remove \(folder)
        """)
    }
  }

  /// Earlier builds kept the data elsewhere at times, behind a link.
  private func bringHome() throws(ServersError) {
    let (data, elsewhere) = (paths.data, Disk.absolute(paths.data))
    for process in processes(ServerPaths(folder: Disk.parent(of: elsewhere))) {
      throw .stuck("process \(process) still uses \(elsewhere); end it, then start again")
    }
    let script = #"mv -T -- "$1" "$2.home" && rm -f -- "$2" && mv -T -- "$2.home" "$2""#
    let status = try Tool(words: ["/bin/sh", "-c", script, "sh", elsewhere, data]).run()
    guard status == 0 else {
      throw .system(what: elsewhere, reason: "it cannot be moved to \(data)")
    }
  }

  private func processes(_ paths: ServerPaths) -> [pid_t] {
    ServerWork.processes(paths, clusterName: clusterName).map(\.id)
  }

  private func pickPorts(_ options: ServerOptions) throws(ServersError) {
    var ports = ServerPorts()
    if let text = try Disk.ownText(paths.ports) { ports = try read(text) }
    var generator = SystemRandomNumberGenerator()
    let before = ports
    ports.add(options, listening: ServerWork.listening(), using: &generator)
    if ports != before { try Disk.write(ports.text, to: paths.ports) }
  }

  private func read(_ text: String) throws(ServersError) -> ServerPorts {
    guard let ports = ServerPorts(text: text) else {
      throw .folder("\(paths.ports) is damaged; remove it and start again")
    }
    return ports
  }

  private func password(_ name: String) throws(ServersError) -> String {
    let file = paths.password(name)
    if let password = try Disk.ownText(file) { return password }
    var generator = SystemRandomNumberGenerator()
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    let password = String((0..<24).compactMap { _ in letters.randomElement(using: &generator) })
    try Disk.write("\(password)\n", to: file)
    return password
  }

  /// Writes down where the servers are.
  private func tell(_ work: ServerWork) throws(ServersError) -> ServerAddresses {
    if work.tls {
      let bytes = try Disk.readOwn("\(paths.tls)/ca.pem", orOf: work.user.id)
      try Disk.write(String(decoding: bytes, as: UTF8.self), to: paths.authority)
    }
    let addresses = ServerAddresses(
      ports: work.ports.ports, passwords: work.passwords, tls: work.tls, paths: paths)
    try Disk.write(addresses.shellLines, to: paths.variables)
    let ports = work.ports.ports
    progress(
      """
      PostgreSQL \(ports[.postgres(1)]) and RabbitMQ \(ports[.amqp(1)]) (management \
      \(ports[.management(1)])) run on 127.0.0.1; . '\(paths.variables)' tells tests where
      """)
    return addresses
  }

  // MARK: Working

  /// Works on servers that were started before, while nobody else does.
  package func locked<Result>(
    _ body: (ServerWork) throws(ServersError) -> Result
  ) throws(ServersError) -> Result {
    guard Disk.exists(paths.data) else {
      throw .folder("no servers were started in \(folder)")
    }
    let lock = try ServersLock(paths)
    defer { withExtendedLifetime(lock) {} }
    return try body(work(ServersUser(for: folder), tls: Disk.exists("\(paths.tls)/complete")))
  }

  private func work(_ user: ServersUser, tls: Bool) throws(ServersError) -> ServerWork {
    let passwords = ServerPasswords(
      postgres: try password("postgres"), rabbitmq: try password("rabbitmq"))
    return ServerWork(
      paths: paths, user: user, programs: try ServerPrograms(tls: tls), passwords: passwords,
      ports: ServerPortList(ports: try read(Disk.ownText(paths.ports) ?? "")), tls: tls,
      clusterName: clusterName, progress: progress, postgresVariables: postgresVariables)
  }

  /// A name that no other folder of this machine has.
  private var clusterName: String {
    var status = stat()
    guard stat(paths.data, &status) == 0 else { return "cubist-gone" }
    return "cubist-\(status.st_dev)-\(status.st_ino)"
  }

  /// Puts a file into the folder of the servers' data, where their user can read it.
  package func copy(_ source: String, toData name: String) throws(ServersError) -> String {
    try makeFolder()
    let user = try ServersUser(for: folder)
    try placeData(user)
    let path = "\(paths.data)/\(name)"
    let script = #"cat >"$1.new" && mv -f -- "$1.new" "$1""#
    let status = try Tool(
      words: user.prefix + ["/bin/sh", "-c", script, "sh", path], source: source
    ).run()
    guard status == 0 else { throw .system(what: path, reason: "it cannot be written") }
    return path
  }

  /// The folder of a member of PostgreSQL.
  package func postgresData(member: Int = 1) -> String { paths.postgres(member) }

  // MARK: Looking

  /// A server, and the process that it runs in.
  package struct Status: Hashable, Sendable {
    /// Such as `PostgreSQL`.
    package var name: String
    /// Nil: it does not run.
    package var process: Int32?
  }

  /// The state of each server: PostgreSQL first, then RabbitMQ.
  package func status() -> [Status] {
    let ports = Disk.text(paths.ports).flatMap { ServerPorts(text: $0) } ?? ServerPorts()
    let processes = ServerWork.processes(paths, clusterName: clusterName)
    func find(_ mark: ServerMark) -> Int32? { processes.first { $0.mark == mark }?.id }
    let primary = Disk.text(paths.primary) == "2" ? 2 : 1
    var found = [
      Status(name: "PostgreSQL", process: find(.postgres(folder: paths.postgres(primary))))
    ]
    if ports.hasStandby {
      found.append(
        Status(
          name: "PostgreSQL's standby",
          process: find(.postgres(folder: paths.postgres(3 - primary)))))
    }
    for node in 1...ports.nodes {
      found.append(
        Status(
          name: node == 1 ? "RabbitMQ" : "RabbitMQ's node \(node)",
          process: find(.rabbitmq(folder: paths.rabbitmq(node)))))
    }
    return found
  }

  /// The processes of all servers, with those that they have made.
  var processes: [Int32] { processes(paths) }

  /// The shell lines that tell tests where the servers are.
  package func shellLines() throws(ServersError) -> String {
    guard Disk.exists(paths.variables) else {
      throw .folder("no servers were started in \(folder)")
    }
    try Disk.refuseStrange(paths.variables)
    return String(decoding: try Disk.readOwn(paths.variables), as: UTF8.self)
  }

  // MARK: Stopping

  /// Stops them, and has the next start make a new RabbitMQ; databases stay.
  package func forgetMessages() throws(ServersError) {
    guard Disk.exists(paths.data) else { return }
    try stop()
    try locked { work throws(ServersError) in
      for node in work.allNodes { try work.remove(paths.rabbitmq(node)) }
    }
  }

  /// Stops all of them and their leftover processes; their data stays.
  ///
  /// It needs nothing of the folder, which may be gone.
  package func stop() throws(ServersError) { try stop(clusterName, if: { true }) }

  /// Stops all of them, if `isWanted` still holds once nobody else is at work in the folder.
  func stop(_ clusterName: String, if isWanted: () -> Bool) throws(ServersError) {
    let lock = Disk.exists(folder) ? try ServersLock(paths) : nil
    defer { withExtendedLifetime(lock) {} }
    guard isWanted() else { return }
    func running() -> [(id: pid_t, mark: ServerMark)] {
      ServerWork.processes(paths, clusterName: clusterName)
    }
    var brokers: [(folder: String, id: pid_t)] = []
    for case (let id, .rabbitmq(let folder)) in running() { brokers.append((folder, id)) }
    // The first one last: it has the newest state then, and the others wait for it when they start.
    for broker in brokers.sorted(by: { $0.folder > $1.folder }) { try ServerWork.stop(broker.id) }
    for case (let id, .epmd) in running() { try ServerWork.stop(id) }
    // The primary first: its standby then has all its writes.
    let primary = paths.postgres(Disk.text(paths.primary) == "2" ? 2 : 1)
    var members: [(folder: String, id: pid_t)] = []
    for case (let id, .postgres(let folder)) in running() { members.append((folder, id)) }
    for member in members.sorted(by: { $0.folder == primary && $1.folder != primary }) {
      try ServerWork.stopPostgres(member.id, .fast)
    }
    try ServerWork.kill(running().map(\.id))
  }

  /// The name by which the processes of PostgreSQL are known, as long as the folder is there.
  var processName: String { clusterName }
}
