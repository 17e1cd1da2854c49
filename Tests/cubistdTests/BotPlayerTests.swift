import CubePlay
import Testing

@testable import cubistd

@Suite("The bots of a service for one machine")
struct BotPlayerTests {
  @Test("The first is easy, and each of three has a strength of its own")
  func strengths() {
    #expect((1...4).map { BotPlayer.strength($0) } == [.easy, .medium, .hard, .easy])
  }
}
