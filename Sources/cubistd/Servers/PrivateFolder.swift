import Foundation
import MatchInterfaces
import MatchService

/// The folder of `cubistd up`.
///
/// `servers/` belongs to the servers. `cubistd.conf` has the settings by which every other command
/// finds this service, `url` the URL of the broker for the operator's own programs, if they have an
/// account. Files with a password can be read by
/// their owner only.
struct PrivateFolder: Sendable {
  /// The absolute path.
  let path: String

  /// Makes the folder if it does not exist. It is a folder to which nobody else may write, and what
  /// it has is this user's or root's: keys and passwords are read from it, and logs go on.
  init(_ path: String) throws(OperatorFailure) {
    self.path = try Files.makeOwnFolder(path)
    for file in [keys, settings, url, httpPort, log, pushKey, pushLog, lock] {
      try Files.refuseStrange(file)
    }
  }

  /// The folder to which settings belong; nil for those of another service than one of `cubistd up`.
  static func path(of settings: ServiceSettings) -> String? {
    guard let name = settings.serviceKeys.firstRange(of: "/service-keys.json"),
      name.upperBound == settings.serviceKeys.endIndex
    else { return nil }
    let path = String(settings.serviceKeys[..<name.lowerBound])
    return Files.exists("\(path)/cubistd.conf") ? path : nil
  }

  var servers: String { "\(path)/servers" }
  var keys: String { "\(path)/service-keys.json" }
  var settings: String { "\(path)/cubistd.conf" }
  var url: String { "\(path)/url" }
  /// The port of the gateway, from one start to the next.
  var httpPort: String { "\(path)/http-port" }
  var lock: String { "\(path)/lock" }
  var log: String { "\(path)/cubistd.log" }
  var pushKey: String { "\(path)/push-key.pem" }
  var pushLog: String { "\(path)/push.jsonl" }
  func bot(_ number: Int) -> String { "\(path)/bot-\(number)" }

  /// The password of a user of the broker, made once.
  func password(of user: String, randomness: Randomness) throws(OperatorFailure) -> String {
    let file = "\(path)/password-\(user)"
    try Files.refuseStrange(file)
    guard !Files.exists(file) else {
      return String(decoding: try Files.readOwn(file), as: UTF8.self)
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }
    let password = String(randomness.next128(), radix: 36)
    try Files.write(Array("\(password)\n".utf8), to: file, mode: 0o600)
    return password
  }
}
