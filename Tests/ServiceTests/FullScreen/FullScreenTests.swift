import CubeLexicon
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PseudoTerminal
import RealServers
import TestedService
import EventBusLive
import LibRabbitMQ
import Testing

/// `cubist` on the whole screen of a real terminal, against a real service.
@Suite("The game on the whole screen", .serialized)
struct FullScreenTests {
  static func run(
    _ body: @escaping @Sendable (ServiceLab, String) throws -> Void
  ) async throws {
    var options = ServiceLab.Options(workers: 1)
    options.roles = [.reader, .relay, .push, .scheduler]
    options.lexicons = .standard
    try await ServiceLab.run(options) { lab in
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "cubist-screens-\(lab.database.name)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try body(lab, folder)
    }
  }

  /// A match between two players in which it is the first one's turn.
  private static func match(_ first: LabPlayer, _ second: LabPlayer) throws -> MatchID {
    let sent = try first.sign(
      .matchRequested(MatchRequest(opponent: .player(second.id), turnLimitSeconds: 86_400)))
    guard case .accepted = try first.send(sent) else { throw LabFailure("no match") }
    try second.must(.invitationAccepted(sent.newMatch, code: nil))
    return sent.newMatch
  }

  @Test("Two players play a match to its end and begin a rematch by keys only")
  func wholeMatch() async throws {
    try await Self.run { lab, folder in
      let (ann, ben) = (try lab.player("ann"), try lab.player("ben"))
      let invitation = try ann.sign(
        .matchRequested(MatchRequest(opponent: .player(ben.id), turnLimitSeconds: 86_400)))
      _ = try ann.send(invitation)
      let match = invitation.newMatch
      let seats = [
        try Seat(ann, in: lab, folder: folder),
        try Seat(ben, in: lab, folder: folder, columns: 120, rows: 40),
      ]
      let before = seats.map(\.terminal.condition)
      // The waiting matches are a list; Enter accepts an invitation.
      seats[1].type("cubist --bell\r")
      try seats[1].wait("invites you")
      seats[1].type("\r")
      try seats[1].wait("It is the turn of ann")
      seats[0].type("cubist play\r")
      try seats[0].wait("Your turn: type a word.")

      #expect(seats[0].terminal.filledCount > 500)

      // The letters of a word and Enter.
      let word = try seats[0].word(in: match)
      seats[0].type(word)
      try seats[0].wait("\(word.uppercased()) ")
      try seats[0].wait("✓")
      seats[0].type("\r")
      try seats[0].wait("You played \(word.uppercased())")
      // The other player sees it without pressing a key.
      try seats[1].wait("ann played \(word.uppercased())")
      #expect(seats.map(\.terminal.bellCount) == [0, 1])
      try seats[1].wait("Your turn: type a word.")

      // Letters that are taken back, and a word that was played.
      seats[1].type(word + "\r")
      try seats[1].wait("already played")
      seats[1].type("\u{7f}")
      seats[1].type("\u{1b}")
      try seats[1].wait("Your turn: type a word.")

      try Self.playToTheEnd(match, seats)
      for seat in seats { try seat.wait("R asks for a rematch.") }
      // Each turn can be looked at again.
      seats[0].type("\u{1b}[5~\u{1b}[5~")
      let turns = try seats[0].view(match).turns.count
      try seats[0].wait("Turn \(turns - 1) of \(turns): ")
      seats[0].type("\u{1b}")
      try seats[0].wait("R asks for a rematch.")
      seats[0].type("r")
      try seats[0].wait("Your offer of a rematch waits for ben.")
      try seats[1].wait("ann offers a rematch: R agrees.")
      seats[1].type("r")
      for seat in seats { try seat.wait("Turns: 0") }

      // After the end the terminal is as it was before.
      for (seat, before) in zip(seats, before) {
        seat.type("\u{1b}")
        try seat.wait("Q quit")
        seat.type("q")
        try seat.terminal.wait(for: "the terminal as it was") { $0.condition == before }
        try seat.wait("$ cubist")
      }
      #expect(try lab.violations() == [])
    }
  }

