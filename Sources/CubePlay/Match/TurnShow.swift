internal import CubeRules

/// A turn as it is shown for a moment after it was played, or when it is looked at again: the word
/// is spelled, then the vanished cubes flash.
///
/// The drawing code decides how long a moment is.
public struct TurnShow: Hashable, Sendable {
  /// The turn on its cube.
  public internal(set) var replay: TurnReplay
  public internal(set) var player: PlayTurn.Player
  /// How far it has come.
  public internal(set) var step: Step

  /// How far the show of a turn has come.
  public enum Step: Hashable, Sendable {
    /// So many letters are lit; more than there are: the word rests.
    case spelling(Int)
    /// The vanished cubes flash, so many times more; at even numbers they are there.
    case flashing(Int)
  }

  /// The moments that a spelled word rests.
  static let rest = 3
  /// The moments of flashing.
  static let flash = 6

  /// The show of a turn; nil where there is nothing to show.
  ///
  /// - Parameter isSpelled: Whether the word is spelled first. The turn's own player has just done
  ///   that.
  init?(_ replay: TurnReplay, by player: PlayTurn.Player, isSpelled: Bool) {
    (self.replay, self.player) = (replay, player)
    if isSpelled, !replay.turn.faces.isEmpty {
      step = .spelling(1)
    } else if !replay.gone.isEmpty {
      step = .flashing(Self.flash)
    } else {
      return nil
    }
  }

  /// The moment after this one; nil after the last.
  var next: TurnShow? {
    var next = self
    switch step {
    case .spelling(let count):
      if count < replay.turn.faces.count + Self.rest {
        next.step = .spelling(count + 1)
      } else if !replay.gone.isEmpty {
        next.step = .flashing(Self.flash)
      } else {
        return nil
      }
    case .flashing(let count):
      guard count > 1 else { return nil }
      next.step = .flashing(count - 1)
    }
    return next
  }

  /// The cube at this moment.
  var picture: CubePicture {
    switch step {
    case .spelling(let count):
      return CubePicture(
        game: replay.ready, lit: FaceSet(replay.turn.faces.prefix(count)), litBy: player)
    case .flashing(let count):
      guard count.isMultiple(of: 2) else { return CubePicture(game: replay.after, litBy: player) }
      return CubePicture(
        game: replay.game, lit: FaceSet(replay.turn.faces), litBy: player,
        leaving: replay.turn.vanishing, marked: replay.removed)
    }
  }
}

// MARK: - On the table

extension ShownMatch {
  /// Shows a turn that was just played.
  ///
  /// - Parameter isTicking: Whether another turn was shown, so that moments pass already.
  mutating func showTurn(after before: PlayTurn, isTicking: Bool) -> [MatchEffect] {
    guard turn.turnNumber != before.turnNumber else { return [] }
    endShow()
    guard let last = turn.lastTurn, turn.turnNumber == before.turnNumber &+ 1 else { return [] }
    show = TurnShow(
      TurnReplay(last.turn, on: before.game), by: last.player, isSpelled: last.player == .them)
    return show != nil && !isTicking ? [.tick] : []
  }

  /// A moment passed.
  mutating func tick() -> [MatchEffect] {
    guard let show else { return [] }
    self.show = show.next
    if self.show == nil, isReplaying {
      lookedBack = max(0, lookedBack - 1)
      showLookedAt()
    }
    return self.show == nil ? [] : [.tick]
  }

  /// Replays the turns one after the other, from the shown one or the first; or ends the replay.
  mutating func toggleReplay() -> [MatchEffect] {
    guard !isReplaying else {
      endShow()
      return []
    }
    if lookedBack == 0 { lookedBack = lines.count }
    let isTicking = show != nil
    showLookedAt()
    return show != nil && !isTicking ? [.tick] : []
  }

  mutating func endShow() { (show, isReplaying) = (nil, false) }

  /// Shows the turn that the player looks at, or the next one that can be shown.
  private mutating func showLookedAt() {
    show = nil
    while show == nil, let line = lookedAt {
      show = line.replay.flatMap { TurnShow($0, by: line.player, isSpelled: true) }
      if show == nil { lookedBack -= 1 }
    }
    isReplaying = show != nil
  }
}
