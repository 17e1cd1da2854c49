import Logging
import MatchService

/// The names by which a server that listens for its own machine is asked.
///
/// A page of a stranger's domain can have that name lead to 127.0.0.1 once somebody here has loaded it (DNS
/// rebinding). To the browser this server is then that page's own server. Such a page comes by its own
/// name, never by an address or a name of this machine. A believed proxy asks by any name: players know
/// those that it passes on.
final class OwnNames: Sendable {
  /// The most names that the log tells of: anybody can make them up.
  static let limit = 8
  /// The letters of a name that the log tells.
  private static let shownLength = 80

  /// Whether any name is right: it listens for other machines.
  private let isAny: Bool
  private let publicName: Substring?
  private let told = FirstOnes<Substring>(limit: OwnNames.limit)

  /// - Parameter origin: The address at which players find it, such as `https://play.example`.
  init(at listen: ListenAddress, origin: String? = nil) {
    let isLocal =
      InternetAddress(listen.host)?.isLoopback
      ?? OwnNames.isOfThisMachine(OwnNames.name(in: listen.host[...]))
    isAny = !isLocal
    publicName = origin.map { OwnNames.name(in: $0.drop { $0 != "/" }.drop { $0 == "/" }) }
  }

  /// Whether a request comes by one of them.
  /// - Parameter host: The field `Host`.
  func contain(_ host: String) -> Bool {
    guard !isAny, Forwarding.address(of: host[...]) == nil else { return true }
    let name = OwnNames.name(in: host[...])
    return name == publicName || OwnNames.isOfThisMachine(name)
  }

  /// Tells the operator of another name, once.
  func warn(of host: String, help: String, _ log: Logger) {
    let name = OwnNames.name(in: host[...]).prefix(OwnNames.shownLength)
    guard told.isNew(name) else { return }
    log.warning(
      "a request came by a name that is not known, to a server for this machine alone",
      metadata: ["name": "\(name)", "help": "\(help)"])
  }

  /// The name before the port, in lower case and without the dot of the root.
  private static func name(in host: Substring) -> Substring {
    let name = host.prefix { $0 != ":" }.lowercased()
    return name.hasSuffix(".") ? name.dropLast() : name[...]
  }

  /// Browsers themselves send these names to this machine.
  private static func isOfThisMachine(_ name: Substring) -> Bool {
    name == "localhost" || name.hasSuffix(".localhost")
  }
}
