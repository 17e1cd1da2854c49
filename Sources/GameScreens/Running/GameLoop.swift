import CubeLexicon
import CubePlay
import CubeRules
import TerminalScreen

/// Runs the game on a whole screen: events become actions, the reducer gives the effects, and the
/// screen shows the state.
///
/// Everything comes in by one stream and is handled one by one, so that nothing here is shared.
struct GameLoop {
  /// An input of the loop.
  enum Input: Sendable {
    case terminal(TerminalEvent)
    case action(GameAction)
    /// A match arrived, with the list of its words.
    case found(MatchKey, FoundMatch)
    /// A turn is kept.
    case kept(MatchKey, Int)
    /// An effect was carried out, or has failed.
    case ended(GameEffect)
  }

  let client: ScreenClient
  /// The list of that name; nil where it is not here.
  let words: @Sendable (String) -> Lexicon?
  let setting: ScreenSetting
  /// Whether the bell rings for the other one's turn.
  let rings: Bool
  /// Waits; only a test does not.
  var sleep: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }

  /// The longest wait before the service is tried again.
  static let longestPause = 5
  /// Seconds between two loads of the home list while it is shown.
  static let homePeriod = 10
  /// A moment of a turn that is shown.
  static let moment = Duration.milliseconds(160)
  /// The most inputs that wait to be handled.
  private static let inputLimit = 4_096

  /// Runs until the player quits; gives the state at the end.
  func run(_ app: GameApp, on screen: Screen) async throws -> ScreenEnd {
    let (inputs, sender) = AsyncStream.makeStream(
      of: Input.self, bufferingPolicy: .bufferingOldest(Self.inputLimit))
    let keys = Task {
      for await event in screen.events { sender.yield(.terminal(event)) }
      // The terminal has gone away.
      sender.yield(.action(.quit))
    }
    let clock = Task { [sleep] in
      while !Task.isCancelled {
        await sleep(.seconds(1))
        sender.yield(.action(.secondPassed))
      }
    }
    defer {
      keys.cancel()
      clock.cancel()
      sender.finish()
    }
    var run = Running(loop: self, app: app, size: screen.size, sender: sender)
    defer { run.end() }
    run.take(.action(.opened), on: screen)
    try run.draw(on: screen)
    for await input in inputs {
      run.take(input, on: screen)
      if run.state.isOver { break }
      try run.draw(on: screen)
    }
    return run.state.end
  }
}

/// The state of a loop that runs.
private struct Running {
  let loop: GameLoop
  private(set) var state: ScreenState
  var size: TerminalSize
  let sender: AsyncStream<GameLoop.Input>.Continuation
  private var lexicon: String?
  private var reducer: Reducer<GameApp, GameAction, GameEffect>
  private var following: Task<Void, Never>?
  private var searching: Task<Void, Never>?
  private var seconds = 0
  private var bellIsDue = false
  /// What the screen shows; nil: that is not known.
  private var shown: (content: Shown, canvas: Canvas)?

  /// All that a drawing depends on.
  private struct Shown: Equatable {
    var app: GameApp
    var size: TerminalSize
    var isTurnKept: Bool
    var waitBeforeEnd: String?
  }

  init(
    loop: GameLoop, app: GameApp, size: TerminalSize,
    sender: AsyncStream<GameLoop.Input>.Continuation
  ) {
    (self.loop, state, self.size, self.sender) = (loop, ScreenState(app), size, sender)
    reducer = GameApp.reducer(words: nil, checks: loop.client.menus.checks)
  }

  private var app: GameApp { state.app }

  /// Draws what has changed. A second that passes changes few clocks.
  mutating func draw(on screen: Screen) throws {
    let content = Shown(
      app: app.showing(ClockText.step), size: size, isTurnKept: state.isShownTurnKept,
      waitBeforeEnd: state.waitBeforeEnd)
    var bytes: [UInt8] = bellIsDue ? [0x07] : []
    if content != shown?.content {
      let canvas = ScreenDrawing(
        app: app, size: size, setting: loop.setting, isTurnKept: content.isTurnKept,
        waitBeforeEnd: content.waitBeforeEnd
      ).canvas()
      let frame = Frame(depth: loop.setting.depth, isUnicode: loop.setting.isUnicode)
      bytes = frame.bytes(canvas, after: shown?.canvas) + bytes
      shown = (content, canvas)
    }
    bellIsDue = false
    if !bytes.isEmpty { try screen.write(bytes) }
  }

  func end() {
    following?.cancel()
    searching?.cancel()
  }

  mutating func take(_ input: GameLoop.Input, on screen: Screen) {
    switch input {
    // A terminal may move its content then.
    case .terminal(.resized(let size)): (self.size, shown) = (size, nil)
    case .terminal(.continued): (size, shown) = (screen.size, nil)
    case .terminal(.key(.control("z"))):
      screen.stop()
      (size, shown) = (screen.size, nil)
    // Another program may have written on it.
    case .terminal(.key(.control("l"))): shown = nil
    case .terminal(.key(.paste(let text))):
      // Where letters are commands, nobody means to give so many at once.
      guard ScreenKeys.takesText(app) else { break }
      for character in text { press(.character(character)) }
    case .terminal(.key(let key)): press(key)
    case .found(let key, let found):
      if lexicon != found.lexicon {
        lexicon = found.lexicon
        reducer = GameApp.reducer(
          words: loop.words(found.lexicon), checks: loop.client.menus.checks)
      }
      act(.match(key, .arrived(found.news)))
      if app.connection == .lost { act(.connectionFound) }
    case .action(.secondPassed):
      seconds += 1
      act(.secondPassed)
      let isDue = seconds.isMultiple(of: GameLoop.homePeriod) && app.connection == .there
      if isDue { act(.home(.appeared)) }
    case .action(let action): act(action)
    case .kept(let key, let number): state.keep(key, number)
    case .ended(let effect): state.end(effect)
    }
  }

