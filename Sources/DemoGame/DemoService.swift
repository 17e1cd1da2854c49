package import CubeLexicon
package import CubePlay
import CubeRules
package import GameScreens
import Synchronization

/// Matches against robots and games alone, in memory: everything that the whole screen uses of a
/// service.
package final class DemoService: Sendable {
  private struct State {
    var table: LocalTable
    var waiting: [CheckedContinuation<Void, Never>] = []

    /// Lets everybody look who waits for a change.
    mutating func wake() {
      for waiting in waiting { waiting.resume() }
      waiting = []
    }
  }

  private let state: Mutex<State>
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
    state = Mutex(State(table: LocalTable(words: words)))
    (self.words, self.random, self.pause) = (words, random, pause)
  }

  /// Begins a match, in which the player has the first turn.
  package func begin(_ strength: BotStrength) -> MatchKey {
    let puzzle = words.puzzle(seed: random())
    return state.withLock { $0.table.begin(.robot(strength, first: .me), on: puzzle) }
  }

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
  private static let unknownMatch = ScreenTrouble.said("There is no such match.")

  private func home() -> HomeList {
    state.withLock { state in
      let list = state.table.home(random: random)
      state.wake()
      return list
    }
  }

  private func match(
    _ key: MatchKey, newerThan version: Int64?
  ) async throws(ScreenTrouble) -> FoundMatch {
    while true {
      guard let found = state.withLock({ $0.table.found(key) }) else { throw Self.unknownMatch }
      if version.map({ $0 < found.version }) ?? true {
        return FoundMatch(
          news: found.news, version: found.version, lexicon: words.version.rawValue)
      }
      if found.isRobots {
        await pause()
        state.withLock { state in
          state.table.answer(key, random: random)
          state.wake()
        }
      } else {
        await change(after: found.version, of: key)
      }
    }
  }

  /// Waits until a match has another version.
  private func change(after version: Int64, of key: MatchKey) async {
    await withCheckedContinuation { continuation in
      let isLate = state.withLock { state in
        if state.table.version(key) != version { return true }
        state.waiting.append(continuation)
        return false
      }
      if isLate { continuation.resume() }
    }
  }

  private func play(
    _ key: MatchKey, _ moves: [Move], number: Int
  ) throws(ScreenTrouble) -> Answer {
    let answer = state.withLock { state in
      let answer = state.table.play(key, moves, number: number)
      state.wake()
      return answer
    }
    guard let answer else { throw Self.unknownMatch }
    return answer
  }

  private func rematch(_ key: MatchKey) -> RematchAnswer {
    state.withLock { state in
      let answer = state.table.rematch(key, random: random)
      state.wake()
      return answer
    }
  }

  private func grant(_ wish: HomeScreen.Wish) throws(ScreenTrouble) -> MatchKey? {
    guard case .accept(let key) = wish else {
      throw .said("That needs a service, and this game has none.")
    }
    guard let match = state.withLock({ $0.table.accept(key, random: random) }) else {
      throw .said("There is no such game.")
    }
    return match
  }
}
