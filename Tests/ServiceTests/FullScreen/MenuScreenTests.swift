import Foundation
import MatchCore
import MatchWire
import PlayerClient
import PseudoTerminal
import RealServers
import TestedService
import Testing

/// The screens beside the matches, by keys in a real terminal against a real service.
@Suite("The screens beside the matches", .serialized)
struct MenuScreenTests {
  private static let down = "\u{1b}[B"

  @Test("Games alone, an invitation and one that is withdrawn are started by keys")
  func newMatch() async throws {
    try await FullScreenTests.run { lab, folder in
      let (ann, ben) = (try lab.player("ann"), try lab.player("ben"))
      let seat = try Seat(ann, in: lab, folder: folder)
      seat.type("cubist\r")
      try seat.wait("Q quit")
      // A timed game alone, and a turn in it.
      seat.type("n")
      try seat.wait("New match")
      for _ in 0..<7 { seat.type(Self.down) }
      try seat.wait("> 180 seconds")
      seat.type("\r")
      try seat.wait("Your turn: type a word.")
      try seat.wait("left")
      seat.type("\u{1b}")
      try seat.wait("timed solo game")

      // A fault in a name is shown at once, and the typed text is kept.
      seat.type("n\(Self.down)be")
      try seat.wait("[be_]  ✗ 3 to 16 of A-Z a-z 0-9 _ and -")
      seat.type("nn\r")
      try seat.wait("[benn_]  ✗ nobody has that name")
      seat.type("\u{7f}\r")
      try seat.wait("against ben")
      seat.type("\u{1b}")
      try seat.wait("Q quit")
      // A second invitation of the same player has to be confirmed.
      seat.type("n\(Self.down)ben\r")
      try seat.wait("ben has an invitation of yours already")
      seat.type("n")
      try seat.wait("Enter start")
      seat.type("\u{1b}")
      try seat.wait("Q quit")
      #expect(try seat.ask { try $0.home() }.matches.count { $0.stage == .waiting } == 1)
      for _ in 0..<9 { seat.type(Self.down) }
      try seat.wait("W withdraw")
      seat.type("w")
      try seat.wait("Withdraw this match?")
      seat.type("y")
      try seat.terminal.wait(for: "the match is gone") { !$0.text.contains("ben") }
      #expect(try seat.ask { try $0.home() }.matches.allSatisfy { $0.stage != .waiting })

      // A match is joined by its code.
      let open = try ben.must(
        .matchRequested(MatchRequest(opponent: .open, turnLimitSeconds: 86_400)))
      guard case .matchStarted(let ticket) = open else { throw LabFailure("no match") }
      let code = try #require(ticket.code).text.lowercased()
      seat.type("n\(Self.down)\(Self.down)\(Self.down)\(code)\r")
      try seat.wait("ann against ben")
    }
  }

  // Failure: ScreenTrouble.pending: The service may have the request, and has not answered. The
  //   screen says so. The same request is sent again and counts once.
  @Test("A lost answer to a start is said; its match is opened once when the service is back")
  func pendingStart() async throws {
    try await FullScreenTests.run { lab, folder in
      let ann = try lab.player("ann")
      let (proxy, url) = try TCPProxy.inFront(ofURL: lab.playersURL)
      defer { proxy.close() }
      let seat = try Seat(ann, in: lab, folder: folder, url: url)
      seat.type("cubist --timeout 2s\r")
      try seat.wait("Q quit")
      seat.type("n")
      try seat.wait("New match")
      for _ in 0..<6 { seat.type(Self.down) }
      try seat.wait("> as long as you like")
      let (unanswered, unsent) = ("Your start has no answer yet.", "The service cannot be reached.")
      while true {
        // The request arrives, and nothing comes back.
        proxy.stall(.toClient)
        seat.type("\r")
        try seat.terminal.wait(for: "what became of the start") {
          $0.text.contains(unanswered) || $0.text.contains(unsent)
        }
        if seat.terminal.text.contains(unanswered) { break }
        // A look at the list was without an answer before the key came: nothing was sent.
        proxy.cut()
        try proxy.resume()
        try seat.terminal.wait(for: "a connection") { !$0.text.contains("Connection lost") }
      }
      proxy.refuse()
      proxy.cut()
      try seat.wait("Connection lost. Trying again")
      seat.type("\r")
      try proxy.resume()
      try seat.wait("ann, solo game")
      try seat.wait("Your turn: type a word.")
      #expect(try seat.ask { try $0.home() }.matches.count == 1)
      seat.type("\u{1b}")
      try seat.wait("solo game")
      #expect(try lab.violations() == [])
    }
  }

