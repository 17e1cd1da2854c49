import CustomDump
import Testing

@Suite("Commands to paste")
struct PastedCommandTests {
  /// Columns that rabbitmqctl(8) of RabbitMQ 3.10 lists, by command.
  private static let columns: [String: Set<String>] = [
    "list_bindings": [
      "source_name", "source_kind", "destination_name", "destination_kind", "routing_key",
      "arguments",
    ],
    "list_channels": [
      "pid", "connection", "name", "number", "user", "vhost", "consumer_count",
      "messages_unacknowledged", "messages_unconfirmed", "prefetch_count",
    ],
    "list_connections": [
      "pid", "name", "port", "host", "peer_port", "peer_host", "ssl", "state", "channels", "user",
      "vhost", "timeout", "recv_oct", "recv_cnt", "send_oct", "send_cnt", "send_pend",
      "connected_at",
    ],
    "list_consumers": [],
    "list_queues": [
      "name", "durable", "policy", "messages", "messages_ready", "messages_unacknowledged",
      "message_bytes", "consumers", "memory", "state",
    ],
  ]

  /// Commands that ask about one virtual host: `/` where none is named.
  private static let hosted: Set<String> = [
    "delete_queue", "list_bindings", "list_consumers", "list_exchanges", "list_policies",
    "list_queues", "purge_queue",
  ]

  /// The files whose commands operators paste.
  private static let files =
    Tree.files(in: "docs", endingIn: [".md"]) + Tree.files(in: "deploy/observe", endingIn: [".yml"])
    + Tree.files(in: "Sources/cubistd", endingIn: [".swift"])

  /// The part that would fail or show nothing in a shell; nil where there is no fault.
  private static func fault(_ command: String) -> String? {
    let words = command.split(separator: " ").map(String.init)
    guard let program = words.first, let first = words.dropFirst().first else { return nil }
    switch program {
    case "rabbitmqctl":
      let host = words.firstIndex(of: "-p")
      if hosted.contains(first), host == nil { return "it asks virtual host /" }
      guard let known = columns[first] else { return nil }
      var asked = Array(words.dropFirst(2))
      if let host { asked.removeSubrange(host - 2...min(host - 1, asked.count - 1)) }
      return asked.first { !known.contains($0) }.map { "list without column \($0)" }
    case "psql":
      return first == "\"$CUBIST_DATABASE\"" ? nil : "it asks the local socket"
    case "journalctl", "systemctl":
      for word in words where word.contains("cubistd") {
        let unit = word.filter { $0 != "'" }
        if unit != "cubistd.target", !isRole(unit) { return "no unit is called \(unit)" }
      }
      return nil
    default: return nil
    }
  }

  private static func isRole(_ unit: String) -> Bool {
    guard let match = unit.wholeMatch(of: /cubistd@([a-zA-Z]+|\*)(\.service)?/) else {
      return false
    }
    return ["ROLE", "*"].contains(match.1) || roles.contains(String(match.1))
  }

  /// The roles of the package's target.
  private static let roles = Set(
    ((try? Tree.text("deploy/systemd/cubistd.target")) ?? "")
      .matches(of: /cubistd@([a-z]+)\.service/).map { String($0.1) })

  /// The commands of a text, between accents or, in a program, between quotes.
  private static func commands(in text: String) -> [String] {
    // In a program, a text that goes on in the next line, a quote in a text, and psql's prefix.
    let plain = text.replacing(/"\s*\n\s*\+ "/, with: "").replacing(#"\""#, with: "\"")
      .replacing(#"\(psql)"#, with: #"psql "$CUBIST_DATABASE""#).replacing(/\n +/, with: " ")
    return plain.matches(
      of: /[`"]((?:rabbitmqctl|psql|journalctl|systemctl) (?:"\$[A-Z_]+"|[^`"])+)/
    ).map { String($0.1) }
  }

  @Test("Each one lists our virtual host, asks our database, and names units of the package")
  func whole() throws {
    var (count, wrong): (Int, [String]) = (0, [])
    for file in Self.files {
      for command in Self.commands(in: try Tree.text(file)) {
        count += 1
        if let fault = Self.fault(command) { wrong.append("\(file): \(command): \(fault)") }
      }
    }
    #expect(Self.roles.count > 5)
    #expect(count > 25)
    expectNoDifference(wrong, [])
  }

  @Test(
    "A command that fails or shows nothing is found",
    arguments: [
      "rabbitmqctl list_queues name messages", "rabbitmqctl list_consumers",
      "rabbitmqctl list_connections pid user memory", "rabbitmqctl delete_queue NAME",
      "psql -c 'SELECT 1'", "journalctl -u cubistd", "systemctl status cubistd.service",
      "systemctl restart cubistd@waiter",
    ])
  func found(command: String) {
    #expect(Self.commands(in: "`\(command)`") == [command])
    #expect(Self.fault(command) != nil)
  }
}
