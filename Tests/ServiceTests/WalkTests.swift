import MatchService
import TestedService
import Testing

/// A walk through each area on real servers. Tests of the whole service in one process
/// (`InProcessServiceTests`) go through all of it.
@Suite("Walks through what players do and see", .serialized, .sharedService(.everyRole))
struct WalkTests {
  @Test("Ratings and the ladder")
  func ladder() async throws { try await ServiceLab.shared { try Scenes.ladder(on: $0) } }

  @Test("A match that is given up before its first turn")
  func aborted() async throws { try await ServiceLab.shared { try Scenes.aborted(on: $0) } }

  @Test("Two players against each other")
  func headToHead() async throws { try await ServiceLab.shared { try Scenes.headToHead(on: $0) } }

  @Test("A game that is shared")
  func sharing() async throws { try await ServiceLab.shared { try Scenes.sharing(on: $0) } }

  @Test("Past games, looked through")
  func pastGames() async throws { try await ServiceLab.shared { try Scenes.pastGames(on: $0) } }

  @Test("Answers to turns")
  func reaction() async throws { try await ServiceLab.shared { try Scenes.reaction(on: $0) } }

  @Test("Requests that are declined")
  func decline() async throws { try await ServiceLab.shared { try Scenes.decline(on: $0) } }

  @Test("Kinds of notifications, and display names")
  func kinds() async throws { try await ServiceLab.shared { try Scenes.kinds(on: $0) } }

  @Test("Devices that may be told, and those that may not")
  func devices() async throws { try await ServiceLab.shared { try Scenes.devices(on: $0) } }

  @Test("Players who are blocked")
  func block() async throws {
    try await ServiceLab.shared { lab in
      try Scenes.block(on: lab)
      try Scenes.blockList(on: lab)
    }
  }

  // The last ones: they set the clocks of their queues ahead, and games are sorted by these.
  @Test("A game alone, against the clock")
  func timedSolo() async throws { try await ServiceLab.shared { try Scenes.timedSolo(on: $0) } }

  @Test("The dailies, in both modes")
  func dailies() async throws { try await ServiceLab.shared { try Scenes.dailies(on: $0) } }
}
