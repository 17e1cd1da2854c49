/// A listener with a port of its own. Members of PostgreSQL and nodes of RabbitMQ count from 1.
enum ServerPort: Hashable {
  case postgres(Int)
  case amqp(Int)
  case amqps(Int)
  case management(Int)
  case managements(Int)
  case distribution(Int)
  case epmd

  /// The name in the file. The first of several has a plain name, the others have their number in
  /// it.
  var name: String {
    switch self {
    case .postgres(let number): "POSTGRES" + ServerPort.mark(number)
    case .amqp(let number): "AMQP" + ServerPort.mark(number)
    case .amqps(let number): "AMQPS" + ServerPort.mark(number)
    case .management(let number): "MANAGEMENT" + ServerPort.mark(number)
    case .managements(let number): "MANAGEMENTS" + ServerPort.mark(number)
    case .distribution(let number): "DISTRIBUTION" + ServerPort.mark(number)
    case .epmd: "EPMD"
    }
  }

  init?(name: Substring) {
    let letters = name.prefix { $0.isLetter }
    let digits = name.dropFirst(letters.count)
    guard let number = digits.isEmpty ? 1 : Int(digits), number > 0 else { return nil }
    switch letters {
    case "POSTGRES": self = .postgres(number)
    case "AMQP": self = .amqp(number)
    case "AMQPS": self = .amqps(number)
    case "MANAGEMENT": self = .management(number)
    case "MANAGEMENTS": self = .managements(number)
    case "DISTRIBUTION": self = .distribution(number)
    case "EPMD" where number == 1: self = .epmd
    default: return nil
    }
  }

  static func mark(_ number: Int) -> String { number == 1 ? "" : "\(number)" }
}

/// The ports of a folder's servers. They also tell which servers there are.
struct ServerPorts: Hashable {
  /// Below the range that the kernel hands out: no outgoing connection takes a port of ours while
  /// the servers are down.
  static let range: Range<UInt16> = 20_000..<32_000

  private var numbers: [ServerPort: UInt16] = [:]

  init() {}

  /// Reads lines of NAME=PORT; nil where one is damaged, or the first server has none.
  init?(text: String) {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let port = ServerPort(name: parts[0]), let number = UInt16(parts[1]),
        number > 0
      else { return nil }
      numbers[port] = number
    }
    let first: [ServerPort] = [.postgres(1), .amqp(1), .amqps(1), .management(1), .distribution(1)]
    guard (first + [.epmd]).allSatisfy({ numbers[$0] != nil }) else { return nil }
  }

  /// The file: a line each, in the order of their names.
  var text: String {
    numbers.map { "\($0.key.name)=\($0.value)\n" }.sorted().joined()
  }

  /// A port, 0 where there is no such server.
  subscript(port: ServerPort) -> UInt16 { numbers[port] ?? 0 }

  var hasStandby: Bool { numbers[.postgres(2)] != nil }

  /// The number of RabbitMQ's nodes.
  var nodes: Int {
    var count = 1
    while numbers[.amqp(count + 1)] != nil { count += 1 }
    return count
  }

  /// Gives a port to each server that is wanted and has none.
  mutating func add(
    _ options: ServerOptions, listening: Set<UInt16>,
    using generator: inout some RandomNumberGenerator
  ) {
    var wanted: [ServerPort] = [.postgres(1), .epmd]
    if options.standby { wanted.append(.postgres(2)) }
    for node in 1...max(1, options.nodes ?? 1) {
      wanted += [.amqp(node), .amqps(node), .management(node), .managements(node)]
      wanted.append(.distribution(node))
    }
    var taken = listening.union(numbers.values)
    for port in wanted where numbers[port] == nil {
      var number = UInt16.random(in: ServerPorts.range, using: &generator)
      while !taken.insert(number).inserted {
        number = UInt16.random(in: ServerPorts.range, using: &generator)
      }
      numbers[port] = number
    }
  }

  /// The ports that something listens on, by a table of the kernel such as `/proc/net/tcp`.
  static func listening(in table: String) -> Set<UInt16> {
    var ports: Set<UInt16> = []
    for line in table.split(separator: "\n").dropFirst() {
      let words = line.split(separator: " ")
      guard words.count > 3, words[3] == "0A",
        let colon = words[1].lastIndex(of: ":"),
        let port = UInt16(words[1][words[1].index(after: colon)...], radix: 16)
      else { continue }
      ports.insert(port)
    }
    return ports
  }
}
