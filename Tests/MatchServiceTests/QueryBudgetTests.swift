import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("How much a player may ask")
struct QueryBudgetTests {
  let lab = ReaderLab()

  init() {
    lab.expectOwner()
    lab.expectPlayers()
    lab.settings.limits.queriesPerMinute = 4
  }

  /// An answer with any contents.
  private struct Anything: Codable {}

  private func refusals() throws -> [String?] {
    defer { lab.forget() }
    return try lab.answers.map { answer in
      let decoded = try AnswerCodec.decode(answer.body, as: Anything.self).answer
      if case .refused(let name, _, _) = decoded { return name }
      return nil
    }
  }

  // Failure: QueryRefusal.rateLimited: The player has asked too much within a minute. The answer
  //   names the time to ask again.
  @Test("A player with too many queries in a minute is told when to come again, and nobody else")
  func tooMuch() throws {
    for number in 0..<3 { lab.ask(.whoAmI, id: "\(number)") }
    lab.ask(.whoAmI, by: .bob, id: "bob")
    try lab.step()
    #expect(try refusals() == [nil, nil, "rateLimited", nil])
    lab.ask(.whoAmI)
    try lab.step()
    // Two of four in a minute.
    #expect(try lab.refusal() == .rateLimited(retryAfterSeconds: 30))
    lab.forget()
    lab.clock.pass(.seconds(30))
    lab.ask(.whoAmI)
    try lab.step()
    #expect(try refusals() == [nil])
  }

  @Test("A query refused for another reason costs nothing, and spares the store")
  func onlyWhatCounts() throws {
    lab.store.leaderboard.answer { _, asker, limit in Ranking(all: [], asker: asker, limit: limit) }
    lab.store.tallies.answer { _, _, _ in [:] }
    for _ in 0..<9 { lab.ask(.whoAmI, at: .noon.adding(seconds: -99)) }
    // A query that costs more than the whole budget takes all of it.
    lab.ask(.review)
    lab.ask(.review)
    try lab.step()
    #expect(try refusals().suffix(2) == [nil, "rateLimited"])
  }

  @Test("Nothing is counted without a limit")
  func unlimited() throws {
    lab.settings.limits.queriesPerMinute = nil
    for _ in 0..<100 { lab.ask(.whoAmI) }
    try lab.step()
    #expect(try refusals().allSatisfy { $0 == nil })
  }

  @Test("Keys that nobody has registered cost one statement, for any number at once")
  func strangers() throws {
    var questions: [Int] = []
    lab.owners = { keys in
      questions.append(keys.count)
      return (.noon, [:])
    }
    for byte in 1...200 as ClosedRange<UInt8> {
      lab.ask(TestPlayer("Nobody", keyByte: byte).body(.whoAmI))
    }
    try lab.step()
    #expect(questions == [200])
    #expect(try refusals() == Array(repeating: "notRegistered", count: 200))
  }

  @Test("Service information costs nobody anything, and the store is asked once a second")
  func serviceInfo() throws {
    var questions = 0
    lab.store.registrationNeedsCode.answer {
      questions += 1
      return false
    }
    lab.store.dailyResults.answer { _, asker, limit in Ranking(all: [], asker: asker, limit: limit)
    }
    for _ in 0..<3 {
      for _ in 0..<50 { lab.ask(.serviceInfo) }
      try lab.step()
      #expect(try refusals() == Array(repeating: nil, count: 50))
      lab.clock.pass(.milliseconds(400))
    }
    #expect(questions == 1)
    lab.clock.pass(.milliseconds(400))
    lab.ask(.serviceInfo)
    try lab.step()
    #expect(questions == 2)
  }

  @Test("A player is forgotten once the bucket is full again")
  func memory() {
    var budgets = QueryBudgets(queriesPerMinute: 60)
    for number in 0..<10 as Range<UInt128> {
      let seconds = budgets.charge(
        1, to: PlayerID(rawValue: number), at: UInt64(number) * 60_000_000_000, memory: 1)
      #expect(seconds == nil)
    }
    #expect(budgets.count <= 2)
  }
}
