import Foundation
import LibPQ

/// PostgreSQL's own programs on this machine.
struct PostgreSQLTools: Hashable, Sendable {
  /// The folder with `pg_dump` and `pg_restore`.
  var folder: String
  /// The version of `pg_dump`, such as `15.18`.
  var version: String

  /// Finds programs that fit a server: in a folder, or where Debian keeps those of the server's
  /// version, or on `PATH`.
  /// - Throws: `wrong` where there are none, or where they are older than the server.
  static func find(
    server: ServerVersion, in folder: String?,
    path: String = ProcessInfo.processInfo.environment["PATH"] ?? ""
  ) throws(OperatorFailure) -> PostgreSQLTools {
    let folders =
      folder.map { [$0] }
      ?? (["/usr/lib/postgresql/\(server.major)/bin"] + path.split(separator: ":").map(String.init))
    let found = folders.first { folder in
      ["pg_dump", "pg_restore"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)")
      }
    }
    guard let found else {
      throw .wrong(
        "There is no pg_dump beside a pg_restore in \(folders.joined(separator: ", ")). Install "
          + "postgresql-client-\(server.major), or name their folder with --tools.")
    }
    var tools = PostgreSQLTools(folder: found, version: "")
    let said = try tools.run("pg_dump", ["--version"])
    guard let version = ServerVersion(said) else {
      throw .wrong("\(found)/pg_dump does not say its version, but: \(said)")
    }
    tools.version = version.text
    // An older one does not know everything that the server has.
    guard version.major >= server.major else {
      throw .wrong(
        "\(found)/pg_dump is of version \(version.text), and the server of version \(server.text). "
          + "Install postgresql-client-\(server.major), or name the folder of newer programs with "
          + "--tools.")
    }
    return tools
  }

  /// A version of PostgreSQL as its programs write it.
  struct ServerVersion: Hashable, Sendable {
    /// The whole version, such as `15.18`.
    var text: String
    var major: Int

    /// Reads the first number with a digit at its beginning, as in `pg_dump (PostgreSQL) 15.18`.
    init?(_ text: String) {
      let words = text.split { !$0.isLetter && !$0.isNumber && $0 != "." }
      guard let word = words.first(where: { $0.first?.isNumber == true }),
        let major = Int(word.prefix { $0.isNumber })
      else { return nil }
      self.text = String(word)
      self.major = major
    }
  }

  /// Runs a program to its end.
  /// - Parameter password: The password for the server; never an argument, which everybody sees.
  /// - Returns: its output and its messages.
  /// - Throws: `wrong` with the end of both where it fails.
  @discardableResult
  func run(
    _ program: String, _ arguments: [String], password: String? = nil
  ) throws(OperatorFailure) -> String {
    let (process, said) = (Process(), Pipe())
    let path = "\(folder)/\(program)"
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    environment["LC_ALL"] = "C"
    environment["PGCONNECT_TIMEOUT"] = environment["PGCONNECT_TIMEOUT"] ?? "10"
    if let password { environment["PGPASSWORD"] = password }
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = said
    process.standardError = said
    let bytes: Data
    do {
      try process.run()
      bytes = try said.fileHandleForReading.readToEnd() ?? Data()
    } catch {
      throw .file(path: path, reason: "\(error)")
    }
    process.waitUntilExit()
    let text = String(decoding: bytes, as: UTF8.self)
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      let end = text.split(separator: "\n").suffix(5).joined(separator: "\n")
      throw .wrong("\(program) failed (\(process.terminationStatus)): \(end)")
    }
    return text
  }
}

extension PostgreSQLSettings {
  /// A connection string for PostgreSQL's own programs, without any secret.
  var withoutPassword: String {
    var pairs = keywords
    pairs["sslpassword"] = nil
    func list(_ name: String, _ value: (Endpoint) -> String?) {
      guard endpoints.contains(where: { value($0) != nil }) else { return }
      pairs[name] = endpoints.map { value($0) ?? "" }.joined(separator: ",")
    }
    list("host", \.host)
    list("hostaddr", \.address)
    list("port") { $0.port.map { "\($0)" } }
    pairs["user"] = user
    pairs["dbname"] = database
    pairs["sslmode"] = sslMode?.rawValue
    if endpoints.count > 1 { pairs["target_session_attrs"] = targetSessionAttributes.rawValue }
    return pairs.sorted { $0.key < $1.key }.map { name, value in
      let escaped = value.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
      return "\(name)='\(escaped)'"
    }.joined(separator: " ")
  }
}
