import CubeLexicon
import CubePlay
import DemoGame
import PlayerClient
import Synchronization
import TerminalScreen
import Testing

@testable import GameScreens
@testable import cubist

@Suite("Rules, first steps and the game without a service")
struct DemoCommandTests {
  @Test("cubist demo opens the game against a robot, registered or not")
  func demo() throws {
    let lab = CommandLab(isConnected: false)
    (lab.isTerminal, lab.opensScreen, lab.memory.key) = (true, true, nil)
    #expect(lab.run("demo") == .init(status: 0, output: "", errors: ""))
    #expect(lab.run("demo --strength hard --bell --no-color").status == 0)
    #expect(lab.demos.map(\.game.strength) == [nil, .hard])
    #expect(lab.demos.map(\.game.rings) == [false, true])
    #expect(lab.demos.map(\.setting.depth) == [.palette, ColorDepth.none])
    #expect(lab.urls.isEmpty)
    #expect(lab.run("demo --strength 0.5").status == 64)
  }

  @Test("The game names the screen it needs", arguments: ["pipe", "dumb", "--json"])
  func noScreen(how: String) {
    let lab = CommandLab(isConnected: false)
    (lab.isTerminal, lab.opensScreen) = (how != "pipe", true)
    if how == "dumb" { lab.variables["TERM"] = "dumb" }
    let run = lab.run(how == "--json" ? "demo --json" : "demo")
    #expect(run.status == 64)
    #expect(run.errors.contains("The game needs a terminal of 64 columns and 24 rows"))
    #expect(lab.demos.isEmpty)
  }

  @Test("cubist rules prints the page of the key ?, without a service")
  func rules() throws {
    let lab = CommandLab(isConnected: false)
    let run = lab.run("rules")
    #expect(run.status == 0)
    let screen = ScreenDrawing(
      app: try Scenery.help.app(), size: TerminalSize(columns: 80, rows: 24),
      setting: ScreenSetting(depth: .none, isUnicode: true)
    ).canvas().text(.none)
    for line in HelpText.rules + HelpText.keys(.service).flatMap({ [$0.0, $0.1] }) {
      #expect(run.output.contains(line))
      #expect(screen.contains(line))
    }
    #expect(run.output.contains("times the length less 3,\n  at least 1."))
    lab.variables["LC_ALL"] = "C"
    let ascii = lab.run("rules").output
    #expect(ascii.allSatisfy { $0.isASCII })
  }

  @Test("The first start shows the first steps, a later one the kept progress")
  func firstSteps() throws {
    let lab = CommandLab()
    (lab.isTerminal, lab.opensScreen) = (true, true)
    _ = lab.run("")
    lab.memory.firstSteps = FirstStepsProgress.at(.corners).text
    _ = lab.run("")
    #expect(lab.screens.map(\.plan.firstSteps) == [.unseen, .at(.corners)])
  }

  // Failure: ProfileStore.loadFirstSteps: The first steps begin anew.
  // Failure: ProfileStore.saveFirstSteps: The player sees them once more.
  @Test(
    "First steps that cannot be read begin anew, and those that cannot be kept are shown once more")
  func damaged() {
    let lab = CommandLab()
    (lab.isTerminal, lab.opensScreen) = (true, true)
    lab.onStore = { store in
      store.loadFirstSteps = { () throws(ProfileError) in
        throw .notAccessible(path: "first-steps", reason: "denied")
      }
    }
    #expect(lab.run("").status == 0)
    #expect(lab.screens.map(\.plan.firstSteps) == [.unseen])
    var client = ScreenClient.failing
    let denied = ProfileError.notAccessible(path: "first-steps", reason: "denied")
    let failures = Mutex<[ProfileError?]>([])
    client.keepFirstSteps(
      in: {
        var store = ProfileStore.noop
        store.saveFirstSteps = { _ throws(ProfileError) in throw denied }
        return store
      }, failed: { error in failures.withLock { $0.append(error) } })
    client.keepFirstSteps(.done)
    #expect(failures.withLock { $0 } == [denied])
  }

  @Test("Each step's text and each advice have room at 64 columns and 24 rows")
  func room() {
    let size = TerminalSize(columns: 64, rows: 24)
    for step in FirstStep.allCases {
      for isUnicode in [true, false] {
        var app = GameApp(firstSteps: .at(step))
        _ = GameApp.reducer(words: .english).reduce(&app, .firstStepsAsked)
        let drawing = ScreenDrawing(
          app: app, size: size, setting: ScreenSetting(depth: .none, isUnicode: isUnicode))
        let text = drawing.canvas().text(.none)
        // Every word of it is on the screen.
        for word in FirstStepsWording.text(step).split(separator: " ") {
          #expect(text.contains(word), "\(step): \(word)")
        }
        #expect(text.contains("used once"))
      }
    }
    #expect(TextWrap.lines("a bb ccc longword d", columns: 4) == ["a bb", "ccc", "longword", "d"])
  }

  @Test("A daily that has not begun has no result")
  func noResult() {
    let lab = CommandLab()
    lab.service.home = Made.home()
    let run = lab.run("daily result --timed")
    #expect(run.status == 3)
    #expect(run.errors.contains("You have not begun today's challenge."))
    #expect(run.errors.contains("cubist daily start --timed"))
  }
}
