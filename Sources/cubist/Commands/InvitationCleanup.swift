import MatchCore
import MatchWire
import PlayerClient

/// Declines many invitations in one command: all of them, or one player's.
struct InvitationCleanup {
  /// The sender of the invitations; nil: everybody.
  let sender: PlayerName?
  /// Whether their senders are blocked, too.
  let blocks: Bool
  /// Whether a person is asked before.
  let asks: Bool

  func perform(_ player: Player, _ session: CommandSession) throws {
    let first = try player.home()
    guard !fitting(first).isEmpty else {
      throw CommandFailure.nothing(
        sender.map { "\($0) has not invited you, or not lately." } ?? "Nobody has invited you.",
        next: "cubist home")
    }
    try confirm(first, session)
    var document = DeclinedDocument(declined: [], blocked: [], left: 0)
    var (home, seen) = (first, Set<MatchID>())
    // Each list is limited. The rest is listed once the listed ones are gone.
    while true {
      let next = fitting(home).filter { seen.insert($0.id).inserted }
      guard !next.isEmpty else { break }
      for invitation in next {
        if blocks, let other = invitation.opponent, !document.blocked.contains(other) {
          try player.block(other)
          document.blocked.append(other)
        }
        session.subject = NextStep.short(invitation.id)
        if try decline(invitation.id, player) { document.declined.append(invitation.id) }
      }
      home = try player.home()
    }
    document.left = home.invitations.count + (home.moreInvitations ?? 0)
    try report(document, session)
  }

  /// Declines one; false where it was gone before.
  private func decline(_ match: MatchID, _ player: Player) throws -> Bool {
    do throws(ClientError) {
      _ = try player.decline(match)
      return true
    } catch {
      // Withdrawn, expired or answered meanwhile.
      switch error {
      case .refused(_, _, .matchOver?), .refused(_, _, .unknownMatch?),
        .refused(_, _, .notInvited?):
        return false
      default: throw error
      }
    }
  }

  private func fitting(_ home: HomeView) -> [MatchSummary] {
    guard let sender else { return home.invitations }
    return home.invitations.filter { $0.opponentName?.key == sender.key }
  }

  private func confirm(_ home: HomeView, _ session: CommandSession) throws {
    guard session.environment.inputIsTerminal, asks else { return }
    let count = fitting(home).count + (sender == nil ? home.moreInvitations ?? 0 : 0)
    let players = Set(fitting(home).compactMap(\.opponent)).count
    let blocking = blocks ? " and block \(players == 1 ? "1 player" : "\(players) players")" : ""
    let what = count == 1 ? "1 invitation" : "\(count) invitations"
    guard try session.confirms("Decline \(what)\(blocking)?") else {
      throw CommandFailure(.refused, "notConfirmed", "Nothing was declined.")
    }
  }

  private func report(_ document: DeclinedDocument, _ session: CommandSession) throws {
    try session.console.show(.declined, document) {
      func many(_ count: Int, _ what: String) -> String {
        count == 1 ? "1 \(what) is" : "\(count) \(what)s are"
      }
      var text = "\(many(document.declined.count, "invitation")) declined.\n"
      if !document.blocked.isEmpty {
        text += "\(many(document.blocked.count, "player")) blocked.\n"
      }
      if document.left > 0 { text += "\(many(document.left, "invitation")) left.\n" }
      return text
    }
  }
}
