import MatchCore
import MatchWire
import Synchronization

/// The newest view of each match that a link of the screen has got.
final class KnownViews: Sendable {
  private let views = Mutex<[MatchID: MatchView]>([:])

  func note(_ view: MatchView) {
    views.withLock { views in
      guard views[view.id].map({ $0.version <= view.version }) ?? true else { return }
      views[view.id] = view
    }
  }

  /// The view in which a turn of that number is to be played.
  func view(_ match: MatchID, turn number: Int) -> MatchView? {
    views.withLock { views in views[match].flatMap { $0.turn == number ? $0 : nil } }
  }

  /// A turn counts. The next one of a game of one player follows it at once.
  func note(_ receipt: TurnReceipt, in view: MatchView) {
    guard view.seats.count == 1, receipt.outcome == nil, receipt.turn == view.turn else { return }
    var next = view
    (next.version, next.turn, next.previous) = (receipt.version, receipt.turn + 1, receipt.hash)
    note(next)
  }

  /// The match is not as its view has it.
  func forget(_ match: MatchID) { views.withLock { $0[match] = nil } }
}
