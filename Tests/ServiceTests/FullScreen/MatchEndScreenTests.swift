import CubeRules
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PseudoTerminal
import RealServers
import TestedService
import Testing

/// Ends of matches on the whole screen of a real terminal, against a real service, and the actions
/// that are possible afterwards.
@Suite("Ends of matches on the whole screen", .serialized)
struct MatchEndScreenTests {
  private static func run(
    _ body: @escaping @Sendable (ServiceLab, String) throws -> Void
  ) async throws {
    var options = ServiceLab.Options(workers: 1)
    options.roles = [.reader, .relay, .push, .scheduler, .rater]
    options.lexicons = .standard
    try await ServiceLab.run(options) { lab in
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "cubist-ends-\(lab.database.name)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try body(lab, folder)
    }
  }

  @Test(
    "A match is given up after a question, both are rated, and it is shared and looked at again")
  func givingUp() async throws {
    try await Self.run { lab, folder in
      let (ann, ben) = (try lab.player("ann"), try lab.player("ben"))
      let sent = try ann.sign(
        .matchRequested(MatchRequest(opponent: .player(ben.id), turnLimitSeconds: 86_400)))
      _ = try ann.send(sent)
      let match = sent.newMatch
      try ben.must(.invitationAccepted(match, code: nil))
      let seats = [
        try Seat(ann, in: lab, folder: folder),
        try Seat(ben, in: lab, folder: folder, columns: 120, rows: 40),
      ]
      for seat in seats { seat.type("cubist play \(match)\r") }
      try seats[0].wait("Your turn: type a word.")
      try seats[1].wait("It is the turn of ann")
      let word = try seats[0].word(in: match)
      seats[0].type(word + "\r")
      for seat in seats { try seat.wait("played \(word.uppercased())") }

      // Nothing is lost before the answer.
      seats[1].type("\u{7}")
      try seats[1].wait("Give up against ann? You lose.")
      seats[1].type("n")
      try seats[1].wait("Your turn: type a word.")
      #expect(try seats[1].view(match).stage == .playing)
      seats[1].type("\u{7}")
      try seats[1].wait("Give up against ann? You lose.")
      seats[1].type("y")
      try seats[1].wait("Over: lost, you gave up.")
      try seats[0].wait("Over: won, ben gave up.")
      for seat in seats { try seat.wait("rating 1500? →") }

      // Letters mean nothing for some seconds after the end.
      try seats[0].wait("S share")
      seats[0].type("s")
      let code = try seats[0].word(like: /[0-9A-Z]{16}/, after: "shared: cubist show --code")
      let seat = try Seat(try lab.player("cleo"), in: lab, folder: folder)
      let before = seat.terminal.condition
      seat.type("cubist replay --code \(code)\r")
      try seat.wait("Turn 1 of 1: ann played \(word.uppercased())")
      seat.type(" ")
      try seat.wait("Space: stop")
      try seat.wait("Over: ben gave up.")
      seat.type("q")
      try seat.wait("Q quit")
      seat.type("q")
      try seat.wait("$ cubist")
      // What is typed before the program has given the terminal back is thrown away.
      try waitUntil("the terminal is as before") { seat.terminal.condition == before }
      seat.type("clear; cubist replay --code \(code) | cat\r")
      try seat.wait("ann played \(word.uppercased()) for")
      try seat.wait("Over: ben gave up.")
      #expect(try lab.violations() == [])
    }
  }

  @Test("A match that is given up before its first move is shown as one that does not count")
  func aborted() async throws {
    try await Self.run { lab, folder in
      let (ann, ben) = (try lab.player("ann"), try lab.player("ben"))
      let match = try lab.begin(ann, ben)
      let seats = try [ann, ben].map { try Seat($0, in: lab, folder: folder) }
      for seat in seats { seat.type("cubist play \(match)\r") }
      try seats[0].wait("Your turn: type a word.")
      try seats[1].wait("It is the turn of ann")
      seats[1].type("\u{7}")
      try seats[1].wait("Give up against ann?")
      #expect(!seats[1].terminal.text.contains("You lose"))
      seats[1].type("y")
      try seats[1].wait("Over: not counted, you gave up before the first move.")
      try seats[0].wait("Over: not counted, ben gave up before the first move.")
      #expect(!seats[0].terminal.text.contains("rating"))
      #expect(try lab.violations() == [])
    }
  }

  @Test("A match that is given up while nobody answers is over once somebody does")
  func pending() async throws {
    try await Self.run { lab, folder in
      let ann = try lab.player("ann")
      let start = try ann.sign(
        .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)))
      _ = try ann.send(start)
      let seat = try Seat(ann, in: lab, folder: folder)
      seat.type("cubist play \(start.newMatch) --timeout 2s\r")
      try seat.wait("Your turn: type a word.")
      try lab.stopWorkers()
      seat.type("\u{7}")
      try seat.wait("End your game?")
      seat.type("y")
      try seat.wait("The answer is pending. It is asked for again, and counts once.")
      try lab.startWorker()
      try seat.wait("Over: you ended it.")
      #expect(try lab.violations() == [])
    }
  }

  @Test("A game of one player is ended after a question")
  func alone() async throws {
    try await Self.run { lab, folder in
      let ann = try lab.player("ann")
      let start = try ann.sign(
        .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)))
      _ = try ann.send(start)
      let seat = try Seat(ann, in: lab, folder: folder)
      seat.type("cubist play \(start.newMatch)\r")
      try seat.wait("Your turn: type a word.")
      seat.type("\u{7}")
      try seat.wait("End your game? Its points stand.")
      seat.type("Y")
      try seat.wait("Over: you ended it.")
      #expect(try seat.view(start.newMatch).outcome?.reason == .finished)
    }
  }

  @Test("Cubes are removed by the letters that they show")
  func letters() async throws {
    try await Self.run { lab, folder in
      let ann = try lab.player("ann")
      let start = try ann.sign(
        .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)))
      _ = try ann.send(start)
      let seat = try Seat(ann, in: lab, folder: folder)
      seat.type("cubist play \(start.newMatch)\r")
      try seat.wait("Your turn: type a word.")
      let game = try seat.view(start.newMatch).game()
      let shown = Dictionary(grouping: game.playable) { game.puzzle[$0] }
        .mapValues { Set($0.map(\.cube)) }.sorted { $0.key.rawValue < $1.key.rawValue }
      // Two letters that no cube shows together, so that the second is never on the first one's
      // cube.
      let (first, second) = try #require(
        shown.lazy.flatMap { one in shown.map { (one, $0) } }
          .first { $0.0.value.isDisjoint(with: $0.1.value) })
      seat.type("/\(first.key.character) ")
      try seat.wait("1 cube is removed")
      seat.type("\(second.key.character) ")
      try seat.wait("2 cubes are removed")
      seat.type("\r")
      try seat.wait("You removed cubes.")
      let moves = try seat.view(start.newMatch).turns.flatMap(\.moves)
      #expect(moves.count == 2 && moves.allSatisfy { $0.hasPrefix("-") })
    }
  }
}
