package import MatchCore

/// The errors of the store, by the caller's remedy.
package enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Somebody else was faster: nothing was written; look up again and judge again.
  case conflict(String)
  /// A row of that key exists: nothing was written. Somebody else was faster, as with a conflict.
  /// If it lasts, it is about the data itself.
  case duplicate(String)
  /// The store cannot be reached or does not answer. If a write was under way its outcome is
  /// unknown. Do it again; the stored replies decide.
  case unavailable(String)
  /// The store gave the work up: it took too long, or an error of unknown cause was met. Nothing
  /// was written; do less at a time. If one thing alone fails while others succeed, the error is
  /// about that thing.
  case failed(String)
  /// The store refuses the data itself: nothing was written, and nothing will be however often it
  /// is tried.
  case rejected(String)
  /// A stored match can be read neither from its state nor from its record, or its state was changed.
  /// Nothing was written, and nothing about this match will be until somebody has mended it.
  case damaged(MatchID, String)
  /// The store is not fit for this build (missing table, wrong schema version, no rights).
  case unusable(String)

  /// Whether the store as a whole is of no use, not only for the work that met the error.
  package var concernsTheStore: Bool {
    switch self {
    case .unavailable, .unusable: true
    case .conflict, .duplicate, .failed, .rejected, .damaged: false
    }
  }

  /// The match that is damaged; nil: none is to blame.
  package var damagedMatch: MatchID? {
    if case .damaged(let match, _) = self { match } else { nil }
  }

  /// Why the store will never take the data; nil: that is not the trouble.
  package var refusal: String? {
    switch self {
    case .rejected(let reason), .damaged(_, let reason): reason
    case .conflict, .duplicate, .unavailable, .failed, .unusable: nil
    }
  }

  /// Whether somebody else was faster, so that looking up and judging again helps.
  package var isConflict: Bool {
    switch self {
    case .conflict, .duplicate: true
    case .unavailable, .failed, .rejected, .damaged, .unusable: false
    }
  }

  /// The text for a log.
  package var description: String {
    switch self {
    case .conflict(let text): "conflict: \(text)"
    case .duplicate(let text): "exists already: \(text)"
    case .unavailable(let text): "store unavailable: \(text)"
    case .failed(let text): "store gave up: \(text)"
    case .rejected(let text): "store refuses the data: \(text)"
    case .damaged(let match, let text): "match \(match) is damaged: \(text)"
    case .unusable(let text): "store unusable: \(text)"
    }
  }
}

extension StoreError: InterfaceError {
  package init(unanswered question: StaticString) {
    self = .unavailable("unimplemented: \(question)")
  }
}
