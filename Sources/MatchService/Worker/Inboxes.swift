import MatchCore
import MatchInterfaces

/// The invitations to the players that events of one batch invite. Additions of the batch count at
/// once; removals count from the next batch on.
struct Inboxes {
  private var known: [BatchWrite.Invitation: Inbox] = [:]
  private var added: [PlayerID: Inbox] = [:]
  private var sent: [BatchWrite.Invitation: Int] = [:]

  /// Begins with the facts that the store gave for each claim under its lock.
  init(facts: [Claim: ClaimFacts]) {
    for case (.inbox(let player, let sender, _), .inbox(let inbox)) in facts {
      known[.init(of: player, by: sender)] = inbox
    }
  }

  /// The batch's invitations to players from senders that they have never met.
  var fromStrangers: [BatchWrite.Invitation: Int] {
    sent.filter { known[$0.key]?.knowsSender == false }
  }

  /// The facts that an event needs about invitations to the player it invites; nil: none.
  func inbox(for event: Event) -> Inbox? {
    guard !known.isEmpty, case .matchRequested(let request) = event.action,
      case .player(let other) = request.opponent
    else { return nil }
    let invitation = BatchWrite.Invitation(of: other, by: event.player)
    guard var inbox = known[invitation] else { return nil }
    let (sent, added) = (sent[invitation] ?? 0, added[other] ?? Inbox())
    inbox.fromSender += sent
    inbox.senderToday += sent
    inbox.waiting += added.waiting
    inbox.fromStrangers += added.fromStrangers
    inbox.strangersToday += added.fromStrangers
    return inbox
  }

  /// Counts a step of a match that begins with an invitation.
  mutating func add(_ change: MatchChange) {
    guard !known.isEmpty, change.before == nil, let sender = change.after.players.first else {
      return
    }
    for seat in change.after.seats {
      guard case .invited(let player) = seat.holder else { continue }
      let invitation = BatchWrite.Invitation(of: player, by: sender)
      guard let inbox = known[invitation] else { continue }
      sent[invitation, default: 0] += 1
      added[player, default: Inbox()].waiting += 1
      if !inbox.knowsSender { added[player, default: Inbox()].fromStrangers += 1 }
    }
  }
}
