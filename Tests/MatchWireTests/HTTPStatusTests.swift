import MatchCore
import Testing

@testable import MatchWire

@Suite("The status of HTTP")
struct HTTPStatusTests {
  static let events = ReplyTests.refusals.map(\.0)
  static let queries = QueryTests.refusals.map(\.0)

  @Test("A name that events and queries have has one status")
  func names() {
    let statuses = Dictionary(
      Self.events.map { ($0.name, $0.httpStatus) }, uniquingKeysWith: { first, _ in first })
    for refusal in Self.queries {
      if let status = statuses[refusal.name] { #expect(status == refusal.httpStatus) }
    }
  }

  @Test("The page has each refusal under its status, and marks those that are never stored")
  func page() throws {
    let lines = ProtocolPageTests.page.split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("| status | refusals") })
    var onPage: [String: Int] = [:]
    var neverStored: Set<String> = []
    for row in lines[(start + 2)...].prefix(while: { $0.hasPrefix("|") }) {
      let cells = row.split(separator: "|").map { $0.trimmingPrefix { $0 == " " } }
      let status = try #require(Int(cells[0].filter(\.isNumber)))
      for match in cells[1].matches(of: /`(\w+)`(°?)/) {
        #expect(onPage.updateValue(status, forKey: String(match.1)) == nil, "\(match.1)")
        if !match.2.isEmpty { neverStored.insert(String(match.1)) }
      }
    }
    var inCode = Dictionary(
      Self.events.map { ($0.name, $0.httpStatus) }, uniquingKeysWith: { first, _ in first })
    for refusal in Self.queries { inCode[refusal.name] = refusal.httpStatus }
    #expect(onPage == inCode)
    #expect(neverStored == Set(Self.events.filter { !$0.isEverStored }.map(\.name)))
  }

  @Test("The status of bytes is that of the reply or answer in them")
  func bytes() {
    let event = EventID(rawValue: 5)
    #expect(HTTPStatus.ofReply(ReplyCodec.encode(.accepted(.noted), event: event)).status == 200)
    for refusal in Self.events {
      let result = HTTPStatus.ofReply(ReplyCodec.encode(.refused(refusal), event: event))
      #expect(result.status == refusal.httpStatus && result.refusal == refusal.name)
    }
    let answer = AnswerCodec.encode(RecordAnswer(record: "x"), query: event)
    #expect(HTTPStatus.ofAnswer(answer).status == 200)
    for refusal in Self.queries {
      let result = HTTPStatus.ofAnswer(AnswerCodec.encode(refusal: refusal, query: nil))
      #expect(result.status == refusal.httpStatus && result.refusal == refusal.name)
    }
    let limited = Refusal.rateLimited(.eventsPerMinute, retryAfterSeconds: 7)
    #expect(
      HTTPStatus.ofReply(ReplyCodec.encode(.refused(limited), event: nil))
        == .init(status: 429, retryAfter: 7, refusal: "rateLimited"))
    let later = Array(
      "{\"v\":1,\"event\":null,\"refused\":{\"name\":\"fromLater\",\"values\":{},\"message\":\"x\"}}"
        .utf8)
    #expect(HTTPStatus.ofReply(later).status == HTTPStatus.unknownRefusal)
  }
}
