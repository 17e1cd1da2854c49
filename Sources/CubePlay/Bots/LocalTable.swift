public import CubeLexicon
public import CubeRules

/// Matches against robots and games alone, in memory: everything that a face of the game uses of a
/// service.
///
/// A robot plays only when it is told to, so that the face decides how long it thinks.
public struct LocalTable: Sendable {
  private struct Game {
    var match: LocalMatch
    var version: Int64 = 1
    var successor: MatchKey?

    /// The robot whose turn it is; nil: there is none.
    var robot: BotStrength? {
      guard case .robot(let strength, _) = match.opponent, match.player == .them,
        !match.game.isOver
      else { return nil }
      return strength
    }
  }

  private let words: Lexicon
  private var matches: [Game] = []

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
      news: match.match.news(words: words, match.successor.map { .began($0) } ?? .open),
      version: match.version, isRobots: match.robot != nil)
  }

  /// The version of a match; nil where there is none of that name.
  public func version(_ key: MatchKey) -> Int64? { index(key).map { matches[$0].version } }

  /// The running matches, the latest first, then the robots and a game alone. Robots whose turn it
  /// is play first.
  public mutating func home(random: () -> UInt64) -> HomeList {
    for index in matches.indices { answer(index, random) }
    let running = matches.indices.reversed().compactMap { index -> HomeRow? in
      let match = matches[index].match
      guard !match.game.isOver else { return nil }
      return HomeRow(
        Self.key(index), .yourTurn, opponent: Self.name(match.opponent),
        points: match.players.points)
    }
    let new = Opponent.all.map {
      HomeRow($0.key, $0 == .nobody ? .alone : .invitation, opponent: Self.name($0))
    }
    return HomeList(name: nil, rows: running + new)
  }

  /// Begins a match.
  public mutating func begin(_ opponent: Opponent, on puzzle: Puzzle) -> MatchKey {
    add(LocalMatch(on: puzzle, against: opponent))
  }

  /// Goes on with a match.
  public mutating func add(_ match: LocalMatch) -> MatchKey {
    matches.append(Game(match: match))
    return Self.key(matches.count - 1)
  }

  /// A match and its name.
  public struct Entry: Sendable {
    public let key: MatchKey
    public let match: LocalMatch
  }

  /// All matches, the oldest first.
  public var entries: [Entry] {
    matches.indices.map { Entry(key: Self.key($0), match: matches[$0].match) }
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
    guard case .robot(let strength, let first) = matches[index].match.opponent else {
      return .failed("A game alone has no rematch.")
    }
    if let successor = matches[index].successor { return .began(successor) }
    let next = begin(.robot(strength, first: first.other), on: words.puzzle(seed: random()))
    matches[index].successor = next
    return .began(next)
  }

  /// Begins the match of a row of the list; nil where it is none of a new match.
  public mutating func accept(_ key: MatchKey, random: () -> UInt64) -> MatchKey? {
    guard let opponent = Opponent.all.first(where: { $0.key == key }) else { return nil }
    return begin(opponent, on: words.puzzle(seed: random()))
  }
}

extension LocalTable {
  private static func key(_ index: Int) -> MatchKey { MatchKey("\(index + 1)") }

  private static func name(_ opponent: Opponent) -> String { opponent.name ?? "Alone" }

  private func index(_ key: MatchKey) -> Int? {
    guard let number = Int(key.text), number > 0, number <= matches.count else { return nil }
    return number - 1
  }

  private mutating func answer(_ index: Int, _ random: () -> UInt64) {
    guard let robot = matches[index].robot else { return }
    var match = matches[index].match
    let moves = robot.turn(on: match.game, seatCount: 2, words: words, random: random)
    do throws(TurnRefusal) {
      try match.play(moves, words: words)
    } catch {
      preconditionFailure("a robot plays only what the rules allow")
    }
    put(match, at: index)
  }

  private mutating func put(_ match: LocalMatch, at index: Int) {
    matches[index].match = match
    matches[index].version += 1
  }
}
