import FoundationEssentials
import MatchCore
import Testing

@testable import MatchWire

@Suite("The page about the protocol")
struct ProtocolPageTests {
  static let page: String = {
    let path = #filePath.replacing(
      "Tests/MatchWireTests/ProtocolPageTests.swift", with: "docs/protocol.md")
    let data = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }()

  @Test("Every example is just what this build reads and writes")
  func examples() throws {
    let examples = ProtocolPageTests.page.split(separator: "\n").filter { $0.hasPrefix("{\"v\":1") }
    #expect(examples.count == 10)
    for example in examples {
      #expect(try rewritten(String(example)) == example)
    }
  }

  @Test("The slots in its table are those of this build")
  func slots() throws {
    var count = 0
    for line in ProtocolPageTests.page.split(separator: "\n") {
      let cells = line.split(separator: "|").map { $0.filter { $0 != " " && $0 != "`" } }
      guard cells.count == 2, let id = MatchID(cells[0]) else { continue }
      #expect(Slot(of: id).routingKey == cells[1])
      count += 1
    }
    #expect(count == 4)
  }

  private func rewritten(_ example: String) throws -> String {
    let object = try JSONReader.object(of: bytes(example))
    if object["event"] != nil {
      let (event, reply) = try ReplyCodec.decode(bytes(example))
      switch reply {
      case .accepted(let acceptance):
        return text(ReplyCodec.encode(.accepted(acceptance), event: event))
      case .refused(_, _, let refusal):
        return text(ReplyCodec.encode(.refused(try #require(refusal)), event: event))
      }
    }
    if object["query"] != nil {
      let (query, answer) = try AnswerCodec.decode(bytes(example), as: PlayerView.self)
      guard case .refused(_, _, let refusal) = answer else { return "" }
      return text(AnswerCodec.encode(refusal: try #require(refusal), query: query))
    }
    if let query = try? QueryCodec.decode(bytes(example)) { return text(QueryCodec.encode(query)) }
    switch try PayloadCodec.decodeContent(bytes(example)) {
    case .event(let event): return text(PayloadCodec.encode(event))
    case .statement(let decoded):
      return text(
        PayloadCodec.encode(decoded.statement, match: decoded.match, service: decoded.service))
    }
  }
}