  /// The player to move removes two cubes a turn, until none is left.
  private static func playToTheEnd(_ match: MatchID, _ seats: [Seat]) throws {
    for turn in 2...40 {
      let seat = seats[(turn + 1) % 2]
      try seat.terminal.wait(for: "turn \(turn)") {
        $0.text.contains("Turns: \(turn - 1)") && $0.text.contains("Your turn: type a word.")
      }
      let left = try seat.view(match).inPlay.count { $0 == "1" }
      try seat.removeCubes(min(2, left))
      if left <= 2 { return }
      try seat.wait("You removed cubes.")
    }
  }

  // Failure: ScreenTrouble.away: The service cannot be reached. The screen says so until it is
  //   back, and tries again.
  @Test("A lost connection is shown and mends itself, and a turn that was sent meanwhile is played")
  func connection() async throws {
    try await Self.run { lab, folder in
      let (ann, ben) = (try lab.player("ann"), try lab.player("ben"))
      let match = try Self.match(ann, ben)
      let (proxy, url) = try TCPProxy.inFront(ofURL: lab.playersURL)
      defer { proxy.close() }
      let seat = try Seat(ann, in: lab, folder: folder, url: url)
      seat.type("cubist play\r")
      try seat.wait("Your turn: type a word.")
      let word = try seat.word(in: match)
      proxy.refuse()
      proxy.cut()
      try seat.wait("Connection lost. Trying again")
      seat.type(word + "\r")
      try seat.wait("waits and is sent when it is back.")
      try proxy.resume()
      try seat.wait("You played \(word.uppercased())")
      try seat.terminal.wait(for: "no word of a lost connection") {
        !$0.text.contains("Connection lost")
      }
      #expect(try seat.view(match).turns.count == 1)
    }
  }

  @Test("A turn without an answer is kept when the player quits, and counts once")
  func quitting() async throws {
    try await Self.run { lab, folder in
      let (ann, ben) = (try lab.player("ann"), try lab.player("ben"))
      let match = try Self.match(ann, ben)
      let seat = try Seat(ann, in: lab, folder: folder)
      seat.type("cubist play\r")
      try seat.wait("Your turn: type a word.")
      let word = try seat.word(in: match)
      try lab.stopWorkers()
      seat.type(word + "\r")
      try seat.wait("is on its way.")
      let broker = try RabbitMQConnection(RabbitMQSettings(url: lab.serviceURL))
      defer { broker.close() }
      let queue = Names().events(queue: lab.layout.queue(of: Slot(of: match)))
      // More than once where the program has sent it again meanwhile.
      try waitUntil("the broker has the turn") {
        try broker.inspectQueue(queue).messageCount >= 1
      }
      seat.type("\u{3}")
      try seat.wait("The answer to \(word.uppercased()) is pending.")
      seat.type("echo st''atus $?\r")
      try seat.wait("status 75")
      try lab.startWorker()
      seat.type("cubist\r")
      try seat.wait("their turn")
      #expect(try seat.view(match).turns.map { $0.words.joined() } == [word.uppercased()])
    }
  }

  @Test("A turn is kept though no role answers, and counts though the player has left its match")
  func leaving() async throws {
    try await Self.run { lab, folder in
      let (ann, ben) = (try lab.player("ann"), try lab.player("ben"))
      let matches = [try Self.match(ann, ben), try Self.match(ann, ben)]
      let seat = try Seat(ann, in: lab, folder: folder)
      seat.type("cubist play \(matches[0])\r")
      try seat.wait("Your turn: type a word.")
      try seat.wait("Ctrl-N: 1 other waits")
      let word = try seat.word(in: matches[0])
      // Neither a question nor an event is answered from here on.
      try lab.stop(.reader)
      try lab.stopWorkers()
      seat.type(word + "\r")
      try seat.wait("\(word.uppercased()) is on its way.")
      seat.type("\u{e}")
      try seat.wait("Loading the match")
      seat.type("\u{3}")
      try seat.wait("The answer to \(word.uppercased()) is pending.")
      seat.type("echo st''atus $?\r")
      try seat.wait("status 75")
      try lab.start(.reader)
      try lab.startWorker()
      seat.type("cubist\r")
      try seat.wait("their turn")
      let played = try matches.map { try seat.view($0).turns.map { $0.words.joined() } }
      #expect(played == [[word.uppercased()], []])
    }
  }

