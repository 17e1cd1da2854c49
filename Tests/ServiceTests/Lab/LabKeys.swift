import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import RealServers
import TestedService
import Testing

// The keys of players in a lab.
extension ServiceLab {
  /// The keys that speak for a player.
  func speakingKeys(of player: PlayerID) throws -> Set<PublicKey> {
    let connection = try connection()
    defer { connection.close() }
    let rows = try OperatorStore.live(connection).account(player).keys
    return Set(rows.filter { $0.revokedAt == nil }.map(\.key))
  }

  /// Finds contradictions in keys, recovery keys and recoveries, as `cubistd check` does.
  func recoveryViolations() throws -> [RecoveryViolation] {
    try looking { store in
      var check = RecoveryCheck(store, identity: identity)
      var found: [RecoveryViolation] = []
      while !check.isDone { found += try check.next() }
      var keys = KeyCheck(store, identity: identity)
      while !keys.isDone { found += try keys.next(limit: 3) }
      var gone = GoneCheck(store)
      while !gone.isDone { found += try gone.next(limit: 3) }
      return found
    }
  }

  /// Finds push jobs that nothing owes, or that are missing, as `cubistd check` does.
  func jobViolations() throws -> [JobViolation] {
    try looking { store in
      var check = JobCheck(store, jobsAreComplete: true)
      var found: [JobViolation] = []
      while !check.isDone { found += try check.next() }
      // The jobs that `jobs` waits for are owed by nothing.
      return found.filter { $0.job.day != Day(number: 1) }
    }
  }

  /// Lets 72 hours pass for a player's recoveries and recovery keys, and some minutes for outages, by
  /// moving their times back in the database.
  func passRecoveryTime(of player: PlayerID) throws {
    let connection = try connection()
    defer { connection.close() }
    let time = "interval '72 hours 10 minutes'"
    try connection.script(
      """
      UPDATE recoveries SET next_at = next_at - \(time), named_at = named_at - \(time),
        due_at = due_at - \(time), begun_at = begun_at - \(time)
      WHERE player = '\(player)'
      """)
  }
}
