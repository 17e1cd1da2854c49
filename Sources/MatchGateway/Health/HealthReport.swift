import MatchCore
package import MatchService

/// How the roles of a process are, by their names.
package struct HealthReport: Hashable, Sendable {
  /// One role.
  package struct Role: Hashable, Sendable {
    package var name: String
    package var state: RoleState
    /// The uptime at which its loop turned last; nil: it has not begun.
    package var turnedAt: UInt64?

    package init(name: String, state: RoleState, turnedAt: UInt64?) {
      (self.name, self.state, self.turnedAt) = (name, state, turnedAt)
    }
  }

  /// A loop that has not turned for so long hangs. No step is meant to take as long.
  package static let patience: Duration = .seconds(90)

  package var roles: [Role]
  /// The uptime of the report.
  package var uptime: UInt64
  /// Whether the process was asked to end.
  package var isEnding: Bool

  package init(_ roles: [Role], at uptime: UInt64, isEnding: Bool = false) {
    (self.roles, self.uptime, self.isEnding) = (roles, uptime, isEnding)
  }

  /// Whether every loop turns.
  package var isLive: Bool { roles.allSatisfy { !hangs($0) } }

  /// Whether every role works, and goes on doing so.
  package var isReady: Bool {
    !isEnding && roles.allSatisfy(works)
  }

  /// Whether a role works.
  package func works(_ role: Role) -> Bool { role.state == .working && !hangs(role) }

  /// One line for a person: the roles that do not work, and why.
  package var summary: String {
    let parts = roles.compactMap { role -> String? in
      let state = state(role)
      guard state != "working" else { return nil }
      let reason = reason(role).map {
        ": " + $0.split(whereSeparator: \.isNewline).joined(separator: " ")
      }
      return "\(role.name) \(state)\(reason ?? "")"
    }
    let text = parts.isEmpty ? "every role works" : parts.joined(separator: "; ")
    return isEnding ? "ending; \(text)" : text
  }

  /// `{"live":…}` or `{"ready":…}` with the roles and why some do not work, and with `"ending":true`
  /// once the process was asked to end.
  func body(_ question: String, _ answer: Bool) -> [UInt8] {
    JSON.object([
      (question, .bool(answer)), ("ending", isEnding ? .bool(true) : nil),
      (
        "roles",
        .array(
          roles.map { role in
            .object([
              ("name", .string(role.name)), ("state", .string(state(role))),
              ("reason", reason(role).map { .string($0) }),
            ])
          })
      ),
    ]).serialized
  }

  private func hangs(_ role: Role) -> Bool {
    guard role.state != .stopped, let turnedAt = role.turnedAt else { return false }
    return uptime > turnedAt && uptime - turnedAt > UInt64(HealthReport.patience / .nanoseconds(1))
  }

  private func state(_ role: Role) -> String {
    if hangs(role) { return "hangs" }
    return switch role.state {
    case .starting: "starting"
    case .working: "working"
    case .interrupted: "interrupted"
    case .stopped: "stopped"
    }
  }

  private func reason(_ role: Role) -> String? {
    guard case .interrupted(let reason) = role.state else { return nil }
    return "\(reason)"
  }
}

extension HealthReport {
  /// The report of a process now.
  package init(of process: ServiceProcess, at uptime: UInt64) {
    self.init(
      process.runners.map { Role(name: $0.name, state: $0.state, turnedAt: $0.turnedAt) },
      at: uptime, isEnding: process.isEnding)
  }
}
