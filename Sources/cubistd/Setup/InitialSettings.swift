import BrokerManagement
import CubistBasics
import LibPQ
import MatchInterfaces
import MatchService

/// The answers from which `cubistd init` makes the settings of a new service.
struct InitialSettings: Equatable, Sendable {
  /// The URI of PostgreSQL, or a connection string.
  var database: String
  /// The URL of RabbitMQ, with the virtual host.
  var broker: String
  /// The URL of RabbitMQ's management API; empty: there is none.
  var management = ""
  /// Where the gateway listens.
  var gateway: String
  /// The path of the key file.
  var keys: String

  /// The answers for servers on this machine. PostgreSQL knows the user by its socket.
  static let standard = InitialSettings(
    database: "postgresql:///cubist?host=/var/run/postgresql", broker: "amqp://localhost/cubist",
    gateway: "127.0.0.1:8080", keys: "/var/lib/cubist/service-keys.json")

  /// The users of the broker: the service's unless the URL names one, the gateways', the operator's.
  static let brokerUsers = (service: "cubistd", gateways: "gateway", management: "operator")

  /// The comment above the account that a service has only if the operator asks for it.
  private static let playerAccount =
    "RabbitMQ, as programs of your own; whoever has this account can end RabbitMQ below "
    + "\(BrokerVersion.withoutPeril)."

  /// The fault of an answer; nil where it will do.
  static func fault(of name: SettingName, _ text: String) -> String? {
    let example = "for example \(name.example)"
    switch name {
    case .database:
      do throws(PostgreSQLError) { _ = try PostgreSQLSettings(connectionString: text) } catch {
        return "PostgreSQL's library cannot read it, \(example)."
      }
    case .broker:
      do throws(OperatorFailure) {
        let account = try BrokerAccount(url: text, setting: name.rawValue)
        guard ![brokerUsers.gateways, brokerUsers.management].contains(account.user) else {
          return "The user \(account.user) is another one's, \(example)."
        }
      } catch { return "\(error)" }
    case .brokerManagement where !text.isEmpty:
      do throws(ManagementError) {
        _ = try BrokerAdministration(url: InitialSettings.withUser(text) { "none" })
      } catch { return "\(error)" }
    case .gatewayListen:
      guard ListenAddress(text) != nil else { return "It is no address with a port, \(example)." }
    default: break
    }
    return text.contains(where: \.isNewline) ? "It has more than one line." : nil
  }

  /// The text of the settings' file. Where an address lacks a password that its server will ask for, a
  /// new one is made.
  func file(randomness: Randomness) -> String {
    func password() -> String { Hex.encode(randomness.bytes(16)) }
    let (scheme, user, place) = InitialSettings.parts(of: broker)
    let service =
      user?.contains(":") == true
      ? broker
      : "\(scheme)\(user.map(String.init) ?? InitialSettings.brokerUsers.service):\(password())@\(place)"
    let gatewayUser = "\(scheme)\(InitialSettings.brokerUsers.gateways):\(password())@\(place)"
    let made: [(SettingName, String, String)] =
      [
        (.database, "PostgreSQL.", withPassword(password)),
        (.broker, "RabbitMQ, as the service.", service),
        (.gatewayBroker, "RabbitMQ, as gateways.", gatewayUser),
        (.serviceKeys, "The service's keys: `cubistd setup` makes the file.", keys),
        (.gatewayListen, "Where the gateway listens; nginx stands before it.", gateway),
      ]
      + (management.isEmpty
        ? []
        : [
          (
            .brokerManagement, "RabbitMQ's management API, as an administrator.",
            InitialSettings.withUser(management, password)
          )
        ])
      + DatabaseUser.allCases.filter { $0 != .lookout }.compactMap { user in
        database(as: user, password: password()).map {
          (SettingName(of: user), "PostgreSQL, with the rights of the \(user.rawValue) alone.", $0)
        }
      }
    let names = Set(made.map(\.0))
    let rest = SettingName.allCases.filter { !names.contains($0) }
    return """
      # The settings of a Cubist service; cubistd(8) and docs/operating.md explain each of them.
      # They hold passwords: keep the mode 0640 and the group.
      # A secret may stand in a file of its own instead, /etc/cubist/credentials/DATABASE for
      # CUBIST_DATABASE: the units take it from there. Remove its line here then.


      """
        + made.map { "# \($1)\n\($0.rawValue)=\($2)\n" }.joined(separator: "\n")
        + "\n# Everything else has a value of its own unless set. These are examples.\n"
        + rest.map { name in
          (name == .playerBroker ? "# \(InitialSettings.playerAccount)\n" : "")
            + "#\(name.rawValue)=\(name.example)\n"
        }.joined()
  }

  /// PostgreSQL's URI with a password, if it leads over a network and has none. At a socket the
  /// server knows the user by itself. A connection string that is no URI stays as it is.
  private func withPassword(_ password: () -> String) -> String {
    let (scheme, user, place) = InitialSettings.parts(of: database)
    guard !scheme.isEmpty else { return database }
    let isSocket = place.hasPrefix("/") || place.hasPrefix("?") || place.isEmpty
    if isSocket || SettingName.database.holdsSecret(database) { return database }
    return "\(scheme)\(user.map(String.init) ?? "cubist"):\(password())@\(place)"
  }

  /// PostgreSQL as a user with the rights of one role, whom `cubistd setup` makes. By a socket the
  /// server knows the machine's user alone, so such a user comes by TCP. Nil where the address cannot
  /// be read.
  private func database(as user: DatabaseUser, password: String) -> String? {
    guard let settings = try? PostgreSQLSettings(connectionString: database),
      let name = settings.database ?? settings.user,
      name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
    else { return nil }
    let role = "\(name)_\(user.rawValue)"
    let host = settings.endpoints.first?.host ?? ""
    let isSocket =
      settings.endpoints.first?.address == nil && (host.isEmpty || host.hasPrefix("/"))
    let port = settings.endpoints.first?.port.map { ":\($0)" } ?? ""
    let (scheme, _, place) = InitialSettings.parts(of: database)
    if !scheme.isEmpty {
      return "\(scheme)\(role):\(password)@" + (isSocket ? "127.0.0.1\(port)/\(name)" : place)
    }
    // In a connection string the later of two equal words counts.
    return "\(database) user=\(role) password=\(password)" + (isSocket ? " host=127.0.0.1" : "")
  }

  /// The URL of a management API with a user and a password, if it lacks them.
  private static func withUser(_ url: String, _ password: () -> String) -> String {
    let (scheme, user, place) = parts(of: url)
    if user?.contains(":") == true { return url }
    return "\(scheme)\(user.map(String.init) ?? brokerUsers.management):\(password())@\(place)"
  }

  /// Scheme, user with password, and the rest of an address.
  private static func parts(
    of url: String
  ) -> (scheme: Substring, user: Substring?, place: Substring) {
    let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    let (scheme, rest) = (url[..<start], url[start...])
    guard let at = rest.lastIndex(of: "@") else { return (scheme, nil, rest) }
    return (scheme, rest[..<at], rest[rest.index(after: at)...])
  }
}
