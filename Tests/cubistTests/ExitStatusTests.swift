import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@testable import GameScreens
@testable import cubist

@Suite("Exit statuses")
struct ExitStatusTests {
  private static let match = Made.match(0x1234)

  struct Case: CustomTestStringConvertible {
    var refusal: Refusal
    var status: Int32
    var next: String?
    var testDescription: String { refusal.name }
  }

  static let refusals: [Case] = [
    Case(refusal: .nameTaken("ada"), status: 1, next: "cubist register OTHER-NAME"),
    Case(refusal: .seatTaken, status: 1, next: "cubist start"),
    Case(refusal: .invitationPending(match), status: 1, next: "cubist show 1234"),
    Case(refusal: .opponentIsYourself, status: 1, next: nil),
    Case(refusal: .unknownPlayer(Made.grace), status: 3, next: "cubist start --open"),
    Case(refusal: .unknownMatch, status: 3, next: "cubist games"),
    Case(refusal: .codeUnknown, status: 3, next: nil),
    Case(refusal: .notRegistered, status: 77, next: "cubist register NAME"),
    Case(refusal: .codeRequired, status: 77, next: "cubist register NAME --code CODE"),
    Case(refusal: .badSignature, status: 77, next: nil),
    Case(refusal: .unavailable, status: 75, next: nil),
  ]

  // Failure: CommandFailure: A command ends with one of the exit statuses.
  @Test("A refusal has its status, its sentence and the next command", arguments: refusals)
  func refusal(test: Case) {
    let lab = CommandLab()
    lab.service.onEvent = { _ in .reply(.refused(test.refusal)) }
    let run = lab.run("start")
    #expect(run.status == test.status)
    #expect(run.output == "")
    #expect(run.errors.hasPrefix("cubist: "))
    if let next = test.next {
      #expect(run.errors.contains("Try: \(next)\n"))
    } else {
      #expect(!run.errors.contains("Try: "))
    }
    #expect(lab.service.isClosed)
  }