  private mutating func press(_ key: Key) {
    // The player has asked for the end: only that can be asked again.
    guard !state.isQuitting || key == .control("c") else { return }
    if let action = ScreenKeys.action(key, in: app, on: size) { act(action) }
  }

  private mutating func act(_ action: GameAction) {
    let before = app.match?.key
    let effects = state.reduce(action, reducer)
    if app.match?.key != before {
      following?.cancel()
      following = nil
    }
    switch action {
    case .connectionLost: if searching == nil { searching = search() }
    case .connectionFound:
      searching?.cancel()
      searching = nil
    default: break
    }
    for effect in effects { carryOut(effect) }
  }
}

// MARK: - Effects

extension Running {
  private mutating func carryOut(_ effect: GameEffect) {
    switch effect {
    // The state knows whether anything has to be waited for.
    case .quit: break
    case .keepFirstSteps(let progress): loop.client.keepFirstSteps(progress)
    case .match(let key, .follow):
      following?.cancel()
      following = follow(key, effect)
    case .match(let key, .tick): tick(key)
    case .match(_, .play(.show(let played))):
      bellIsDue = loop.rings && played.player == .them
    // The state shows it: another match is another place.
    case .match(_, .open), .home(.open): break
    default:
      Task { [client = loop.client, sender] in
        defer { sender.yield(.ended(effect)) }
        do throws(ScreenTrouble) {
          if case .match(let key, .play(.send(let moves, let number))) = effect,
            try await client.keep(key, moves, number)
          {
            sender.yield(.kept(key, number))
          }
          if let input = try await client.carryOut(effect) { sender.yield(input) }
        } catch {
          for action in effect.failed(error) { sender.yield(.action(action)) }
        }
      }
    }
  }

  /// Shows a match now and after each change, until it is cancelled.
  private func follow(_ key: MatchKey, _ effect: GameEffect) -> Task<Void, Never> {
    Task { [client = loop.client, sender, sleep = loop.sleep] in
      var version: Int64?
      var pause = 1
      while !Task.isCancelled {
        do throws(ScreenTrouble) {
          let found = try await client.match(key, version)
          guard !Task.isCancelled else { return }
          (version, pause) = (found.version, 1)
          sender.yield(.found(key, found))
        } catch {
          guard !Task.isCancelled else { return }
          for action in effect.failed(error) { sender.yield(.action(action)) }
          await sleep(.seconds(pause))
          pause = min(2 * pause, GameLoop.longestPause)
        }
      }
    }
  }

  /// Lets a moment of a turn that is shown pass.
  private func tick(_ key: MatchKey) {
    Task { [sender, sleep = loop.sleep] in
      await sleep(GameLoop.moment)
      sender.yield(.action(.match(key, .ticked)))
    }
  }

  /// Tries the service until it answers.
  private func search() -> Task<Void, Never> {
    Task { [client = loop.client, sender, sleep = loop.sleep] in
      var pause = 1
      while !Task.isCancelled {
        await sleep(.seconds(pause))
        pause = min(2 * pause, GameLoop.longestPause)
        do throws(ScreenTrouble) {
          sender.yield(.action(.home(.arrived(try await client.home()))))
          sender.yield(.action(.connectionFound))
          return
        } catch {
          // Anything but silence is an answer.
          guard error.isAway else {
            sender.yield(.action(.connectionFound))
            return
          }
        }
      }
    }
  }
}

extension ScreenClient {
  /// Carries an effect out. Gives the input that follows, if any.
  fileprivate func carryOut(_ effect: GameEffect) async throws(ScreenTrouble) -> GameLoop.Input? {
    switch effect {
    case .home(.load): return .action(.home(.arrived(try await home())))
    case .home(.grant(let wish)): return .action(.home(.granted(try await grant(wish))))
    case .menu(let effect): return try await menus.carryOut(effect).map { .action(.menu($0)) }
    case .match(let key, .play(.send(let moves, let number))):
      return .action(.match(key, .play(.answered(try await play(key, moves, number)))))
    case .match(let key, .play(.reload)): return .found(key, try await match(key, nil))
    case .match(let key, .askRematch):
      return .action(.match(key, .rematchAnswered(await rematch(key))))
    case .match(let key, .giveUp):
      return .action(.match(key, .giveUp(.answered(await giveUp(key)))))
    case .match(let key, .share):
      return .action(.match(key, .share(.answered(await share(key)))))
    case .match(let key, .react(let word, let turn)):
      try await react(key, word, turn)
      return .action(.match(key, .react(.answered(failure: nil))))
    case .match(let key, .askRating):
      return try await rating().map { .action(.match(key, .ratingArrived($0))) }
    case .match(_, .follow), .match(_, .tick), .match(_, .play(.show)), .match(_, .open),
      .home(.open), .keepFirstSteps, .quit:
      return nil
    }
  }
}
