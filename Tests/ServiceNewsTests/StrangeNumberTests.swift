import CubePlay
import MatchCore
import MatchWire
import ServiceNews
import Testing

/// Answers may come from anybody who pretends to be the service.
@Suite("Numbers that no service sends")
struct StrangeNumberTests {
  /// Each answer with another number in the place of each of its numbers, one at a time.
  private func strange<Value: Codable & Sendable>(_ value: Value) throws -> [Value] {
    let bytes = AnswerCodec.encode(value, query: nil)
    let answer = try JSONReader.value(of: bytes, limits: .answer)
    let limit = JSONReader.largestInteger
    let answers = [-limit, -1, 0, 1, 7, limit].flatMap { variants(of: answer, with: $0) }
    var values: [Value] = []
    for answer in answers {
      let read = try? AnswerCodec.decode(answer.serialized, as: Value.self).answer
      if case .ok(let value)? = read { values.append(value) }
    }
    #expect(!values.isEmpty)
    return values
  }

  private func variants(of value: JSON, with number: Int64) -> [JSON] {
    switch value {
    case .integer: return [.integer(number)]
    case .array(var values):
      var variants: [JSON] = []
      for (index, part) in values.enumerated() {
        for variant in self.variants(of: part, with: number) {
          values[index] = variant
          variants.append(.array(values))
        }
        values[index] = part
      }
      return variants
    case .object(var object):
      var variants: [JSON] = []
      for (index, part) in object.members.enumerated() {
        for variant in self.variants(of: part.value, with: number) {
          object.members[index].value = variant
          variants.append(.object(object))
        }
        object.members[index] = part
      }
      return variants
    default: return []
    }
  }

  @Test("A match is shown or refused")
  func match() throws {
    var view = try Made.view(Made.match(1))
    view.rematchOfferBy = 1
    var ended = view
    ended.outcome = Outcome(reason: .forfeited, seat: 1, results: [.won, .lost])
    for view in try strange(view) + strange(ended) {
      for player in [Made.ada, Made.grace, PlayerID(rawValue: 9)] {
        guard let news = try? MatchNews(view, for: player, now: Made.now, words: nil) else {
          continue
        }
        #expect(news.lines.count == 1)
        _ = view.secondsAfterTurn(Made.now)
      }
    }
  }

  @Test("The home list is shown")
  func home() throws {
    var home = Made.home(
      [Made.summary(Made.match(1)), Made.summary(Made.match(3), kind: .solo, opponent: nil)],
      invitations: [Made.summary(Made.match(4))], offers: [Made.offer(Made.match(5))])
    (home.matches[1].deadline, home.moreMatches, home.moreInvitations) = (nil, 2, 1)
    for home in try strange(home) {
      let list = HomeList(home, name: nil, now: Made.now)
      #expect(list.rows.count == 5)
      #expect(list.more != nil)
    }
  }

  @Test("A list of results is shown")
  func boards() throws {
    let status = DailyStatus(
      daily: Made.daily, isDealt: true, endsAt: Made.now, match: nil, isOver: false, points: nil)
    for status in try strange(status) {
      #expect(BoardNews(status, nil, for: Made.ada, now: Made.now).rows.isEmpty)
    }
    for standings in try strange(Standings(daily: Made.daily, Made.ranking())) {
      #expect(BoardNews(status, standings, for: Made.ada, now: Made.now).rows.count == 2)
    }
  }
}
