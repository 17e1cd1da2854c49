import CPostgreSQL
import CubistBasics

extension PostgreSQLSettings {
  /// Reads `host=… port=…` or a `postgres://` URI, as libpq does.
  ///
  /// Keywords that the string does not name keep the defaults of this type. Source: PostgreSQL 15
  /// documentation, 34.1.1.
  ///
  /// - Throws: ``PostgreSQLError/Code/invalidSettings``, without quoting the string.
  package init(connectionString: String) throws(PostgreSQLError) {
    self.init()
    var hosts: [String] = []
    var addresses: [String] = []
    var ports: [String] = []
    for (keyword, value) in try Self.parse(connectionString) {
      switch keyword {
      case "host": hosts = Self.list(value)
      case "hostaddr": addresses = Self.list(value)
      case "port": ports = Self.list(value)
      default: try set(keyword, to: value)
      }
    }
    endpoints = try Self.endpoints(hosts: hosts, addresses: addresses, ports: ports)
  }

  private mutating func set(_ keyword: String, to value: String) throws(PostgreSQLError) {
    switch keyword {
    case "user": user = value
    case "password": password = value
    case "dbname": database = value
    case "application_name": applicationName = value
    case "sslmode": sslMode = try Self.choice(keyword, value)
    case "target_session_attrs": targetSessionAttributes = try Self.choice(keyword, value)
    case "connect_timeout":
      // Zero means no limit to libpq. Here every wait has one.
      let seconds = try Self.number(keyword, value)
      if seconds > 0 { connectTimeout = .seconds(seconds) }
    case "tcp_user_timeout": tcpUserTimeout = .milliseconds(try Self.number(keyword, value))
    case "keepalives_idle": keepalives.idle = .seconds(try Self.number(keyword, value))
    case "keepalives_interval": keepalives.interval = .seconds(try Self.number(keyword, value))
    case "keepalives_count": keepalives.count = Int(try Self.number(keyword, value))
    default: keywords[keyword] = value
    }
  }

  /// The keywords that a connection string names.
  private static func parse(_ text: String) throws(PostgreSQLError) -> [(String, String)] {
    guard !text.utf8.contains(0) else {
      throw PostgreSQLError(.invalidSettings, "the connection string holds a zero byte")
    }
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(text, &message) else {
      PQfreemem(message)
      throw PostgreSQLError(
        .invalidSettings,
        "neither a keyword=value string nor a postgres:// URI that libpq can read; its own words "
          + "are withheld, they may quote the password")
    }
    defer { PQconninfoFree(options) }
    var pairs: [(String, String)] = []
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        pairs.append((String(cString: keyword), String(cString: value)))
      }
      option += 1
    }
    return pairs
  }

  private static func list(_ value: String) -> [String] {
    value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  private static func endpoints(
    hosts: [String], addresses: [String], ports: [String]
  ) throws(PostgreSQLError) -> [Endpoint] {
    let count = max(hosts.count, addresses.count, 1)
    guard [0, count].contains(hosts.count), [0, count].contains(addresses.count),
      [0, 1, count].contains(ports.count)
    else {
      throw PostgreSQLError(.invalidSettings, "hosts, addresses and ports differ in number")
    }
    var endpoints: [Endpoint] = []
    for index in 0..<count {
      var endpoint = Endpoint()
      if !hosts.isEmpty, !hosts[index].isEmpty { endpoint.host = hosts[index] }
      if !addresses.isEmpty, !addresses[index].isEmpty { endpoint.address = addresses[index] }
      if let text = ports.count == 1 ? ports[0] : ports.isEmpty ? nil : ports[index], !text.isEmpty
      {
        guard let port = UInt16(text), port > 0 else {
          throw PostgreSQLError(.invalidSettings, "a port is not a number from 1 to 65535")
        }
        endpoint.port = port
      }
      endpoints.append(endpoint)
    }
    return endpoints
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ keyword: String, _ value: String
  ) throws(PostgreSQLError) -> Choice {
    if let choice = Choice(rawValue: value) { return choice }
    let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    throw PostgreSQLError(.invalidSettings, "\(keyword) must be one of \(known)")
  }

  private static func number(_ keyword: String, _ value: String) throws(PostgreSQLError) -> Int32 {
    guard let number = Int32(value), number >= 0 else {
      throw PostgreSQLError(.invalidSettings, "\(keyword) must be a number, at least 0")
    }
    return number
  }
}

extension PostgreSQLSettings {
  /// The keywords and values with which libpq connects to one endpoint.
  func pairs(for endpoint: Endpoint) throws(PostgreSQLError) -> [(keyword: String, value: String)] {
    try validate()
    var pairs = keywords
    // libpq looks for Kerberos first unless it is switched off: a round trip.
    if pairs["gssencmode"] == nil { pairs["gssencmode"] = "disable" }
    pairs["host"] = endpoint.host
    pairs["hostaddr"] = endpoint.address
    pairs["port"] = endpoint.port.map { String($0) }
    pairs["user"] = user
    pairs["password"] = password
    pairs["dbname"] = database
    pairs["application_name"] = applicationName
    pairs["sslmode"] = sslMode?.rawValue
    pairs["client_encoding"] = "UTF8"
    pairs["tcp_user_timeout"] = String(tcpUserTimeout.wholeMilliseconds)
    pairs["keepalives_idle"] = String(keepalives.idle.components.seconds)
    pairs["keepalives_interval"] = String(keepalives.interval.components.seconds)
    pairs["keepalives_count"] = String(keepalives.count)
    // This is tested after connecting instead, since libpq has no error code for it.
    pairs["target_session_attrs"] = "any"
    // The last option wins: a person's options override the defaults.
    pairs["options"] = sessionOptions + (keywords["options"].map { " \($0)" } ?? "")
    let sorted = pairs.sorted { $0.key < $1.key }.map { (keyword: $0.key, value: $0.value) }
    guard !sorted.contains(where: { $0.keyword.utf8.contains(0) || $0.value.utf8.contains(0) })
    else { throw PostgreSQLError(.invalidSettings, "a setting holds a zero byte") }
    return sorted
  }

  private func validate() throws(PostgreSQLError) {
    guard !endpoints.isEmpty else {
      throw PostgreSQLError(.invalidSettings, "the settings name no server")
    }
    let limits = [
      connectTimeout, statementTimeout, lockTimeout, idleInTransactionTimeout, tcpUserTimeout,
    ]
    let range = 1...Int64(Int32.max)  // Milliseconds, as PostgreSQL holds them.
    guard limits.allSatisfy({ range.contains($0.wholeMilliseconds) }) else {
      throw PostgreSQLError(.invalidSettings, "a time limit is not from 1 ms to 24 days")
    }
  }

  /// The `-c name=value` list of the session's parameters.
  private var sessionOptions: String {
    var parameters = serverParameters
    parameters["statement_timeout"] = String(statementTimeout.wholeMilliseconds)
    parameters["lock_timeout"] = String(lockTimeout.wholeMilliseconds)
    parameters["idle_in_transaction_session_timeout"] =
      String(idleInTransactionTimeout.wholeMilliseconds)
    if let searchPath { parameters["search_path"] = searchPath }
    return parameters.sorted { $0.key < $1.key }.map { name, value in
      "-c \(Self.escaped(name))=\(Self.escaped(value))"
    }.joined(separator: " ")
  }

  /// A backslash keeps a space or a backslash inside an option.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      if character.isWhitespace || character == "\\" { escaped.append("\\") }
      escaped.append(character)
    }
    return escaped
  }
}
