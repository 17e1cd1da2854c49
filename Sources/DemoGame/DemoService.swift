package import CubeLexicon
package import CubePlay
import CubeRules
package import GameScreens
import Synchronization

/// Matches against robots, in memory: everything that the whole screen uses of a service.
package final class DemoService: Sendable {
  private struct Match {
    var match: RobotMatch
    let strength: BotStrength
    var version: Int64 = 1
    var successor: MatchKey?
  }

  private struct State {
    var matches: [Match] = []
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let words: Lexicon
  private let random: @Sendable () -> UInt64
  private let pause: @Sendable () async -> Void

  /// - Parameters:
  ///   - words: The list of all matches.
  ///   - random: The next 64 random bits.
  ///   - pause: Waits as long as a robot thinks.
  package init(
    words: Lexicon = .english, random: @escaping @Sendable () -> UInt64,
    pause: @escaping @Sendable () async -> Void
  ) {
    (self.words, self.random, self.pause) = (words, random, pause)
  }

  /// Begins a match, in which the player has the first turn.
  package func begin(_ strength: BotStrength) -> MatchKey { begin(strength, first: .me) }

  /// The functions for the whole screen.
  package var client: ScreenClient {
    ScreenClient(
      home: { () async throws(ScreenTrouble) in self.home() },
      match: { key, version async throws(ScreenTrouble) in
        try await self.match(key, newerThan: version)
      },
      play: { key, moves, number async throws(ScreenTrouble) in
        try self.play(key, moves, number: number)
      },
      rematch: { key in self.rematch(key) },
      grant: { wish async throws(ScreenTrouble) in try self.grant(wish) })
  }
}

// MARK: - Requests of the screen

extension DemoService {
  private func home() -> HomeList {
    let running = state.withLock { state in
      for index in state.matches.indices { answer(&state, index) }
      return state.matches.indices.reversed().compactMap { index -> HomeRow? in
        let match = state.matches[index]
        guard !match.match.game.isOver else { return nil }
        return HomeRow(
          Self.key(index), .yourTurn, opponent: Self.name(match.strength),
          points: [match.match.points(of: .me), match.match.points(of: .them)])
      }
    }
    let robots = BotStrength.allCases.map {
      HomeRow(Self.key($0), .invitation, opponent: Self.name($0))
    }
    return HomeList(name: nil, rows: running + robots)
  }

  private func match(
    _ key: MatchKey, newerThan version: Int64?
  ) async throws(ScreenTrouble) -> FoundMatch {
    while true {
      let (found, isRobots) = try look(key)
      if version.map({ $0 < found.version }) ?? true { return found }
      if isRobots {
        await pause()
        state.withLock { state in
          if let index = Self.index(key, state) { answer(&state, index) }
        }
      } else {
        await change(after: found.version, of: key)
      }
    }
  }

  private func look(
    _ key: MatchKey
  ) throws(ScreenTrouble) -> (found: FoundMatch, isRobots: Bool) {
    let match = state.withLock { state in
      Self.index(key, state).map { state.matches[$0] }
    }
    guard let match else { throw .said("There is no such match.") }
    let rematch = match.successor.map { RematchNews.began($0) } ?? .open
    let found = FoundMatch(
      news: match.match.news(against: Self.name(match.strength), words: words, rematch),
      version: match.version, lexicon: words.version.rawValue)
    return (found, match.match.player == .them && !match.match.game.isOver)
  }

  /// Waits until a match has another version.
  private func change(after version: Int64, of key: MatchKey) async {
    await withCheckedContinuation { continuation in
      let isLate = state.withLock { state in
        let index = Self.index(key, state)
        if index.map({ state.matches[$0].version != version }) ?? true { return true }
        state.waiting.append(continuation)
        return false
      }
      if isLate { continuation.resume() }
    }
  }

  private func play(
    _ key: MatchKey, _ moves: [Move], number: Int
  ) throws(ScreenTrouble) -> Answer {
    let answer = state.withLock { state -> Answer? in
      guard let index = Self.index(key, state) else { return nil }
      var match = state.matches[index].match
      guard match.player == .me, match.turnCount + 1 == number else { return .outdated }
      do throws(TurnRefusal) {
        try match.play(moves, words: words)
      } catch {
        return .illegal(error.reason)
      }
      Self.put(match, at: index, in: &state)
      return .accepted(secondsLeft: nil)
    }
    guard let answer else { throw .said("There is no such match.") }
    return answer
  }

  private func rematch(_ key: MatchKey) -> RematchAnswer {
    let old = state.withLock { state in Self.index(key, state).map { state.matches[$0] } }
    guard let old, old.match.game.isOver else { return .failed("The match is not over.") }
    if let successor = old.successor { return .began(successor) }
    let next = begin(old.strength, first: old.match.first == .me ? .them : .me)
    state.withLock { state in
      if let index = Self.index(key, state) { state.matches[index].successor = next }
    }
    return .began(next)
  }

  private func grant(_ wish: HomeScreen.Wish) throws(ScreenTrouble) -> MatchKey? {
    switch wish {
    case .accept(let key):
      guard let strength = BotStrength.allCases.first(where: { Self.key($0) == key }) else {
        throw .said("There is no such robot.")
      }
      return begin(strength)
    default: throw .said("That needs a service. This is a game against robots.")
    }
  }
}

// MARK: - Matches

extension DemoService {
  private static func key(_ index: Int) -> MatchKey { MatchKey("\(index + 1)") }

  private static func key(_ strength: BotStrength) -> MatchKey { MatchKey(strength.rawValue) }

  private static func name(_ strength: BotStrength) -> String { "Robot, \(strength.rawValue)" }

  private static func index(_ key: MatchKey, _ state: borrowing State) -> Int? {
    guard let number = Int(key.text), state.matches.indices.contains(number - 1) else { return nil }
    return number - 1
  }

  private func begin(_ strength: BotStrength, first: PlayTurn.Player) -> MatchKey {
    let match = RobotMatch(on: words.puzzle(seed: random()), first: first)
    return state.withLock { state in
      state.matches.append(Match(match: match, strength: strength))
      return Self.key(state.matches.count - 1)
    }
  }

  /// Has the robot play where it is its turn.
  private func answer(_ state: inout State, _ index: Int) {
    var match = state.matches[index].match
    guard match.player == .them, !match.game.isOver else { return }
    let moves = state.matches[index].strength.turn(
      on: match.game, seatCount: 2, words: words, random: random)
    do throws(TurnRefusal) {
      try match.play(moves, words: words)
    } catch {
      preconditionFailure("a robot plays only what the rules allow: \(error)")
    }
    Self.put(match, at: index, in: &state)
  }

  private static func put(_ match: RobotMatch, at index: Int, in state: inout State) {
    state.matches[index].match = match
    state.matches[index].version += 1
    for waiting in state.waiting { waiting.resume() }
    state.waiting = []
  }
}
