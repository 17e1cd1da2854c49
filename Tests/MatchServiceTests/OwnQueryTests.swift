import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The service's own queries pass the others'")
struct OwnQueryTests {
  private let lab = ReaderLab()

  /// Queries that take a fifth of a second each.
  private func flood(_ count: Int) {
    lab.expectOwner()
    lab.store.players.answer { [lab] ids in
      lab.clock.pass(.milliseconds(200))
      let known = TestPlayer.all.filter { ids.contains($0.id) }
      return Dictionary(uniqueKeysWithValues: known.map { ($0.id, $0.row) })
    }
    lab.store.registrationNeedsCode.answer { false }
    lab.store.dailyResults.answer { _, asker, limit in Ranking(all: [], asker: asker, limit: limit)
    }
    lab.store.daily.answer { _ in nil }
    for number in 0..<count {
      lab.ask(TestPlayer.ann.body(.whoAmI, UInt128(number)), id: "\(number)")
    }
  }

  private func own(_ id: String) throws -> ReaderBus.Incoming {
    let speaker = try ServiceIdentity.test.speaker(at: .noon)
    return .query(
      body: speaker.question(id: EventID(at: .noon, random: 1)),
      replyTo: "amq.rabbitmq.reply-to.own", correlationID: id)
  }

  @Test("A flood of queries that take long keeps the scheduler's waiting for two seconds at most")
  func flooded() throws {
    flood(200)
    var sent: [(id: String, at: UInt64)] = []
    let now = lab.clock.clock.uptimeNanoseconds
    lab.bus.answer.answer { answers in sent += answers.map { ($0.correlationID, now()) } }
    var asked: [UInt64] = []
    lab.bus.ownQueries.answer { [own] in
      asked.append(now())
      return (try? own("own \(asked.count)")).map { [$0] } ?? []
    }
    // An own query that comes with the flood, in front of it.
    lab.arriving.insert(try own("own 0"), at: 0)
    let begin = now()
    try lab.step()
    #expect(asked.count > 20)
    for (number, time) in ([begin] + asked).enumerated() {
      let answered = try #require(sent.first { $0.id == "own \(number)" }?.at)
      #expect(answered - time < 2_000_000_000)
    }
    let gaps = zip([begin] + asked, asked + [now()]).map { $1 - $0 }
    #expect(gaps.allSatisfy { $0 < 2_000_000_000 })
    // No query of anybody else is lost.
    let others = sent.map(\.id).filter { !$0.hasPrefix("own") }
    #expect(others == (0..<200).map(String.init))
  }

  @Test("A database that goes away in between leaves the scheduler without a useful answer")
  func storeGone() throws {
    flood(20)
    lab.store.registrationNeedsCode.fail(with: .unavailable("gone"))
    let query = try own("own")
    lab.bus.ownQueries.answer { [query] }
    #expect(throws: Interruption.store(.unavailable("gone"))) { try lab.step() }
    for answer in lab.answers where answer.correlationID == "own" {
      let decoded = try AnswerCodec.decode(answer.body, as: PlayerView.self)
      if case .ok = decoded.answer { Issue.record("answered") }
    }
    #expect(lab.answers.contains { $0.correlationID == "19" })
  }
}
