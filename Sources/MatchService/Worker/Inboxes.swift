import MatchCore
import MatchInterfaces

/// The invitations to players whom events of one batch invite. What the batch adds counts at once;
/// what it takes away counts from the next batch on.
struct Inboxes {
  private var known: [Claim: Inbox] = [:]
  private var added: [PlayerID: Inbox] = [:]
  private var sent: [Claim: Int] = [:]

  /// Begins with what the store said of each claim under its lock.
  init(facts: [Claim: ClaimFacts]) {
    for (claim, fact) in facts { if case .inbox(let inbox) = fact { known[claim] = inbox } }
  }

  /// What an event has to know of the invitations to the player whom it invites; nil: nothing.
  func inbox(for event: Event) -> Inbox? {
    guard !known.isEmpty, case .matchRequested(let request) = event.action,
      case .player(let other) = request.opponent,
      var inbox = known[.inbox(of: other, sender: event.player)]
    else { return nil }
    inbox.fromSender += sent[.inbox(of: other, sender: event.player)] ?? 0
    inbox.waiting += added[other]?.waiting ?? 0
    inbox.fromStrangers += added[other]?.fromStrangers ?? 0
    return inbox
  }

  /// Counts a step of a match that begins with an invitation.
  mutating func add(_ change: MatchChange) {
    guard !known.isEmpty, change.before == nil, let sender = change.after.players.first else {
      return
    }
    for seat in change.after.seats {
      guard case .invited(let player) = seat.holder,
        let inbox = known[.inbox(of: player, sender: sender)]
      else { continue }
      sent[.inbox(of: player, sender: sender), default: 0] += 1
      added[player, default: Inbox()].waiting += 1
      if !inbox.knowsSender { added[player, default: Inbox()].fromStrangers += 1 }
    }
  }
}
