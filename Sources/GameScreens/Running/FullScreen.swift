package import CubeLexicon
package import CubePlay
import Dispatch
import Synchronization
package import TerminalScreen

/// The game on the whole screen, as a command opens it.
package struct FullScreen: Sendable {
  private let loop: GameLoop
  private let match: MatchKey?
  private let isReplay: Bool
  private let firstSteps: FirstStepsProgress
  private let facilities: Facilities

  /// The smallest window in which the game can be played.
  package static let leastSize = TerminalSize(columns: 64, rows: 24)

  /// Whether a window has room for the game.
  package static func fits(_ size: TerminalSize) -> Bool {
    size.columns >= leastSize.columns && size.rows >= leastSize.rows
  }

  /// - Parameters:
  ///   - words: The list of that name; nil where it is not here.
  ///   - match: The match to begin with; nil: the home list.
  ///   - isReplay: Whether the match is opened at its first turn.
  ///   - firstSteps: How far the first steps have come; they begin where nobody has seen them.
  ///   - facilities: The facilities beside playing.
  ///   - rings: Whether the bell rings for the other one's turn.
  package init(
    client: ScreenClient, words: @escaping @Sendable (String) -> Lexicon?, setting: ScreenSetting,
    match: MatchKey? = nil, isReplay: Bool = false,
    firstSteps: FirstStepsProgress = .done, facilities: Facilities = .service,
    rings: Bool = false
  ) {
    loop = GameLoop(client: client, words: words, setting: setting, rings: rings)
    (self.match, self.isReplay, self.firstSteps) = (match, isReplay, firstSteps)
    self.facilities = facilities
  }

  /// Runs until the player quits, and gives the state then. Blocks.
  package func run() throws -> ScreenEnd {
    let end = End()
    Task { [loop, match, isReplay, firstSteps, facilities] in
      let app = GameApp(
        at: match, isReplay: isReplay, firstSteps: firstSteps, facilities: facilities)
      do {
        let last = try await Screen.taken(usesMouse: true) { screen in
          try await loop.run(app, on: screen)
        }
        end.result.withLock { $0 = .success(last) }
      } catch {
        end.result.withLock { $0 = .failure(error) }
      }
      end.signal.signal()
    }
    end.signal.wait()
    return try end.result.withLock { result in
      guard let result else { return ScreenEnd() }
      return try result.get()
    }
  }

  private final class End: Sendable {
    let result = Mutex<Result<ScreenEnd, any Error>?>(nil)
    let signal = DispatchSemaphore(value: 0)
  }
}
