import Glibc

extension ServerWork {
  /// All nodes of RabbitMQ.
  package var allNodes: [Int] { Array(1...ports.nodes) }

  /// Starts nodes, or finds them running, and waits until they answer.
  ///
  /// Nodes that have been together wait for each other; a new one joins the first, which has to run.
  package func startRabbitMQ(_ nodes: [Int]) throws(ServersError) {
    for node in nodes {
      try spawn(node)
      if !Disk.exists(complete(node)) { try awaitAnswer(node) }
    }
    for node in nodes { try awaitAnswer(node) }
  }

  /// Whether a node has been up once: the user is made in the first start, and a further node joins
  /// in its first.
  private func complete(_ node: Int) -> String { "\(paths.rabbitmq(node))/complete" }

  private func prepare(_ node: Int) throws(ServersError) {
    let folder = paths.rabbitmq(node)
    // An interrupted first start is not worth repairing.
    if !Disk.exists(complete(node)) { try user.remove(folder) }
    try user.makeFolders(paths.home, "\(folder)/log", "\(folder)/mnesia")
    try user.write("[rabbitmq_management].\n", to: "\(folder)/enabled_plugins")
    try user.write("[].\n", to: "\(folder)/advanced.config")
    try user.write(configuration.rabbitmq(node), to: "\(folder)/rabbitmq.conf")
    if allNodes.allSatisfy({ rabbitmqProcess($0) == nil }) { try makeCookie() }
  }

  /// Gives the nodes, none of which runs, a cookie of 128 random bits, unless they have one. Erlang's
  /// own has some 30, which are found offline within seconds. Whoever has it may do anything to a node.
  private func makeCookie() throws(ServersError) {
    let path = paths.cookie
    if let cookie = Disk.text(path), cookie.count == 32 { return }
    var generator = SystemRandomNumberGenerator()
    let digits = Array("0123456789abcdef")
    let cookie = (0..<32).compactMap { _ in digits.randomElement(using: &generator) }
    try user.write(String(cookie), to: path)
    try user.succeed(["/bin/chmod", "400", path])
  }

  private func consoleLog(_ node: Int) -> String { "\(paths.rabbitmq(node))/log/console.log" }

  private func spawn(_ node: Int) throws(ServersError) {
    guard rabbitmqProcess(node) == nil else { return }
    try prepare(node)
    if processID(.epmd) == nil {
      try user.succeed(["/bin/ln", "-sfn", programs.epmd, paths.epmd])
      try user.startServer(
        [paths.epmd, "-address", "127.0.0.1", "-port", "\(ports.ports[.epmd])"],
        variables: configuration.erlangVariables(1), log: "\(paths.epmd).log")
    }
    // Half the processors: PostgreSQL and the users of both servers need the other half, and
    // Erlang's schedulers, where they wait for one another, take a third more of them.
    let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    try user.startServer(
      [
        "\(programs.rabbitmq)/rabbitmq-server", ServerMark.flag, paths.rabbitmq(node),
      ],
      variables: configuration.rabbitmqVariables(node, schedulers: min(4, (processors + 1) / 2)),
      log: consoleLog(node))
  }

  private func awaitAnswer(_ node: Int) throws(ServersError) {
    var left = ServerWork.readySeconds
    var process: pid_t?
    while !answers(node) {
      // Looking through all processes takes longer than asking for one.
      if process.map(ProcessTable.runs) != true { process = rabbitmqProcess(node) }
      guard left > 0, process != nil else {
        let log = "\(paths.rabbitmq(node))/log/rabbit.log"
        throw failure(
          "RabbitMQ", log: Disk.text(log) == nil ? consoleLog(node) : log,
          ports: [.amqp(node), .management(node), .distribution(node)])
      }
      pause(0.2)
      left -= 0.2
    }
    if !Disk.exists(complete(node)) { try user.write("", to: complete(node)) }
  }

  private func answers(_ node: Int) -> Bool {
    managementStatus(node, "/api/overview") == 200 && Probe.amqp(port: ports.ports[.amqp(node)])
  }

  /// The status with which a node's management API answers a path.
  package func managementStatus(_ node: Int, _ path: String) -> Int? {
    Probe.management(port: ports.management(node), path, password: passwords.rabbitmq)
  }

  /// Runs a tool of RabbitMQ's own for a node; `input` answers its question for a password.
  package func rabbitmqctl(
    _ node: Int, _ words: [String], tool: String = "rabbitmqctl", input: String = ""
  ) throws(ServersError) {
    let log = paths.toolLog(tool)
    let variables = configuration.erlangVariables(node).merging([
      "RABBITMQ_CTL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}"
    ]) { $1 }
    let status = try user.run(
      [
        "\(programs.rabbitmq)/\(tool)", "--silent", "--node",
        configuration.nodeName(node),
      ] + words, variables: variables, input: input, log: log)
    guard status == 0 else {
      let said = Disk.text(log) ?? ""
      throw .stuck("\(tool) \(words.joined(separator: " ")) ended with \(status): \(said)")
    }
  }

  /// The last output of a server's own tool.
  package func toolOutput(_ name: String) -> String { Disk.text(paths.toolLog(name)) ?? "" }

  /// Ends a process by SIGTERM, and by SIGKILL where that takes too long.
  static func stop(_ process: pid_t) throws(ServersError) {
    _ = Glibc.kill(process, SIGTERM)
    if !waitUntilGone(process, stopSeconds) { try kill([process]) }
  }
}
