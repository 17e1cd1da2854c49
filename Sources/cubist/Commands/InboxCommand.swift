import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient

/// `cubist inbox`
struct Inbox: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "See notifications that were sent and that you have not seen.",
    usage: "cubist inbox [--seen <id>] [--all-seen] [<options>]",
    discussion: """
      EXAMPLES:
        cubist inbox
        cubist inbox --seen 1234
        cubist inbox --all-seen

      Notifications stay here for 30 days, also those that you swiped away on a phone. A newer one \
      takes the place of an older one. A call to act is gone when its match or day is over.
      """)

  @Option(
    help: .init("Take this one away: its ID, or the last digits.", valueName: "id"),
    completion: Completion.notifications, transform: Inbox.id)
  var seen: String?

  @Flag(help: "Take all of them away.")
  var allSeen = false

  @OptionGroup(title: "Global options") var options: GlobalOptions

  private static func id(_ text: String) throws -> String {
    let isID = text.count <= 36 && text.allSatisfy { $0.isHexDigit || $0 == "-" }
    guard isID, text.count >= 4 else {
      throw ValidationError("'\(text)' is no ID of a notification. `cubist inbox` shows them.")
    }
    return text
  }

  func validate() throws {
    guard seen == nil || !allSeen else {
      throw ValidationError("Give --seen or --all-seen, not both.")
    }
  }

  /// The notification that a whole id or an ending means.
  private func resolve(
    _ text: String, _ session: CommandSession, _ player: Player
  ) throws -> PushJobID {
    if let id = PushJobID(text) { return id }
    // A notification that an earlier command marked as seen is not in the inbox any more.
    var said: PushJobID?
    _ = try session.resumed { action in
      guard case .inboxSeen(.one(let id)) = action, !ShortIDs([id]).matching(text).isEmpty else {
        return false
      }
      said = id
      return true
    }
    if let said { return said }
    let found = ShortIDs(try player.inbox().items.map(\.id)).matching(text)
    guard let id = found.first else {
      throw CommandFailure(
        .notFound, "unknownNotification", "No notification has an ID that ends with \(text).",
        next: ["cubist inbox"])
    }
    guard found.count == 1 else {
      throw CommandFailure(
        .usage, "ambiguousID", "Several notifications end with \(text). Give more digits.",
        next: ["cubist inbox"])
    }
    return id
  }

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    if let seen = try allSeen ? .all : seen.map({ InboxSeen.one(try resolve($0, session, player)) })
    {
      let isDone = try session.resumed { $0 == .inboxSeen(seen) }?.accepted() != nil
      if !isDone { try player.see(seen) }
    }
    let inbox = try player.inbox()
    try session.console.show(.inbox, inbox) { InboxText.text(inbox, now: session.now) }
  }
}
