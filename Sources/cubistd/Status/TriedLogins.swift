import BrokerManagement
import MatchInterfaces
import MatchService

/// The logins that servers refused. `cubistd status --watch` tries each of them once a minute, since
/// the server logs each attempt.
struct TriedLogins {
  /// How long an answer is kept.
  static let seconds: UInt64 = 60

  /// By the setting that names the user.
  private var kept: [SettingName: Kept] = [:]

  private struct Kept {
    var at: UInt64
    var problems: [String] = []
    var failure: OperatorFailure?
  }

  /// The problems of a user's access; none is kept.
  mutating func problems(
    of user: SettingName, at uptime: UInt64, _ ask: () -> [String]
  ) -> [String] {
    if let known = known(user, at: uptime) { return known.problems }
    let problems = ask()
    kept[user] = problems.isEmpty ? nil : Kept(at: uptime, problems: problems)
    return problems
  }

  /// Asks a server as a user. A refusal is kept, and no other failure.
  mutating func asking<Result>(
    as user: SettingName, at uptime: UInt64, _ ask: () throws(OperatorFailure) -> Result
  ) throws(OperatorFailure) -> Result {
    if let failure = known(user, at: uptime)?.failure { throw failure }
    do throws(OperatorFailure) {
      let result = try ask()
      kept[user] = nil
      return result
    } catch {
      kept[user] = error.refusesLogin ? Kept(at: uptime, failure: error) : nil
      throw error
    }
  }

  private func known(_ user: SettingName, at uptime: UInt64) -> Kept? {
    guard let known = kept[user], uptime &- known.at < TriedLogins.seconds * 1_000_000_000 else {
      return nil
    }
    return known
  }
}

extension OperatorFailure {
  /// Whether a server is there and does not let the user in.
  fileprivate var refusesLogin: Bool {
    switch self {
    case .databaseRefuses, .broker(.notPermitted), .management(.notPermitted): true
    default: false
    }
  }
}
