public import MatchCore
import MatchWire

/// How far the wish for a rematch has come, to be shown to the player.
public enum RematchProgress: Hashable, Sendable, CustomStringConvertible {
  /// The request is under way.
  case inFlight
  /// The service has the offer; the other player has to answer.
  case offered(MatchID, version: Int64)
  case started(MatchTicket)
  /// The request is under way no more, and nothing came of it.
  case failed(ClientError)

  /// Whether the request is under way.
  public var isInFlight: Bool { self == .inFlight }

  /// The progress in words for the player.
  public var description: String {
    switch self {
    case .inFlight: "Asking for a rematch …"
    case .offered: "The rematch is offered. It begins when the other player wants it too."
    case .started(let ticket): "The rematch has begun: match \(ticket.match)."
    case .failed(let error) where error.isFinal:
      "The rematch could not be started. \(error)"
    case .failed(let error):
      "The rematch could not be started. Please try again later. \(error)"
    }
  }
}

extension Player {
  /// Asks for another match against the same opponent, or agrees to the one that was offered.
  ///
  /// - Parameter onProgress: Hears `inFlight`, and then the returned value.
  @discardableResult
  public func rematch(
    of match: MatchID, onProgress: (RematchProgress) -> Void = { _ in }
  ) -> RematchProgress {
    onProgress(.inFlight)
    let progress: RematchProgress
    do throws(ClientError) {
      switch try act(Event.RematchRequested(match: match)) {
      case .offered(let match, let version): progress = .offered(match, version: version)
      case .started(let ticket): progress = .started(ticket)
      }
    } catch {
      progress = .failed(error)
    }
    onProgress(progress)
    return progress
  }
}

extension ClientError {
  /// Whether trying the same again cannot help.
  public var isFinal: Bool {
    switch self {
    case .refused(_, _, let refusal): !(refusal?.isAboutAttempt ?? false)
    case .queryRefused(_, _, .unavailable?), .queryRefused(_, _, .rateLimited?): false
    case .queryRefused: true
    case .notRegistered, .recovering, .rootKeyChanged, .serviceChanged, .outdated, .tooLarge: true
    case .pending, .earlierPending, .unreachable, .clockSkewed, .foreignReply, .unreadable,
      .profile:
      false
    }
  }
}
