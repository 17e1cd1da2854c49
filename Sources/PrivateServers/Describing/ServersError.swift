/// Why private servers do not run as they should: the cause, and a remedy.
package enum ServersError: Error, Hashable, Sendable {
  /// Packages of Debian are not installed.
  case packagesMissing([String])
  /// The folder cannot hold servers, or its content is damaged.
  case folder(String)
  /// A server was started and does not answer.
  case notStarted(what: String, log: String, end: String, hints: [String])
  /// A server does not end, or another one is in the wrong state.
  case stuck(String)
  /// Another command has been at work in the folder for minutes.
  case busy(folder: String)
  /// The system refuses something.
  case system(what: String, reason: String)
}

extension ServersError: CustomStringConvertible {
  /// The cause, and a remedy, for a person.
  package var description: String {
    switch self {
    case .packagesMissing(let names):
      let list = names.joined(separator: " ")
      return "missing packages: \(list); deploy/packages installs them (apt-get install \(list))"
    case .folder(let text), .stuck(let text):
      return text
    case .notStarted(let what, let log, let end, let hints):
      let lines = end.split(separator: "\n").map { "  \($0)" }
      let advice = "try again; if that does not help, stop the servers and remove their folder"
      return
        (["\(what) did not start. The end of \(log):"] + lines + hints + [advice])
        .joined(separator: "\n")
    case .busy(let folder):
      return "another command has been starting or stopping servers in \(folder) for five minutes"
    case .system(let what, let reason):
      return "\(what): \(reason)"
    }
  }
}
