import CubeRules

extension Match {
  /// A player who left a seat, so that the match waited again.
  public struct Leaving: Hashable, Sendable {
    public var player: PlayerID
    public var at: Instant

    /// A row as it was stored.
    public init(player: PlayerID, at: Instant) {
      self.player = player
      self.at = at
    }
  }

  /// After this many the next joiner who gives up ends the match, so that a record is bounded.
  public static let leavingLimit = 64

  /// Whether a player left a seat here, and is never seated here again.
  public func wasLeft(by player: PlayerID) -> Bool {
    leavings.contains { $0.player == player }
  }

  /// The seat of a player who may leave it to somebody else: it waited for anyone, and nobody has
  /// played since the player came. Nil for everybody else, who gives the match up.
  public func seatToLeave(of player: PlayerID) -> Int? {
    guard stage == .playing, terms.kind == .random || terms.kind == .open,
      leavings.count < Match.leavingLimit, let seat = seat(of: player), seat > 0,
      seats[seat].turnCount == 0, turnNumber == 1 || previousTurnHash != head && !hasReaction
    else { return nil }
    return seat
  }

  /// Whether a free seat comes with another cube: the waiting player has not played on this one, and
  /// nobody who left may come back knowing it.
  var dealsAnew: Bool { turnNumber == 1 }

  /// A player leaves a seat, and the match waits for somebody else. Its entry was taken before.
  mutating func leave(seat: Int, dealing puzzle: Puzzle?, at time: Instant) {
    guard let player = seats[seat].player else { return }
    seats[seat] = Seat(holder: .free)
    stage = .waiting
    leavings.append(Leaving(player: player, at: time))
    guard let puzzle else { return }
    game = CubeGame(puzzle: puzzle, rules: rules)
    previousTurnHash = head
  }
}
