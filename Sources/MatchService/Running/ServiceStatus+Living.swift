package import MatchCore
package import MatchInterfaces

/// The workers and roles that are there, by their signs of life.
extension ServiceStatus {
  /// A sign of life dated further ahead than this shows that the database's clock was set back, in
  /// seconds.
  package static let aheadLimit: Int64 = 2

  /// Whole seconds since an instant, by the database's clock.
  package func age(_ instant: Instant) -> Int64 {
    max(0, now.microseconds(since: instant) / 1_000_000)
  }

  /// The same by the service's time, by which matches and the clocks of queues are dated.
  package func serviceAge(_ instant: Instant) -> Int64 {
    max(0, serviceTime.microseconds(since: instant) / 1_000_000)
  }

  /// By how many seconds an instant is ahead of the database's clock; nil where it is not.
  package func ahead(_ instant: Instant) -> Int64? {
    let seconds = instant.microseconds(since: now) / 1_000_000
    return seconds >= ServiceStatus.aheadLimit ? seconds : nil
  }

  /// Workers with a recent heartbeat.
  package var livingWorkers: [Worker] {
    workers.filter {
      age($0.heartbeatAt) <= WorkerStore.heartbeatLimitSeconds && ahead($0.heartbeatAt) == nil
    }
  }

  package func isLiving(_ role: Role) -> Bool {
    age(role.heartbeatAt) <= RoleSign.limitSeconds && ahead(role.heartbeatAt) == nil
  }

  /// Roles of a kind with a recent sign of life.
  package func living(_ role: RoleName) -> [Role] {
    roles.filter { $0.sign.role == role.rawValue && isLiving($0) }
  }

  /// Whether some role of a kind is there, also one of a build that gives no signs of life.
  package func isThere(_ role: RoleName) -> Bool {
    !living(role).isEmpty || silentRoles.contains(role.runsWith.rawValue)
      || (role == .worker && !livingWorkers.isEmpty)
  }
}
