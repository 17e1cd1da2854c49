package import Logging
package import MatchInterfaces

extension Logger {
  /// This log for the lines of one role: they carry its name, and its id if it has one.
  package func of(_ role: String, id: RoleID? = nil) -> Logger {
    var log = self
    log[metadataKey: "role"] = "\(role)"
    log[metadataKey: "roleID"] = id.map { "\($0)" }
    return log
  }
}
