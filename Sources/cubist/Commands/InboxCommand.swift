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
        cubist inbox --seen 019de137-7000-7000-8000-000000001234
        cubist inbox --all-seen

      What was swiped away on a phone is here for 30 days.
      """)

  @Option(
    help: .init("Take this one away.", valueName: "id"), transform: Inbox.id)
  var seen: PushJobID?

  @Flag(help: "Take all of them away.")
  var allSeen = false

  @OptionGroup(title: "Global options") var options: GlobalOptions

  private static func id(_ text: String) throws -> PushJobID {
    guard let id = PushJobID(text) else {
      throw ValidationError("'\(text)' is no id of a notification; `cubist inbox` shows them.")
    }
    return id
  }

  func validate() throws {
    guard seen == nil || !allSeen else {
      throw ValidationError("Give --seen or --all-seen, not both.")
    }
  }

  func perform(_ session: Session) throws {
    let player = try session.player()
    if let seen = allSeen ? .all : seen.map({ InboxSeen.one($0) }) {
      let isDone = try session.resumed { $0 == .inboxSeen(seen) }?.accepted() != nil
      if !isDone { try player.see(seen) }
    }
    let inbox = try player.inbox()
    try session.console.show(.inbox, inbox) { InboxText.text(inbox, now: session.now) }
  }
}
