import Foundation
import Testing

@Suite("Test targets in lanes: deploy/targets")
struct TargetRunTests {
  /// Stands for the built tests: the tests of each filter, and their outcomes.
  private static let command = #"""
    #!/bin/bash
    if [ "$1" = --list-tests ]; then
      printf '%s\n' 'Crash.First/a()' 'Crash.Second/b()' 'Crash.Second/c()' 'Good.Only/d()'
      exit
    fi
    while [ "$1" != --filter ]; do shift; done
    cd "$(dirname "$0")"
    echo "$2" >>asked
    case $2 in
      '^Busy\.')
        i=0
        while [ "$i" -lt 200000 ]; do i=$((i + 1)); done
        /bin/sleep 2
        echo '⏱ Test "waits" ran for 1.5 seconds, 0.5 before and 0.1 after what it tests'
        echo '✔ Test "waits" passed after 90.0 seconds.'
        echo '✔ Test case passing 1 argument x → 1 to "many" passed after 80.0 seconds.'
        echo '✔ Test "many" with 12 test cases passed after 2.5 seconds.'
        echo '✔ Suite "All" passed after 91.0 seconds.'
        echo '✔ Test run with 2 tests in 1 suite passed after 91.0 seconds.' ;;
      '^Good\.' | '^Crash\.First/')
        echo '✔ Test run with 1 test in 1 suite passed after 0.1 seconds.' ;;
      '^Bad\.' | '^Crash\.Second/')
        echo '✘ Test "sums" recorded an issue at Sum.swift:1:1: wrong'
        echo '↳ by one'
        echo '✘ Test "known" recorded a known issue at Sum.swift:2:1: odd'
        echo '↳ as ever'
        echo '✘ Test run with 1 test in 1 suite failed after 0.1 seconds.'
        exit 1 ;;
      '^Crash\.')
        printf '◇ Test "%s" started.\n' 'ends' 'many' 'dies'
        echo '✔ Test "ends" passed after 0.1 seconds.'
        echo '✘ Test "many" with 12 test cases failed after 0.1 seconds with 1 issue.'
        kill -SEGV $$ ;;
      '^Hang\.')
        echo '◇ Test "waits for ever" started.'
        echo $$ >hanging
        exec /bin/sleep infinity ;;
      '^Quiet\.')
        python3 compute "$KIND"
        echo '✔ Test run with 1 test in 1 suite passed after 0.1 seconds.' ;;
      '^Slow\.')
        echo '✘ Test "first" recorded an issue with 1 argument x → 1 at Slow.swift:1:1: late'
        until [ -e told ]; do /bin/sleep 0.01; done
        echo '✘ Test run with 1 test in 1 suite failed after 0.1 seconds.'
        exit 1 ;;
      '^Left\.' | '^Right\.')
        # Either waits for the other one.
        touch "$2"
        until [ -e '^Left\.' ] && [ -e '^Right\.' ]; do /bin/sleep 0.01; done
        echo '✔ Test run with 1 test in 1 suite passed after 0.1 seconds.' ;;
      '^Empty\.')
        echo '✔ Test run with 0 tests in 0 suites passed after 0.1 seconds.'
        # As the built tests do; `swift test` calls that a success.
        exit 69 ;;
    esac
    """#

  /// A target that is a program of its own.
  private static let page = #"""
    #!/bin/bash
    echo page >>"$(dirname "$0")/asked"
    echo '✘ Test page.taps recorded an issue: AssertionError'
    echo '↳ 1 != 2'
    echo '✘ Test run with 1 test failed after 0.1 seconds.'
    exit 1
    """#

  /// The script's clock, its `sleep`: a tick for each byte of a file, and any number while a target hangs.
  /// It ends where there is no such file.
  private static let clock = #"""
    #!/bin/bash
    cd "$(dirname "$0")/.."
    printf . >>asleep
    number=$(stat --format=%s asleep)
    # A parent that was gone before this began is the system's first process.
    while [ "$PPID" != 1 ] && kill -0 "$PPID" 2>/dev/null; do
      [ "$(stat --format=%s ticks)" -lt "$number" ] || exit 0
      { [ -e hanging ] && kill -0 "$(<hanging)" 2>/dev/null; } && exit 0
      /bin/sleep 0.01
    done
    """#

  /// Computes for three ticks of that clock, and more than a twentieth of each.
  private static let compute = #"""
    import os, socket, subprocess, sys, time
    def size(name): return os.path.getsize(name) if os.path.exists(name) else 0
    kind, environment = sys.argv[1], dict(os.environ)
    if kind == "itself":
        for number in range(1, 5):
            while size("asleep") < number and os.path.exists("command"): time.sleep(0.01)
            end = time.process_time() + 0.3
            while number < 4 and time.process_time() < end: pass
            open("ticks", "a").write("." * (number < 4))
    else:
        title = "server"
        if kind == "session":
            listener = socket.create_server(("127.0.0.1", 0))
            title = f"postgres: cubist cubist 127.0.0.1({listener.getsockname()[1]}) SELECT"
            del environment["CUBIST_TEST_TARGET"]
        how = dict(executable=sys.executable, env=environment, start_new_session=True, check=True)
        subprocess.run([title, "compute", "itself"], **how)
    """#

  /// How a run of the script went.
  private typealias Run = (
    status: Int32, said: String, asked: [String], atOnce: [String], table: String
  )

  /// Runs the script over targets of that stand-in, of which one with a slash is the program.
  ///
  /// - Parameter meanwhile: Called while it runs, with its process and folder.
  private static func run(
    _ targets: String..., minutes: String = "5", silence: String = "60", kind: String = "",
    meanwhile: (Process, URL) throws -> Void = { _, _ in }
  ) throws -> Run {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "cubist-targets-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let command = folder.appending(path: "command").path
    try Self.command.write(toFile: command, atomically: true, encoding: .utf8)
    let page = folder.appending(path: "page").path
    try Self.page.write(toFile: page, atomically: true, encoding: .utf8)
    let tools = folder.appending(path: "tools")
    try FileManager.default.createDirectory(at: tools, withIntermediateDirectories: false)
    let clock = tools.appending(path: "sleep").path
    try Self.clock.write(toFile: clock, atomically: true, encoding: .utf8)
    for path in [page, clock] {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    try Self.compute.write(
      to: folder.appending(path: "compute"), atomically: true, encoding: .utf8)
    try Data().write(to: folder.appending(path: "ticks"))
    let (process, errors) = (Process(), Pipe())
    process.executableURL = Tree.root.appending(path: "deploy/targets")
    let environment = ProcessInfo.processInfo.environment
    process.environment = environment.merging([
      "CUBIST_TEST_SILENCE": silence, "KIND": kind,
      "PATH": "\(tools.path):\(environment["PATH"] ?? "/usr/bin:/bin")",
    ]) { $1 }
    process.arguments =
      [folder.path, minutes, "/bin/bash", command, "--"]
      + targets.map { $0.contains("/") ? page : $0 }
    let output = folder.appending(path: "output")
    try Data().write(to: output)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = errors
    try start(process)
    try meanwhile(process, folder)
    process.waitUntilExit()
    // A clock that outlives the script has its descriptors, and perhaps those of another test's script.
    try FileManager.default.removeItem(at: folder.appending(path: "ticks"))
    let said = String(
      decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    // A busy machine may have begun none.
    let asked = (try? String(contentsOf: folder.appending(path: "asked"), encoding: .utf8)) ?? ""
    let printed = try String(contentsOf: output, encoding: .utf8)
    let table = printed.firstRange(of: "--- where the time went").map { printed[$0.lowerBound...] }
    let lines = printed.split(separator: "\n").map { String($0) }
    return (
      process.terminationStatus, said, asked.split(separator: "\n").map { String($0) },
      lines.filter { $0.wholeMatch(of: /\w+: [✘↳].*/) != nil },
      table.map { String($0) } ?? ""
    )
  }

  /// Waits until the script has printed something.
  private static func wait(for text: String, in folder: URL) throws {
    let output = folder.appending(path: "output")
    let isPrinted = try comes { try String(contentsOf: output, encoding: .utf8).contains(text) }
    #expect(isPrinted, "\(text) is not printed")
  }

  /// Looks until something is so, for a minute at most; gives whether it is.
  private static func comes(_ isSo: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    while try !isSo() {
      guard ContinuousClock.now < deadline else { return false }
      // What another process writes, and its end, give no signal to this one.
      Thread.sleep(forTimeInterval: 0.01)
    }
    return true
  }

  /// Starts a process that can be told to stop: a thread of tasks blocks signals, and its
  /// children would, too.
  private static func start(_ process: Process) throws {
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
  }

  @Test("A target that passes is not spoken of")
  func passing() throws {
    let run = try Self.run("Good")
    #expect(run.status == 0)
    #expect(run.said == "")
  }

  @Test("A target that fails is named with its output, has no second try, and the next one runs")
  func failing() throws {
    let run = try Self.run("Bad", "Good")
    #expect(run.status == 1)
    #expect(run.said.contains("test: Bad: tests failed\n"))
    #expect(run.said.contains("✘ Test \"sums\" recorded an issue"))
    #expect(run.asked == [#"^Bad\."#, #"^Good\."#])
    let issue = "Bad: ✘ Test \"sums\" recorded an issue at Sum.swift:1:1: wrong"
    #expect(run.atOnce == [issue, "Bad: ↳ by one"])
  }

  @Test("A target with a slash is a program, whose issues are printed as those of the others")
  func program() throws {
    let run = try Self.run("Good", "deploy/page")
    #expect(run.status == 1)
    #expect(run.said.contains("test: page: tests failed\n"))
    #expect(run.asked == [#"^Good\."#, "page"])
    #expect(
      run.atOnce == ["page: ✘ Test page.taps recorded an issue: AssertionError", "page: ↳ 1 != 2"])
  }

  @Test("An issue is printed while its target runs")
  func atOnce() throws {
    let run = try Self.run("Slow") { _, folder in
      try Self.wait(for: "Slow: ✘ Test \"first\" recorded an issue", in: folder)
      try Data().write(to: folder.appending(path: "told"))
    }
    #expect(run.status == 1)
    #expect(run.said.contains("test: Slow: tests failed\n"))
  }

  @Test("A target for which nothing is said or computed is ended, and its test is named")
  func silent() throws {
    let run = try Self.run("Hang", "Good")
    #expect(run.status == 1)
    #expect(run.said.contains("Hang: silent for 60 s; not ended: \"waits for ever\"\n"))
    #expect(run.asked == [#"^Hang\."#, #"^Good\."#])
  }

  @Test(
    "A silent target is not ended while it, a server of its own or a session of PostgreSQL computes",
    arguments: ["itself", "server", "session"])
  func computing(_ kind: String) throws {
    let run = try Self.run("Quiet", silence: "5", kind: kind)
    #expect(run.status == 0, "\(run.said)")
  }

  @Test("A target that does not end is ended, its test is named, and the next one runs")
  func hanging() throws {
    let run = try Self.run("Hang", "Good", minutes: "1", silence: "600")
    #expect(run.status == 1)
    #expect(run.said.contains("Hang: not done in 1 min; not ended: \"waits for ever\"\n"))
    #expect(run.asked == [#"^Hang\."#, #"^Good\."#])
  }

  @Test("A target is run again suite by suite if its process dies, so that no failure is hidden")
  func crashing() throws {
    let run = try Self.run("Crash", "Good")
    #expect(run.status == 1)
    #expect(run.said.contains("test: Crash: the process died; not ended: \"dies\"\n"))
    #expect(run.said.contains("test: Crash.Second: tests failed\n"))
    #expect(!run.said.contains("Crash.First"))
    #expect(
      run.asked == [#"^Crash\."#, #"^Crash\.First/"#, #"^Crash\.Second/"#, #"^Good\."#])
  }

  @Test("A target in which no test is found has not passed")
  func empty() throws {
    let run = try Self.run("Empty")
    #expect(run.status == 1)
    #expect(run.said.contains("test: Empty: no test was found\n"))
  }

  @Test("Lanes run side by side, and the failures of all are named")
  func lanes() throws {
    let run = try Self.run("Left", "Bad", "--", "Right", "Empty")
    #expect(run.status == 1)
    #expect(run.said.contains("test: Bad: tests failed\n"))
    #expect(run.said.contains("test: Empty: no test was found\n"))
    #expect(!run.said.contains("Left") && !run.said.contains("Right"))
  }

  @Test("A lane that is done goes on with what waits in another one")
  func helping() throws {
    // The first target of a lane waits for the one behind it.
    let run = try Self.run("Left", "Right", "--", "Good")
    #expect(run.status == 0, "\(run.said)")
    #expect(run.asked.sorted() == [#"^Good\."#, #"^Left\."#, #"^Right\."#])
  }

  @Test("The end lists the seconds of each target and the slowest tests, slowest first")
  func times() throws {
    let run = try Self.run("Good", "Busy", "Crash")
    let lines = run.table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let busy = try #require(lines.first { $0.last == "Busy" })
    // The time that it computed, without its sleep.
    let (seconds, cpu) = (try #require(Int(busy[0])), try #require(Int(busy[1])))
    #expect(seconds >= 2 && cpu < seconds, "\(lines)")
    let rows = lines[2...].prefix { $0.first != "---" }
    let longest = rows.map { Int($0[0]) ?? -1 }
    #expect(longest == longest.sorted(by: >), "\(lines)")
    let targets = rows.map { $0.last ?? "" }
    #expect(
      targets.sorted() == ["Busy", "Crash", "Crash.First", "Crash.Second", "Good"])
    let tests = lines.dropFirst(2 + targets.count)
    #expect(
      Array(tests) == [
        ["---", "the", "slowest", "tests"], ["2.5", "s", "Busy", "\"many\""],
        ["1.5", "s", "Busy", "\"waits\""], ["0.1", "s", "Crash", "\"many\""],
        ["0.1", "s", "Crash", "\"ends\""],
      ])
  }

  @Test("A request to stop ends the tests, and runs no other")
  func stopping() throws {
    var hanging: pid_t?
    let run = try Self.run("Hang", "Good") { process, folder in
      _ = Self.comes {
        let said = try? String(contentsOf: folder.appending(path: "hanging"), encoding: .utf8)
        hanging = said.flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        return hanging != nil
      }
      process.terminate()
    }
    #expect(run.status == 143)
    #expect(run.asked == [#"^Hang\."#])
    // It is told to end as the script ends.
    let process = try #require(hanging)
    #expect(Self.comes { kill(process, 0) == -1 })
  }
}