  @Test("A turn is sent again if its answer is late, counts once, and is shown as played")
  func lateAnswer() async throws {
    try await Self.run { lab, folder in
      let (ann, ben) = (try lab.player("ann"), try lab.player("ben"))
      let match = try Self.match(ann, ben)
      let seat = try Seat(ann, in: lab, folder: folder)
      seat.type("cubist play --timeout 2s\r")
      try seat.wait("Your turn: type a word.")
      let word = try seat.word(in: match)
      try lab.stopWorkers()
      seat.type(word + "\r")
      try seat.wait("waits and is sent when it is back.")
      try lab.startWorker()
      try seat.wait("You played \(word.uppercased())")
      try seat.wait("It is the turn of ben")
      #expect(!seat.terminal.text.contains("was not played"))
      #expect(try seat.view(match).turns.count == 1)
      #expect(try lab.violations() == [])
    }
  }

  @Test("The same game is played in ASCII without colors and without UTF-8")
  func ascii() async throws {
    try await Self.run { lab, folder in
      let (ann, ben) = (try lab.player("ann"), try lab.player("ben"))
      let match = try Self.match(ann, ben)
      let seat = try Seat(
        ann, in: lab, folder: folder, columns: 200, rows: 60,
        ["LC_ALL": "C", "NO_COLOR": "1"])
      seat.type("cubist play\r")
      try seat.wait("Your turn: type a word.")
      #expect(seat.terminal.filledCount == 0)
      let word = try seat.word(in: match)
      seat.type(word)
      try seat.wait("\(word.uppercased()) ")
      try seat.wait("OK")
      seat.type("\r")
      try seat.wait("It is the turn of ben")
      #expect(seat.terminal.bytes.allSatisfy { $0 < 0x80 })
    }
  }

  @Test("A game of one player is played turn after turn")
  func alone() async throws {
    try await Self.run { lab, folder in
      let ann = try lab.player("ann")
      let start = try ann.sign(
        .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)))
      _ = try ann.send(start)
      let seat = try Seat(ann, in: lab, folder: folder)
      seat.type("cubist\r")
      try seat.wait("solo game")
      seat.type("\r")
      try seat.wait("Your turn: type a word.")
      for turn in 1...3 {
        let word = try seat.word(in: start.newMatch)
        seat.type(word + "\r")
        try seat.wait("You played \(word.uppercased())")
        try seat.wait("Turns: \(turn)")
      }
      #expect(try seat.view(start.newMatch).turns.count == 3)
    }
  }

  @Test("The command prints and opens nothing with a pipe, --json or --plain")
  func printing() async throws {
    try await Self.run { lab, folder in
      let ann = try lab.player("ann")
      let seat = try Seat(ann, in: lab, folder: folder)
      // The suggested next command repeats the options.
      let commands = [
        ("cubist | cat", ""), ("cubist --plain", " --plain"), ("cubist home", ""),
        ("TERM=dumb cubist", ""),
      ]
      for (number, (command, options)) in commands.enumerated() {
        seat.type("clear; \(command); echo do''ne \(number)\r")
        try seat.wait("done \(number)\n$")
        let text = seat.terminal.text
        #expect(text.contains("Nothing waits for you. Start a match: cubist\(options) start"))
      }
      seat.type("clear; cubist --json\r")
      try seat.wait("\"schema\":\"cubist.home.1\"")
      let text = String(decoding: seat.terminal.bytes, as: UTF8.self)
      #expect(!text.contains("[?1049h"))
    }
  }
}
