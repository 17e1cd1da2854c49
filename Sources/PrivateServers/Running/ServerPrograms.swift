import Glibc

/// The installed servers.
struct ServerPrograms: Hashable, Sendable {
  /// The folder of PostgreSQL's programs.
  var postgres: String

  static let rabbitmq = "/usr/lib/rabbitmq/bin"
  static let epmd = "/usr/bin/epmd"
  static let openssl = "/usr/bin/openssl"

  /// Finds them.
  ///
  /// - Parameters:
  ///   - versions: The versions of PostgreSQL that have a folder.
  ///   - exists: Whether there is a program at a path.
  /// - Throws: `packagesMissing`, all at once.
  init(
    tls: Bool, versions: [String] = ServerPrograms.versions(),
    exists: (String) -> Bool = { access($0, X_OK) == 0 }
  ) throws(ServersError) {
    let folders = versions.sorted { (Int($0) ?? 0) < (Int($1) ?? 0) }
      .map { "/usr/lib/postgresql/\($0)/bin" }
    let postgres = folders.last { exists("\($0)/initdb") && exists("\($0)/postgres") }
    var missing: [String] = []
    if postgres == nil { missing.append("postgresql") }
    if !exists("\(ServerPrograms.rabbitmq)/rabbitmq-server") { missing.append("rabbitmq-server") }
    if !exists(ServerPrograms.epmd) { missing.append("erlang-base") }
    if tls, !exists(ServerPrograms.openssl) { missing.append("openssl") }
    guard missing.isEmpty, let postgres else { throw .packagesMissing(missing) }
    self.postgres = postgres
  }

  private static func versions() -> [String] {
    guard let folder = opendir("/usr/lib/postgresql") else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let item = readdir(folder) {
      names.append(
        withUnsafePointer(to: &item.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names.filter { Int($0) != nil }
  }
}