  @Test(
    "Today's challenge is begun and played by keys, and its list and the others are gone through")
  func daily() async throws {
    try await FullScreenTests.run { lab, folder in
      let ann = try lab.player("ann")
      let seat = try Seat(ann, in: lab, folder: folder)
      seat.type("cubist\r")
      // The daily is in the list as soon as it is dealt.
      try seat.wait("* can be begun")
      seat.type("b")
      try seat.wait("[Today]")
      try seat.wait("you have not begun it")
      seat.type("\r")
      try seat.wait("Your turn: type a word.")
      let match = try seat.ask { try #require($0.home().daily(.unlimited).match) }
      let word = try seat.word(in: match)
      seat.type(word + "\r")
      try seat.wait("You played \(word.uppercased())")
      let points = try seat.view(match).seats[0].points
      seat.type("\u{1b}b")
      try seat.wait("\(points) points so far")
      try seat.wait("> *    1  ann")
      for list in ["[Solo games]", "[Dailies]", "[Ladder]", "[Your dailies]"] {
        seat.type("\t")
        try seat.wait(list)
        try seat.terminal.wait(for: "the list") { !$0.text.contains("Loading") }
        #expect(!seat.terminal.text.contains("cannot"))
      }
      try seat.wait(" none ")
      seat.type("\u{1b}")
      try seat.wait("Q quit")
    }
  }

  @Test("Settings are changed by keys: a name, a kind, a device, a blocked player")
  func settings() async throws {
    try await FullScreenTests.run { lab, folder in
      let (ann, _) = (try lab.player("ann"), try lab.player("mallory"))
      let seat = try Seat(ann, in: lab, folder: folder)
      seat.type("cubist\r")
      try seat.wait("Q quit")
      seat.type("s")
      try seat.wait("Notifications call you")
      seat.type("Ann?")
      try seat.wait("> [Ann?_]")
      seat.type("\u{7f} L. \u{13}")
      try seat.wait("✗ 1 to 16 visible characters")
      try seat.wait("Nothing was saved.")
      seat.type("\u{7f}\(Self.down) ")
      try seat.wait("> [ ] it is your turn")
      // Past the kinds and nine rows of times, to the row for another device.
      for _ in 0...PushJob.Kind.optional.count + 9 { seat.type(Self.down) }
      seat.type("phone\r")
      try seat.wait("[x] phone")
      // An unknown name: nothing is saved, and the entered text is kept.
      seat.type("\(Self.down)malory\u{13}")
      try seat.wait("[malory_]  ✗ nobody has that name")
      #expect(try seat.ask { try $0.settings() }.displayName == nil)
      // Esc asks before something is lost.
      seat.type("\u{1b}")
      try seat.wait("You have changed something.")
      seat.type("\u{1b}")
      try seat.wait("Enter add")
      seat.type("\u{7f}\u{7f}\u{7f}lory\u{1b}")
      try seat.wait("[mallory_]")
      seat.type("y")
      try seat.wait("Q quit")
      let set = try seat.ask { try $0.settings() }
      #expect(set.displayName == "Ann L." && set.kinds["yourTurn"] == false)
      #expect(set.devices.map(\.device) == ["phone"])
      #expect(try seat.ask { try $0.blocks() }.players.map(\.name.text) == ["mallory"])
    }
  }

  @Test("Changes of settings survive a lost connection and are saved afterwards")
  func settingsConnection() async throws {
    try await FullScreenTests.run { lab, folder in
      let ann = try lab.player("ann")
      let (proxy, url) = try TCPProxy.inFront(ofURL: lab.playersURL)
      defer { proxy.close() }
      let seat = try Seat(ann, in: lab, folder: folder, url: url)
      seat.type("cubist\r")
      try seat.wait("Q quit")
      seat.type("s")
      try seat.wait("Notifications call you")
      seat.type("Ann L.")
      try seat.wait("[Ann L._]")
      proxy.refuse()
      proxy.cut()
      seat.type("\u{13}")
      try seat.wait("Connection lost. Trying again")
      try seat.wait("The service cannot be reached.")
      try seat.wait("[Ann L._]")
      try proxy.resume()
      try seat.terminal.wait(for: "no word of a lost connection") {
        !$0.text.contains("Connection lost")
      }
      try seat.wait("[Ann L._]")
      seat.type("\u{13}")
      try seat.wait("Saved.")
      #expect(try seat.ask { try $0.settings() }.displayName == "Ann L.")
      seat.type("\u{1b}")
      try seat.wait("Q quit")
    }
  }
}
