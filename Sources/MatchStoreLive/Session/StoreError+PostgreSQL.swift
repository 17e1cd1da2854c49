internal import LibPQ
internal import MatchInterfaces

extension SQLState {
  /// Raised by the schema's own functions where somebody else was faster.
  static let guardFailed = SQLState(rawValue: "CB001")
}

extension StoreError {
  /// What the caller of a store has to do about an error of PostgreSQL.
  init(_ error: PostgreSQLError) {
    let text = "\(error)"
    switch error.category {
    // A stale plan was discarded and nothing was written: looking up and judging again is right.
    case .serialization, .stalePlan: self = .conflict(text)
    // Whoever has the lock is to blame, never whoever waits for it.
    case .lockTimeout:
      self = error.sqlState == .lockNotAvailable ? .conflict(text) : .failed(text)
    case .uniqueViolation:
      // Derived from a match's id, so a code that another match has can never be written.
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
  /// The reason if one of those whom something was done for may be to blame, not the store.
  var reasonOfOne: String? {
    switch self {
    case .rejected(let reason), .failed(let reason): reason
    case .conflict, .duplicate, .unavailable, .unusable: nil
    }
  }
}
