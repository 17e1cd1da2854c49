import MatchInterfaces
import MatchWire
import Testing

@testable import Chaos

@Suite("How long a fault is felt")
struct AnswerWatchTests {
  private func watch() throws -> AnswerWatch {
    AnswerWatch(try #require(QueueLayout(queueCount: 2)))
  }

  @Test("A queue that nobody can send to does not count as answering while a fault is held")
  func held() throws {
    let watch = try watch()
    let longAgo = uptime() - 6_000_000_000
    #expect(watch.isAnswering(since: longAgo))
    #expect(!watch.isAnswering(since: longAgo, mayBeQuiet: false))
    // No queue has been quiet for long enough yet.
    #expect(!watch.isAnswering(since: uptime()))
  }

  @Test("Readers that answer nobody are noticed")
  func queries() throws {
    let watch = try watch()
    let longAgo = uptime() - 6_000_000_000
    let query = PlayerMessage(destination: .queries, body: [])
    for (answer, isAnswered) in [(PlayerAnswer.confirmed, false), (.reply([]), true)] {
      let bus = watch.listening(to: .noop.with { $0.request.answer { _, _ in answer } })
      _ = try bus.request(query, .seconds(1))
      #expect(watch.isAnswering(since: longAgo) == isAnswered)
    }
  }
}
