internal import LibPQ
internal import MatchInterfaces

extension SQLState {
  /// Raised by the schema's own functions if somebody else was faster.
  static let guardFailed = SQLState(rawValue: "CB001")
}

extension StoreError {
  /// An error of PostgreSQL, by the caller's remedy.
  init(_ error: PostgreSQLError) {
    let text = "\(error)"
    switch error.category {
    // A stale plan was discarded and nothing was written: looking up and judging again is right.
    case .serialization, .stalePlan: self = .conflict(text)
    // The holder of the lock is to blame, never a session that waits for it.
    case .lockTimeout:
      self = error.sqlState == .lockNotAvailable ? .conflict(text) : .failed(text)
    case .uniqueViolation:
      // The code is derived from the match's id, so a code that another match has can never be
      // written.
      self = error.constraint == "invitation_codes_pkey" ? .rejected(text) : .duplicate(text)
    // Less at a time needs less memory.
    case .resources where error.code == .server && error.sqlState == .outOfMemory:
      self = .failed(text)
    case .disconnected, .readOnly, .resources: self = .unavailable(text)
    case .badData: self = .rejected(text)
    case .raised:
      switch error.sqlState {
      case .guardFailed?: self = .conflict(text)
      case let state? where state.class == .operatorIntervention: self = .unavailable(text)
      default: self = .failed(text)
      }
    case .programming:
      self = error.sqlState?.class == .programLimitExceeded ? .rejected(text) : .unusable(text)
    }
  }
}

extension StoreError {
  /// The reason if one of the players or matches in hand may be to blame, and not the store.
  var reasonOfOne: String? {
    switch self {
    case .rejected(let reason), .failed(let reason), .damaged(_, let reason): reason
    case .conflict, .duplicate, .unavailable, .unusable: nil
    }
  }
}
