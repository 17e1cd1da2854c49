import Glibc

/// The installed servers.
struct ServerPrograms: Hashable, Sendable {
  /// The folder of PostgreSQL's programs.
  let postgres: String
  /// The folder that holds `usr` with the servers' packages; empty for the machine's own.
  let root: String

  var rabbitmq: String { "\(root)/usr/lib/rabbitmq/bin" }
  var epmd: String { "\(root)/usr/bin/epmd" }
  static let openssl = "/usr/bin/openssl"

  /// The variable that names another root: packages of another release, which `deploy/other-servers`
  /// unpacks.
  static let rootVariable = "CUBIST_SERVERS_ROOT"

  /// Finds them.
  ///
  /// - Parameters:
  ///   - versions: The versions of PostgreSQL that have a folder; nil: those that are there.
  ///   - exists: Whether there is a program at a path.
  /// - Throws: `packagesMissing`, all at once; `folder` where they are missing in another root.
  init(
    tls: Bool, root: String = ServerPrograms.chosenRoot, versions: [String]? = nil,
    exists: (String) -> Bool = { access($0, X_OK) == 0 }
  ) throws(ServersError) {
    let folders = (versions ?? ServerPrograms.versions(in: root))
      .sorted { (Int($0) ?? 0) < (Int($1) ?? 0) }.map { "\(root)/usr/lib/postgresql/\($0)/bin" }
    let postgres = folders.last { exists("\($0)/initdb") && exists("\($0)/postgres") }
    self.postgres = postgres ?? ""
    self.root = root
    var missing: [String] = []
    if postgres == nil { missing.append("postgresql") }
    if !exists("\(rabbitmq)/rabbitmq-server") { missing.append("rabbitmq-server") }
    if !exists(epmd) { missing.append("erlang-base") }
    guard root.isEmpty || missing.isEmpty && root.hasPrefix("/") else {
      throw .folder(
        "\(ServerPrograms.rootVariable)=\(root) is not the whole path of a folder with the packages "
          + "postgresql, rabbitmq-server and erlang-base; deploy/other-servers makes one")
    }
    if tls, !exists(ServerPrograms.openssl) { missing.append("openssl") }
    guard missing.isEmpty else { throw .packagesMissing(missing) }
  }

  private static var chosenRoot: String {
    getenv(rootVariable).map { String(cString: $0) } ?? ""
  }

  private static func versions(in root: String) -> [String] {
    guard let folder = opendir("\(root)/usr/lib/postgresql") else { return [] }
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
