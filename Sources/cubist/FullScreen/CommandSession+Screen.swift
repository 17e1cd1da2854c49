import CubePlay
import GameScreens
import MatchCore
import PlayerClient
import TerminalScreen

extension CommandSession {
  /// Whether a whole screen can be opened here.
  var hasScreen: Bool { environment.openScreen != nil && screenSetting != nil }

  /// How a whole screen is drawn here; nil where it cannot be.
  var screenSetting: ScreenSetting? {
    let output = environment.output
    let size = TerminalSize(
      columns: output.columns ?? TerminalSize.standard.columns,
      rows: output.rows ?? TerminalSize.standard.rows)
    guard environment.inputIsTerminal, output.isTerminal, FullScreen.fits(size),
      !options.json, !options.plain, !options.quiet,
      var setting = ScreenSetting(environment: environment.variables)
    else { return nil }
    if options.noColor { setting.depth = .none }
    return setting
  }

  /// Opens the whole screen, at a match or at the home list, until the player quits.
  ///
  /// - Parameters:
  ///   - code: A game that somebody shared, in place of a match of one's own.
  ///   - isReplay: Whether it is opened at its first turn.
  func openScreen(
    at match: MatchID?, code: ShareCode? = nil, isReplay: Bool = false, rings: Bool
  ) throws {
    guard let setting = screenSetting, let open = environment.openScreen,
      let folder = try profileName().folder(environment: environment.variables)
    else { return }
    let store = try store()
    let plan = ScreenPlan(
      url: try url(store), folder: folder, isVerbose: options.verbose, timeout: options.timeout,
      match: match, code: code, isReplay: isReplay, rings: rings,
      firstSteps: firstSteps(store))
    guard try store.loadKey() != nil else { throw ClientError.notRegistered }
    if let recovering = try store.loadProfile().recovering {
      throw ClientError.recovering(recovering.name, until: recovering.until)
    }
    close()
    let end = try open(plan, setting)
    let failure = QuitReport(end, pending: try store.loadPending().free).failure
    if let failure { throw failure }
  }

  /// How far the first steps have come. A failure to read that keeps nobody from a game.
  private func firstSteps(_ store: ProfileStore) -> FirstStepsProgress {
    guard let text = try? store.loadFirstSteps() else { return .unseen }
    return FirstStepsProgress(text)
  }
}
