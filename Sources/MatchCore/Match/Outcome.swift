/// The end of a match.
public struct Outcome: Hashable, Sendable {
  /// The reason for the end. The raw values are stored and must never change.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// No cube is left.
    case cleared
    /// A player gave up after the first turn. In matches of older builds also before it.
    case forfeited
    /// A player's time for a turn ran out.
    case timedOut
    /// The player of a game of one seat ended it.
    case finished
    /// The time of a game of one seat is over (180 s of a timed one, the day of a daily).
    case timeUp
    /// A player did not make a first move in time, or gave up before the first turn. It counts for
    /// nobody.
    case aborted
    /// The player who asked for the match withdrew the request.
    case withdrawn
    /// The invited player declined.
    case declined
    /// Nobody came within seven days.
    case expired
    /// An operator ended it as it stood.
    case stopped
    /// An operator annulled it. It counts for nobody.
    case annulled
    /// The waiting player was paired with a player waiting in another match.
    case mergedInto
  }

  /// The result for one seat. The raw values are stored and must never change.
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

  public var reason: Reason
  /// The seat that forfeited, timed out, declined, withdrew or did not move. Nil if none did.
  public var seat: Int?
  /// The result for each seat.
  public var results: [Result]
  /// The match that this one was merged into.
  public var mergedInto: MatchID?

  /// An outcome as it was stored.
  public init(reason: Reason, seat: Int?, results: [Result], mergedInto: MatchID? = nil) {
    self.reason = reason
    self.seat = seat
    self.results = results
    self.mergedInto = mergedInto
  }

  /// The outcome of a match that was merged into another one. Its player goes on there.
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

  /// Whether a player won by the other's leaving or running out of time alone, without a word. Such a
  /// match is not rated. Every word scores.
  /// - Parameter points: The points of each seat.
  public func wasLeftUnplayed(points: [Int]) -> Bool {
    guard reason == .forfeited || reason == .timedOut else { return false }
    return zip(points, results).contains { $1 == .won && $0 == 0 }
  }

  /// The outcome that follows from reason, seat and points by docs/rules.md: most points win, equal
  /// points tie. A player who forfeits or times out loses regardless of the points.
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

extension Outcome: CustomStringConvertible {
  /// The raw values, for reports of mistakes.
  public var description: String {
    let seat = seat.map { " by seat \($0)" } ?? ""
    return "\(reason.rawValue)\(seat): " + results.map { $0.rawValue }.joined(separator: ", ")
  }
}

extension Match {
  /// The points of each seat, for reports of mistakes. Embedded Swift prints no array.
  package var pointsText: String {
    "[" + points.map { "\($0)" }.joined(separator: ", ") + "]"
  }
}
