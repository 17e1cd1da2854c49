/// How a match ended.
public struct Outcome: Hashable, Sendable {
  /// Why it ended. The raw values are stored and must never change.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// No cube is left.
    case cleared
    /// A player gave up once a turn had been played; in matches of older builds before that, too.
    case forfeited
    /// A player's time for a turn ran out.
    case timedOut
    /// The player of a game of one seat ended it.
    case finished
    /// The time of a game of one seat is over (180 s of a timed one, the day of a daily).
    case timeUp
    /// A player never made a first move in time, or gave up before anybody had played a turn; counts
    /// for nobody.
    case aborted
    /// Who asked for the match took the request back.
    case withdrawn
    /// Who was invited said no.
    case declined
    /// Nobody came within seven days.
    case expired
    /// An operator ended it as it stood.
    case stopped
    /// An operator annulled it; counts for nobody.
    case annulled
    /// Who waited was brought together with somebody who waited in another match.
    case mergedInto
  }

  /// What a match was for one seat. The raw values are stored and must never change.
  public enum Result: String, Hashable, Sendable, CaseIterable {
    /// Most points, or the last one left.
    case won
    /// Fewer points, forfeited or timed out.
    case lost
    /// Equal points.
    case tied
    /// A game of one seat that was played to an end.
    case completed
    /// Not played, or not counted: aborted, withdrawn, declined, expired, annulled, merged.
    case none
  }

  /// Why it ended.
  public var reason: Reason
  /// The seat that forfeited, timed out, declined, withdrew or did not move; nil where none did.
  public var seat: Int?
  /// What it was for each seat.
  public var results: [Result]
  /// The match that it went on as, where it was merged into another one.
  public var mergedInto: MatchID?

  /// Puts an outcome together as it was stored.
  public init(reason: Reason, seat: Int?, results: [Result], mergedInto: MatchID? = nil) {
    self.reason = reason
    self.seat = seat
    self.results = results
    self.mergedInto = mergedInto
  }

  /// The outcome of a match whose player goes on in another one.
  static func merged(into match: MatchID, points: [Int]) -> Outcome {
    Outcome(
      reason: .mergedInto, seat: nil, results: points.map { _ in .none }, mergedInto: match)
  }

  /// Whether the match was played, so that it is a past game that may have a rematch.
  public var wasPlayed: Bool {
    switch reason {
    case .cleared, .forfeited, .timedOut, .finished, .timeUp, .aborted, .stopped, .annulled: true
    case .withdrawn, .declined, .expired, .mergedInto: false
    }
  }

  /// The outcome that follows from reason, seat and points by docs/rules.md: most points win, equal
  /// points tie; who forfeits or times out loses whatever the points.
  static func decided(_ reason: Reason, by seat: Int?, points: [Int]) -> Outcome {
    let results: [Result]
    switch reason {
    case .withdrawn, .declined, .expired, .aborted, .annulled, .mergedInto:
      results = points.map { _ in .none }
    case .finished, .timeUp:
      results = points.map { _ in .completed }
    case .forfeited, .timedOut:
      results = points.indices.map { $0 == seat ? .lost : .won }
    case .cleared where points.count == 1, .stopped where points.count == 1:
      results = [.completed]
    case .cleared, .stopped:
      let best = points.max() ?? 0
      let isTied = points.count { $0 == best } > 1
      results = points.map { $0 < best ? .lost : isTied ? .tied : .won }
    }
    return Outcome(reason: reason, seat: seat, results: results)
  }
}
