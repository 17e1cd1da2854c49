import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Synchronization

/// Counts of the answers and troubles that players met with.
final class Tally: Sendable {
  private struct State {
    var turns = 0
    var refusals: [String: Int] = [:]
    var troubles: [String: Int] = [:]
  }

  private let state = Mutex(State())

  /// Turns that were accepted, as their senders were told.
  var turnCount: Int { state.withLock { $0.turns } }
  /// Refusals by name.
  var refusals: [String: Int] { state.withLock { $0.refusals } }
  /// Answers that no player may ever get, even during faults.
  var troubles: [String: Int] { state.withLock { $0.troubles } }

  /// A match that is not over was not in the list of its player's matches.
  func noteHidden() {
    state.withLock { $0.troubles["a list without a match that is not over", default: 0] += 1 }
  }

  func noteTurn() { state.withLock { $0.turns += 1 } }

  func note(_ error: ClientError) {
    state.withLock { state in
      switch error {
      case .pending, .earlierPending, .unreachable: return
      case .refused(let name, _, let refusal):
        state.refusals[name, default: 0] += 1
        if refusal?.isOfRaces ?? false { return }
        state.troubles["refused \(name)", default: 0] += 1
      case .queryRefused(_, _, .unavailable?): return
      case .queryRefused(let name, _, _): state.troubles["query refused \(name)", default: 0] += 1
      case .notRegistered, .recovering, .rootKeyChanged, .serviceChanged, .outdated, .clockSkewed,
        .foreignReply, .unreadable, .tooLarge, .profile:
        state.troubles["\(error)", default: 0] += 1
      }
    }
  }
}

extension Refusal {
  /// Whether an honest player may be told this: somebody else was first, the service cannot say, the
  /// other player's room for invitations is full, or the player has left a seat.
  fileprivate var isOfRaces: Bool {
    switch self {
    case .unavailable, .invitationPending, .notInvited, .alreadyJoined, .seatTaken,
      .nothingToWithdraw, .matchOver, .turnAlreadyPlayed, .staleTurn, .notYourTurn, .matchNotOver,
      .rematchNotPossible, .rematchDeclined, .noRematchOffer, .dailyNotDealt, .dailyNotOver,
      .dailyOver, .dailyAlreadyStarted, .playerUnavailable, .leftByYou, .rateLimited(.seatsLeft, _):
      true
    default: false
    }
  }
}