  @Test(
    "A code that lets nobody in says why",
    arguments: [
      (.codeUnknown, 3, "Check it with its sender.", nil),
      (.seatTaken, 1, "Somebody else has joined with that code.", "cubist start"),
      (.invitationOver(.withdrawn), 1, "was withdrawn.", "cubist start"),
      (.invitationOver(.withdrawn, isOwn: true), 1, "You withdrew the invitation", "cubist start"),
      (.invitationOver(.expired), 1, "ran out: nobody joined within seven days.", "cubist start"),
      (.invitationOver(.stopped), 1, "The match with that code is over.", "cubist start"),
      (.matchGone, 3, "does not keep games for ever.", "cubist games"),
    ] as [(QueryRefusal, Int32, String, String?)])
  func code(refusal: QueryRefusal, status: Int32, text: String, next: String?) {
    let lab = CommandLab()
    lab.service.onQuery = { query in
      guard case .matchByCode(let asked) = query else { return nil }
      // Typed by hand, with an O and an I.
      #expect(asked.code == ShareCode("7K3Q01M9"))
      return .refusal(refusal)
    }
    let run = lab.run("join 7k3q-oim9")
    #expect(run.status == status)
    #expect(run.errors.contains(text), "\(run.errors)")
    #expect(run.errors.contains("Try: ") == (next != nil))
    if let next { #expect(run.errors.contains("Try: \(next)\n")) }
    #expect(lab.service.events == [])
  }

  @Test(
    "A broker that cannot be used has its status",
    arguments: [
      (BusError.disconnected("gone"), 69), (.timedOut("slow"), 69), (.unroutable("none"), 69),
      (.refused("full"), 69), (.notPermitted("password"), 77),
    ] as [(BusError, Int32)])
  func broker(error: BusError, status: Int32) {
    let lab = CommandLab()
    lab.service.onQuery = { _ in .error(error) }
    let run = lab.run("games --json")
    #expect(run.status == status)
    // The suggestions start a service here, or connect to another one.
    #expect(run.errors.contains("cubistd up") == (status == 69))
    #expect(run.errors.contains("cubist connect URL"))
  }

  @Test("A service that cannot be reached is one line; -v tells the rest, and each request")
  func unreachable() throws {
    let lab = CommandLab()
    lab.service.onQuery = { _ in .error(.disconnected("amqp://localhost: a socket error")) }
    #expect(
      lab.run("games").errors
        == "cubist: The service cannot be reached. Try: cubistd up, or: cubist connect URL\n")
    let verbose = lab.run("games -v").errors
    #expect(verbose.contains("cubist: the service's broker is amqp://"))
    #expect(verbose.contains("bytes: disconnected: amqp://localhost: a socket error, after 0 ms\n"))
    #expect(
      verbose.contains("cubist: The service cannot be reached (disconnected: amqp://localhost"))
    lab.service.onQuery = { _ in nil }
    lab.memory.url = "amqp://ada:secret@localhost"
    let good = lab.run("games -v")
    #expect(good.errors.contains(" bytes after 0 ms\n") && !good.errors.contains("secret"))
    #expect(lab.run("games").errors == "")
  }

  // Failure: Problem.noAnswer
  @Test("A query that nobody behind a gateway answers: its request is told, and no other service")
  func unanswered() {
    let lab = CommandLab()
    lab.service.onQuery = { _ in
      .unanswered("http://127.0.0.1:8080: nobody answered (noAnswer, request 0af7)")
    }
    let run = lab.run("games")
    #expect(run.status == 69)
    #expect(
      run.errors == """
        cubist: The service did not answer in time: http://127.0.0.1:8080: nobody answered \
        (noAnswer, request 0af7). Nothing has changed. Try again. If that does not help, tell the \
        operators this request.

        """)
  }

  @Test(
    "Only a player on this machine is told to start the service here",
    arguments: [
      ("amqp://p:secret@localhost/", true), ("amqp://p:secret@127.0.0.1:28642/v", true),
      ("amqps://p:secret@[::1]:5671/", true), ("amqp://127.9.9.9", true),
      ("amqp://p:secret@play.example.org/", false), ("amqps://p:secret@192.0.2.7:5671/v", false),
      ("amqp://a.example.org:5672,b.example.org:5672/v", false),
      ("amqp://localhost.example.org/", false), ("amqp://127.example.org/", false),
    ] as [(String, Bool)])
  func distant(url: String, isHere: Bool) {
    let lab = CommandLab()
    lab.memory.url = url
    lab.service.onQuery = { _ in .error(.disconnected("gone")) }
    let run = lab.run("games --json")
    #expect(run.status == 69)
    #expect(run.errors.contains("cubistd up") == isHere, "\(url): \(run.errors)")
    #expect(run.errors.contains("cubist connect URL"))
  }

  @Test(
    "A query that is refused has its status",
    arguments: [
      (QueryRefusal.unknownMatch, 3), (.matchNotOver, 1), (.unavailable, 69),
      (.notPermitted, 77), (.notRegistered, 77), (.keyRevoked, 77),
      (.wrongService(Made.service), 77),
      (.expired(serviceTime: Made.now.adding(seconds: 600)), 1),
    ] as [(QueryRefusal, Int32)])
  func query(refusal: QueryRefusal, status: Int32) {
    let lab = CommandLab()
    lab.service.onQuery = { _ in .refusal(refusal) }
    let run = lab.run(["export", Self.match.description])
    #expect(run.status == status)
    #expect(run.output == "")
  }

  @Test(
    "A player whom the service does not know is named",
    arguments: [
      "start Frank", "start Frank --yes", "block Frank", "unblock Frank",
      "games --past --with Frank", "games --with Frank --summary",
    ])
  func unknownPlayer(line: String) {
    let run = CommandLab().run(line)
    #expect(run.status == 3)
    #expect(
      run.errors.hasPrefix("cubist: There is no player Frank. Check the name.\n"), "\(run.errors)")
  }

  @Test(
    "A day without a challenge is named, and only one that can still come is worth another try",
    arguments: [
      ("2020-01-01", "There was no challenge on 2020-01-01. Choose another day."),
      ("2026-05-01", "The challenge of 2026-05-01 is not dealt. Try again later."),
      ("2026-05-02", "The challenge of 2026-05-02 begins on that day, by UTC. Wait for it."),
    ])
  func noChallenge(day: String, text: String) throws {
    let lab = CommandLab()
    let asked = try #require(Day(day))
    lab.service.onQuery = {
      if case .standings = $0 { .refusal(.dailyNotDealt(asked)) } else { nil }
    }
    let run = lab.run("daily standings --timed --day \(day)")
    #expect(run.status == 3)
    #expect(
      run.errors == """
        cubist: \(text)
        Try: cubist daily standings --timed
        Try: cubist daily history

        """)
  }

  @Test("Standings that are gone lead to the player's own games of that day")
  func standingsGone() throws {
    let lab = CommandLab()
    let day = try #require(Day("2026-01-02"))
    lab.service.onQuery = {
      if case .standings = $0 { .refusal(.standingsGone(day)) } else { nil }
    }
    let run = lab.run("daily standings --day 2026-01-02")
    #expect(run.status == 3 && run.errors.contains("those of 2026-01-02 are gone"))
    #expect(
      run.errors.hasSuffix(
        "Try: cubist games --past --kind daily --from 2026-01-02 --until 2026-01-02\n"))
  }

  @Test("Nothing is connected without a key, and the way to one is told")
  func noKey() {
    let lab = CommandLab()
    lab.memory.key = nil
    let run = lab.run("games")
    #expect(run.status == 77)
    #expect(run.errors.contains("Try: cubist register NAME\n"))
    #expect(lab.urls == [])
  }

  @Test("A profile that was never connected says how to connect it")
  func notConnected() {
    let run = CommandLab(isConnected: false).run("games")
    #expect(run.status == 64)
    #expect(
      run.errors == """
        cubist: This profile does not know where the service is. Connect it first.
        Try: cubist connect URL

        """)
  }

  @Test("Another service under the same address is refused, and its URL is not kept")
  func otherService() {
    let lab = CommandLab()
    lab.service.info.rootKey = Made.key(9).publicKey
    let run = lab.run("connect amqp://elsewhere")
    #expect(run.status == 77)
    #expect(run.errors.contains("root key"))
    #expect(lab.memory.url == "amqp://localhost")
  }

  @Test("A profile in use by another program is unavailable")
  func locked() {
    let lab = CommandLab()
    lab.memory.isLocked = true
    #expect(lab.run("start").status == 69)
    #expect(lab.service.events == [])
  }

  @Test("A key is never overwritten, by another key or in a file")
  func keys() {
    let lab = CommandLab()
    lab.files["other"] = Array(Made.key(7).exported.utf8)
    #expect(lab.run("key import other").status == 1)
    #expect(lab.memory.key == Made.adaKey)
    #expect(lab.run("key export other").status == 2)
    lab.files["bad"] = Array("cubist-key-1:00:00".utf8)
    lab.memory.key = nil
    #expect(lab.run("key import bad").status == 2)
    #expect(lab.run("key import missing").status == 2)
    #expect(lab.memory.key == nil)
  }

  @Test("Connecting makes no key, so that one can be imported afterwards")
  func connectMakesNoKey() {
    let lab = CommandLab(isConnected: false)
    lab.memory.key = nil
    #expect(lab.run("connect amqp://localhost").status == 0)
    #expect(lab.memory.key == nil)
    #expect(lab.memory.profile.rootKey == Made.root)
    lab.files["ada.key"] = Array("\(Made.adaKey.exported)\n".utf8)
    #expect(lab.run("key import ada.key").status == 0)
    #expect(lab.memory.key == Made.adaKey)
  }

  @Test("A URL can come from the standard input, so that no shell remembers it")
  func urlFromInput() {
    let lab = CommandLab(isConnected: false)
    lab.files["-"] = Array("amqp://secret\n".utf8)
    #expect(lab.run("connect -").status == 0)
    #expect(lab.memory.url == "amqp://secret")
  }

  @Test("The service's texts cannot steer the terminal")
  func hostile() {
    let lab = CommandLab()
    lab.isTerminal = true
    lab.service.info.version = "1\u{1b}[2J"
    lab.memory.profile = Profile()
    #expect(!lab.run("connect amqp://localhost --no-color").output.contains("\u{1b}"))
    lab.service.onEvent = { event in
      let reply = """
        {"v":1,"event":"\(event.id)","refused":{"name":"odd","values":{},\
        "message":"a\\u001b[2Jb"}}
        """
      return .bus(.reply(Array(reply.utf8)))
    }
    let run = lab.run("start --no-color")
    #expect(run.status == 1)
    #expect(run.errors == "cubist: a?[2Jb\n")
  }
}
