/// One version of the rules of the game, which a match pins by its name.
///
/// Pinned rules are never changed: other rules get another name, and a record is judged for ever by
/// the rules it began with. It is a class so that a game in memory holds one pointer.
public final class Rules: Sendable {
  /// The name in a deal, such as `cube-1`.
  public let name: String

  /// How many players a match may have.
  public let seatCounts: ClosedRange<Int>

  /// The use of a face that takes its cube away, 1...3.
  public let lastUse: Int

  /// The score of a word, from the sum of its letters' points and its number of characters.
  public let score: @Sendable (_ points: Int, _ length: Int) -> Int

  /// Refuses moves that make no turn in any game.
  let checkShape: @Sendable (_ moves: [Move], _ seatCount: Int) throws(TurnRefusal) -> Void

  /// Refuses moves that make no turn where they leave these cubes.
  let checkEnd:
    @Sendable (_ moves: [Move], _ seatCount: Int, _ left: CubeSet) throws(TurnRefusal) -> Void

  /// Whether a game with these cubes in play is over.
  let isOver: @Sendable (_ inPlay: CubeSet) -> Bool

  /// Whether this build can judge by them.
  public let isKnown: Bool

  /// Rules that differ from the first ones where it is said.
  ///
  /// - Parameter lastUse: Numbers out of 1...3 count as the nearest; games have room for no more.
  public init(
    name: String, seatCounts: ClosedRange<Int> = 1...2, lastUse: Int = 3,
    score: @escaping @Sendable (_ points: Int, _ length: Int) -> Int = {
      Rules.firstScore(points: $0, length: $1)
    },
    checkShape: @escaping @Sendable ([Move], Int) throws(TurnRefusal) -> Void = {
      moves, seatCount throws(TurnRefusal) in
      try Rules.firstShape(moves, seatCount: seatCount)
    },
    checkEnd: @escaping @Sendable ([Move], Int, CubeSet) throws(TurnRefusal) -> Void = {
      moves, seatCount, left throws(TurnRefusal) in
      try Rules.firstEnd(moves, seatCount: seatCount, left: left)
    },
    isOver: @escaping @Sendable (_ inPlay: CubeSet) -> Bool = { $0.isEmpty }
  ) {
    self.name = name
    self.seatCounts = seatCounts
    self.lastUse = min(3, max(1, lastUse))
    self.score = score
    self.checkShape = checkShape
    self.checkEnd = checkEnd
    self.isOver = isOver
    isKnown = true
  }

  /// Stands for rules that this build does not have: a match by them can be kept and named.
  init(unknown name: String) {
    self.name = name
    seatCounts = 1...2
    lastUse = 3
    score = { _, _ in 0 }
    checkShape = { _, _ throws(TurnRefusal) in
      throw TurnRefusal(moveIndex: 0, reason: .turnShape(.empty))
    }
    checkEnd = { _, _, _ in }
    isOver = { $0.isEmpty }
    isKnown = false
  }

  /// The rules of docs/rules.md.
  public static let cube1 = Rules(name: "cube-1")
}
