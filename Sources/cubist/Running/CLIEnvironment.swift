import CubePlay
import DemoGame
import GameScreens
import MatchCore
import MatchInterfaces
import PlayerClient
import TerminalScreen

/// All that a command needs of the world. Confined to one thread.
struct CLIEnvironment {
  /// Where text goes.
  struct TextOutput {
    var isTerminal: Bool
    /// How wide the terminal says it is; nil where it does not say.
    var columns: Int?
    /// The same of its rows.
    var rows: Int?
    /// Writes text as it is.
    var write: (String) throws(OutputFailure) -> Void
    /// Waits until all that was written is on the disk, where it goes to a file.
    var synchronize: () throws(OutputFailure) -> Void = {}
  }

  var variables: [String: String]
  /// The standard output, for the result.
  var output: TextOutput
  /// The standard error output, for everything else.
  var errorOutput: TextOutput
  /// Whether a person can be asked.
  var inputIsTerminal: Bool
  /// The next line of the standard input, without its end; nil at the end.
  var readLine: () -> String?
  /// Asks for a line on the error output. The terminal does not show the typed text.
  var readHiddenLine: (_ question: String) throws(CommandFailure) -> String?
  /// The bytes of a file, or of the standard input for `-`.
  var readFile: (String) throws(FileFailure) -> [UInt8]
  /// Writes a file that must not be there yet; only its owner may read it.
  var writeFile: (String, [UInt8]) throws(FileFailure) -> Void
  /// The names in a folder; none where it cannot be read.
  var listFolder: (String) -> [String]
  /// Connects to a service's URL, at the first request.
  var makeBus: (_ url: String, _ isVerbose: Bool) throws(CommandFailure) -> PlayerBus
  var makeStore: (_ folder: String) -> ProfileStore
  var clock: WallClock
  /// Where ids and keys come from.
  var randomness: Randomness
  /// The word lists that this program has.
  var lexicons: Lexicons
  /// Shows that the command waits, until the function it gives is called.
  var showWaiting: (_ label: String, TerminalStyle) -> () -> Void
  /// Opens the game on the whole screen until the player quits, and gives its state then; nil where
  /// there is no screen to open it on.
  var openScreen: ((ScreenPlan, ScreenSetting) throws -> ScreenEnd)?
  /// Opens the game against a robot on the whole screen until the player quits; nil where there is no
  /// screen to open it on.
  var openDemo: ((DemoGame, ScreenSetting) throws -> Void)?
  /// Tells the handler of interruptions whether an event is on its way.
  var setEventInFlight: (Bool) -> Void
  /// The file that `/etc/localtime` leads to; nil where it is no link.
  var timeZoneLink: () -> String? = { nil }
  /// Whether a name is that of a time zone; nil where the machine has no list of them.
  var hasTimeZone: (String) -> Bool? = { _ in nil }
}

extension CLIEnvironment {
  /// The width that a person wants. It counts more than the terminal's own.
  var statedColumns: Int? {
    variables["COLUMNS"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
  }
}

/// Why an output takes nothing, in the system's words.
struct OutputFailure: Error, Hashable {
  var reason: String
  /// Whether the reader of a pipe has gone, which needs no message.
  var isClosedPipe = false
}

/// Why a file cannot be used, in the system's words.
struct FileFailure: Error, Hashable {
  var path: String
  var reason: String
}
