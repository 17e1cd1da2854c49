import Glibc

/// The user that the servers run as.
///
/// PostgreSQL refuses to run as root, and a broker has no need to. Under root both run as the user
/// of the postgresql package. Files of that user are changed as that user too: under root's rights
/// a link in such a folder could lead anywhere.
struct ServersUser: Sendable {
  /// The words before a command that runs as the user.
  let prefix: [String]
  let id: uid_t

  /// The right to pass through closed folders, the smaller one first; a container may have only the
  /// other one.
  private static let rights = ["dac_read_search", "dac_override"]

  /// The user for a folder.
  /// - Throws: `folder` where it cannot be reached as that user.
  init(for folder: String) throws(ServersError) {
    guard geteuid() == 0 else {
      (prefix, id) = ([], geteuid())
      return
    }
    guard let user = ServersUser.id(of: "postgres") else {
      throw .packagesMissing(["postgresql"])
    }
    let plain = [
      "/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups",
    ]
    // For example in a folder below /root: the servers get the right to pass, and no other.
    let passing = ServersUser.rights.map { right in
      plain + [
        "--securebits=+no_setuid_fixup", "--inh-caps=+\(right)", "--ambient-caps=+\(right)",
      ]
    }
    for prefix in [plain] + passing
    where try Tool(words: prefix + ["/usr/bin/test", "-x", folder]).run() == 0 {
      (self.prefix, id) = (prefix, user)
      return
    }
    throw .folder(
      """
      \(folder) is closed to user postgres, and root's servers run as that user; choose another folder, \
      such as one below /srv
      """)
  }

  private static func id(of name: String) -> uid_t? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
      return nil
    }
    return entry.pw_uid
  }

  /// Runs a program as the user, and gives its exit status.
  @discardableResult
  func run(
    _ words: [String], variables: [String: String] = Tool.plain, input: String = "",
    log: String = "/dev/null"
  ) throws(ServersError) -> Int32 {
    try Tool(words: prefix + words, variables: variables, input: input, log: log).run()
  }

  /// Runs a command that cannot fail for a good reason.
  func succeed(_ words: [String], input: String = "") throws(ServersError) {
    let status = try run(words, input: input)
    guard status == 0 else {
      throw .system(what: words.joined(separator: " "), reason: "it ended with \(status)")
    }
  }

  /// Writes a whole file that nobody else may read, or none of it.
  func write(_ text: String, to path: String) throws(ServersError) {
    let script = #"umask 077; cat >"$1.new" && mv -f -- "$1.new" "$1""#
    try succeed(["/bin/sh", "-c", script, "sh", path], input: text)
  }

  func makeFolders(_ paths: String...) throws(ServersError) {
    try succeed(["/bin/sh", "-c", #"umask 077; exec mkdir -p -- "$@""#, "sh"] + paths)
  }

  func remove(_ paths: String...) throws(ServersError) {
    try succeed(["/bin/rm", "-rf", "--"] + paths)
  }

  func move(_ path: String, to other: String) throws(ServersError) {
    try succeed(["/bin/mv", "-T", "--", path, other])
  }

  /// Starts a server, which outlives us, in a session of its own.
  func startServer(
    _ words: [String], variables: [String: String], log: String
  ) throws(ServersError) {
    // Each quorum queue reserves files, and the login may have lowered the number of open files: a
    // broker that has none left answers nobody.
    var files = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
    let limit = min(files.rlim_max, 65_536)
    let appending = #"umask 077; exec >>"$1" 2>&1; shift; exec "$@""#
    let command =
      ["/usr/bin/setsid", "--fork", "/usr/bin/prlimit", "--nofile=\(limit):"] + prefix
      + ["/bin/sh", "-c", appending, "sh", log] + words
    let status = try Tool(words: command, variables: variables).run()
    guard status == 0 else {
      throw .system(what: words[0], reason: "it cannot be started (\(status))")
    }
  }
}
