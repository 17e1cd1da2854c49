public import MatchCore

/// A player's wish, apart from the event that says so: the same wish said twice is one event.
///
/// While an event of a program that has ended is pending, asking again for the same thing resumes that
/// event instead of making another; so repeating a command after a time-out or a crash never starts two
/// matches or plays two turns. Programs that run at the same time are as many wishes.
///
/// An event that was sent once may arrive at any time within seven days. So no event is sent while
/// an earlier one about the same subject has no answer.
public struct Intent: Hashable, Sendable {
  /// The thing it is about.
  public let subject: Event.Subject
  private let wish: Event.Action
  /// The player of a recovery. One recovery key or device may have to do with several players.
  private let recovered: PlayerID?

  /// The intent of a player's event; nil for an event that only the service sends.
  public init?(_ action: Event.Action, of player: PlayerID? = nil) {
    guard let subject = action.subject else { return nil }
    self.subject = subject
    wish = action.wish
    switch action {
    case .playerRecovered, .recoveryWithdrawn: recovered = player
    default: recovered = nil
    }
  }
}
