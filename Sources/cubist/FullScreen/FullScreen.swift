import CubePlay
import Dispatch
import MatchCore
import PlayerClient
import Synchronization
import TerminalScreen

/// The game on the whole screen, as a command opens it.
struct FullScreen: Sendable {
  let client: ScreenClient
  let lexicons: Lexicons
  let setting: ScreenSetting
  let match: MatchID?
  let rings: Bool

  /// Runs until the player quits, and gives the state then. Blocks.
  func run() throws -> GameApp {
    let end = End()
    Task {
      let loop = GameLoop(
        client: client, lexicons: lexicons, setting: setting, rings: rings)
      let app = GameApp(at: match.map { MatchKey($0.description) })
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
      guard let result else { return GameApp() }
      return try result.get()
    }
  }

  private final class End: Sendable {
    let result = Mutex<Result<GameApp, any Error>?>(nil)
    let signal = DispatchSemaphore(value: 0)
  }
}

extension Session {
  /// Whether a whole screen can be opened here.
  var hasScreen: Bool { screenSetting != nil }

  private var screenSetting: ScreenSetting? {
    let isTerminal = environment.inputIsTerminal && environment.output.isTerminal
    guard isTerminal, !options.json, !options.plain, !options.quiet, environment.openScreen != nil,
      var setting = ScreenSetting(environment: environment.variables)
    else { return nil }
    if options.noColor { setting.depth = .none }
    return setting
  }

  /// Opens the whole screen, at a match or at what waits, until the player quits.
  func openScreen(at match: MatchID?, rings: Bool) throws {
    guard let setting = screenSetting, let open = environment.openScreen,
      let folder = try profileName().folder(environment: environment.variables)
    else { return }
    let store = try store()
    let plan = ScreenPlan(
      url: try url(store), folder: folder, isVerbose: options.verbose, timeout: options.timeout,
      match: match, rings: rings)
    guard try store.loadKey() != nil else { throw ClientError.notRegistered }
    close()
    let last = try open(plan, setting)
    guard case .shown(let table)? = last.match?.content,
      case .playing(.sent(let sent), _) = table.turn.stage
    else { return }
    let what = sent.turn.word.isEmpty ? "Your turn" : sent.turn.word
    if try store.loadPending().events.isEmpty {
      throw CommandFailure(
        .unavailable, "unreachable", "The service was away. \(what) was not played.",
        next: ["cubist play"])
    }
    throw CommandFailure(
      .pending, "pending",
      "The answer to \(what) is pending. Any cubist command sends it again, and it counts once.")
  }
}
