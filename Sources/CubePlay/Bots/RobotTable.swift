public import CubeLexicon
public import CubeRules

/// Matches against robots, in memory: everything that a face of the game uses of a service.
///
/// A robot plays only when it is told to, so that the face decides how long it thinks.
public struct RobotTable: Sendable {
  private struct Match {
    var match: RobotMatch
    let strength: BotStrength
    var version: Int64 = 1
    var successor: MatchKey?

    /// Whether it is the robot's turn.
    var isRobots: Bool { match.player == .them && !match.game.isOver }
  }

  private let words: Lexicon
  private var matches: [Match] = []

  /// - Parameter words: The list of all matches.
  public init(words: Lexicon) { self.words = words }

  /// A match as it stands.
  public struct Found: Sendable {
    public let news: MatchNews
    /// Grows with each turn, and when a rematch begins.
    public let version: Int64
    /// Whether it is the robot's turn.
    public let isRobots: Bool
  }

  /// A match as it stands; nil where there is none of that name.
  public func found(_ key: MatchKey) -> Found? {
    guard let index = index(key) else { return nil }
    let match = matches[index]
    return Found(
      news: match.match.news(
        against: Self.name(match.strength), words: words,
        match.successor.map { .began($0) } ?? .open),
      version: match.version, isRobots: match.isRobots)
  }

  /// The version of a match; nil where there is none of that name.
  public func version(_ key: MatchKey) -> Int64? { index(key).map { matches[$0].version } }

  /// The running matches, the latest first, and the robots. Robots whose turn it is play first.
  public mutating func home(random: () -> UInt64) -> HomeList {
    for index in matches.indices { answer(index, random) }
    let running = matches.indices.reversed().compactMap { index -> HomeRow? in
      let match = matches[index]
      guard !match.match.game.isOver else { return nil }
      return HomeRow(
        Self.key(index), .yourTurn, opponent: Self.name(match.strength),
        points: [match.match.points(of: .me), match.match.points(of: .them)])
    }
    let robots = BotStrength.allCases.map {
      HomeRow(Self.key($0), .invitation, opponent: Self.name($0))
    }
    return HomeList(name: nil, rows: running + robots)
  }

  /// Begins a match.
  public mutating func begin(
    _ strength: BotStrength, on puzzle: Puzzle, first: PlayTurn.Player
  ) -> MatchKey {
    add(RobotMatch(on: puzzle, first: first), against: strength)
  }

  /// Goes on with a match.
  public mutating func add(_ match: RobotMatch, against strength: BotStrength) -> MatchKey {
    matches.append(Match(match: match, strength: strength))
    return Self.key(matches.count - 1)
  }

  /// A match, its name and its robot.
  public struct Entry: Sendable {
    public let key: MatchKey
    public let match: RobotMatch
    public let strength: BotStrength
  }

  /// All matches, the oldest first.
  public var entries: [Entry] {
    matches.indices.map {
      Entry(key: Self.key($0), match: matches[$0].match, strength: matches[$0].strength)
    }
  }

  /// Plays a turn of the player; nil where there is no such match.
  public mutating func play(_ key: MatchKey, _ moves: [Move], number: Int) -> Answer? {
    guard let index = index(key) else { return nil }
    var match = matches[index].match
    guard match.player == .me, match.turnCount + 1 == number else { return .outdated }
    do throws(TurnRefusal) {
      try match.play(moves, words: words)
    } catch {
      return .illegal(error.reason)
    }
    put(match, at: index)
    return .accepted(secondsLeft: nil)
  }

  /// Has the robot play, where it is its turn.
  public mutating func answer(_ key: MatchKey, random: () -> UInt64) {
    if let index = index(key) { answer(index, random) }
  }

  /// Begins another match against the same robot after one that is over. The other player begins.
  public mutating func rematch(_ key: MatchKey, random: () -> UInt64) -> RematchAnswer {
    guard let index = index(key), matches[index].match.game.isOver else {
      return .failed("The match is not over.")
    }
    let old = matches[index]
    if let successor = old.successor { return .began(successor) }
    let next = begin(
      old.strength, on: words.puzzle(seed: random()), first: old.match.first == .me ? .them : .me)
    matches[index].successor = next
    return .began(next)
  }

  /// Begins a match against the robot of a row of the list; nil where it is no robot's.
  public mutating func accept(_ key: MatchKey, random: () -> UInt64) -> MatchKey? {
    guard let strength = BotStrength.allCases.first(where: { Self.key($0) == key }) else {
      return nil
    }
    return begin(strength, on: words.puzzle(seed: random()), first: .me)
  }
}

extension RobotTable {
  private static func key(_ index: Int) -> MatchKey { MatchKey("\(index + 1)") }

  /// The robot's row in the list.
  public static func key(_ strength: BotStrength) -> MatchKey { MatchKey(strength.rawValue) }

  private static func name(_ strength: BotStrength) -> String { "Robot, \(strength.rawValue)" }

  private func index(_ key: MatchKey) -> Int? {
    guard let number = Int(key.text), matches.indices.contains(number - 1) else { return nil }
    return number - 1
  }

  private mutating func answer(_ index: Int, _ random: () -> UInt64) {
    guard matches[index].isRobots else { return }
    var match = matches[index].match
    let moves = matches[index].strength.turn(
      on: match.game, seatCount: 2, words: words, random: random)
    do throws(TurnRefusal) {
      try match.play(moves, words: words)
    } catch {
      preconditionFailure("a robot plays only what the rules allow")
    }
    put(match, at: index)
  }

  private mutating func put(_ match: RobotMatch, at index: Int) {
    matches[index].match = match
    matches[index].version += 1
  }
}
