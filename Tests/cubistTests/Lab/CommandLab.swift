import CubeLexicon
import CubePlay
import CubistBasics
import DemoGame
import FoundationEssentials
import MatchCore
import MatchInterfaces
import PlayerClient
import TerminalScreen

@testable import GameScreens
@testable import cubist

/// Runs whole commands in this process, against a made-up service.
final class CommandLab {
  /// How a command ended, and its whole output.
  struct Run: Equatable {
    var status: Int32
    var output: String
    var errors: String
  }

  let service = FakeService()
  /// The profile, in memory; its key is ada's unless a test takes it away.
  var memory = ProfileMemory(key: Made.adaKey)
  var variables = ["HOME": "/home/ada", "TERM": "xterm-256color"]
  var isTerminal = false
  var columns: Int? = 80
  var rows: Int? = 24
  var lines: [String] = []
  /// Typed lines that the terminal does not show.
  var hiddenLines: [String] = []
  /// Why nothing can be typed without showing it; nil: it can.
  var hiddenFailure: CommandFailure?
  var files: [String: [UInt8]] = [:]
  /// The machine's time zones; nil: it has no list of them.
  var timeZones: Set<String>?
  /// The contents of the folder of profiles.
  var profiles = ["grace", "default", ".hidden"]
  /// Replaces the profile's own.
  var loadJournal: (() throws(ProfileError) -> Journal)?
  /// Changes the profile's store.
  var onStore: (inout ProfileStore) -> Void = { _ in }
  /// Called before each output.
  var onWrite: () -> Void = {}
  /// Why the standard output takes nothing; nil: it does.
  var outputFailure: OutputFailure?
  /// The same for the error output.
  var errorFailure: OutputFailure?
  /// Why what was written to the standard output does not come to the disk; nil: it does.
  var synchronizeFailure: OutputFailure?
  /// Whether commands are run without `--json`, as a person runs them.
  var dropsJSON = false
  /// The error outputs of all commands.
  private(set) var said = ""
  /// Whether there is a screen to open the game on.
  var opensScreen = false
  /// The state in which the player quits.
  var screenEnd = ScreenEnd()
  private(set) var screens: [(plan: ScreenPlan, setting: ScreenSetting)] = []
  private(set) var demos: [(game: DemoGame, setting: ScreenSetting)] = []
  private(set) var urls: [String] = []
  private(set) var folders: [String] = []
  private(set) var waits: [String] = []
  private(set) var inFlight: [Bool] = []
  private var random = SplitMix64(state: 1)
  private var output = ""
  private var errors = ""

  init(isConnected: Bool = true) {
    guard isConnected else { return }
    memory.url = "amqp://localhost"
    memory.profile = Profile(
      player: Made.ada, name: Made.name("ada"), service: Made.service, rootKey: Made.root)
  }

  /// Runs one command, such as `play CAB --json`; arguments stand apart by single spaces.
  func run(_ line: String) -> Run {
    run(line.isEmpty ? [] : line.split(separator: " ").map(String.init))
  }

  func run(_ arguments: [String]) -> Run {
    let arguments = dropsJSON ? arguments.filter { $0 != "--json" } : arguments
    return noted { CommandRunner.run(arguments, $0) }
  }

  /// Runs a command whose arguments have been read: a build for debugging reads them longer than it
  /// runs most commands.
  func run(_ command: some CubistCommand) -> Run { noted { CommandRunner.run(command, $0) } }

  private func noted(_ run: (CLIEnvironment) -> Int32) -> Run {
    (output, errors) = ("", "")
    let status = run(environment)
    said += errors
    return Run(status: status, output: output, errors: errors)
  }

  private func open(_ plan: ScreenPlan, _ setting: ScreenSetting) -> ScreenEnd {
    screens.append((plan, setting))
    return screenEnd
  }

  var environment: CLIEnvironment {
    // SAFETY: a lab and everything it makes is confined to the thread of its test.
    nonisolated(unsafe) let lab = self
    let randomness = Randomness(next: { lab.random.next() })
    let clock = WallClock(now: { Made.now }, uptimeNanoseconds: { 0 }, sleep: { _ in })
    return CLIEnvironment(
      variables: variables,
      output: .init(
        isTerminal: isTerminal, columns: columns, rows: rows,
        write: { text throws(OutputFailure) in
          if let failure = self.outputFailure { throw failure }
          self.onWrite()
          self.output += text
        },
        synchronize: { () throws(OutputFailure) in
          if let failure = self.synchronizeFailure { throw failure }
        }),
      errorOutput: .init(isTerminal: isTerminal, columns: columns) { text throws(OutputFailure) in
        if let failure = self.errorFailure { throw failure }
        self.onWrite()
        self.errors += text
      },
      inputIsTerminal: isTerminal,
      readLine: { self.lines.isEmpty ? nil : self.lines.removeFirst() },
      readHiddenLine: { question throws(CommandFailure) in
        if let failure = self.hiddenFailure { throw failure }
        self.errors += question
        return self.hiddenLines.isEmpty ? nil : self.hiddenLines.removeFirst()
      },
      readFile: { path throws(FileFailure) in
        guard let bytes = self.files[path] else {
          throw FileFailure(path: path, reason: "No such file or directory")
        }
        return bytes
      },
      writeFile: { path, bytes throws(FileFailure) in
        guard self.files[path] == nil else {
          throw FileFailure(path: path, reason: "File exists")
        }
        self.files[path] = bytes
      },
      listFolder: { $0 == "/home/ada/.local/state/cubist" ? self.profiles : [] },
      makeBus: { url, _ throws(CommandFailure) in
        self.urls.append(url)
        return self.service.bus
      },
      makeStore: { folder in
        self.folders.append(folder)
        var store = self.memory.store
        if let loadJournal = self.loadJournal { store.loadJournal = loadJournal }
        self.onStore(&store)
        return store
      },
      clock: clock, randomness: randomness,
      lexicons: Lexicons(.everyWord),
      showWaiting: { label, _ in
        self.waits.append(label)
        return {}
      },
      openScreen: opensScreen ? { self.open($0, $1) } : nil,
      openDemo: opensScreen ? { self.demos.append(($0, $1)) } : nil,
      setEventInFlight: { self.inFlight.append($0) },
      hasTimeZone: { name in self.timeZones.map { $0.contains(name) } })
  }
}
