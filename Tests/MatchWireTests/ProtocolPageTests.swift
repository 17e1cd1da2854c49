import FoundationEssentials
import Testing

@testable import MatchCore
@testable import MatchWire

@Suite("The page about the protocol")
struct ProtocolPageTests {
  static let page: String = {
    let path = #filePath.replacing(
      "Tests/MatchWireTests/ProtocolPageTests.swift", with: "docs/protocol.md")
    let data = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }()

  @Test("This build reads and writes every example exactly")
  func examples() throws {
    let examples = ProtocolPageTests.page.split(separator: "\n").filter { $0.hasPrefix("{\"v\":1") }
    #expect(examples.count == 14)
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

  @Test("The table of events has each type with its fields and its sender")
  func events() throws {
    let lines = ProtocolPageTests.page.split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("| type | fields beside") })
    let rows = lines[(start + 2)...].prefix { $0.hasPrefix("|") }
      .map { $0.split(separator: "|").map { $0.trimmingPrefix { $0 == " " } } }
    var named = Set(rows.flatMap { $0[0].split(separator: "`").filter { $0.first != "," } })
      .filter { $0.allSatisfy(\.isLetter) }
    for action in PayloadTests.events.map(\.0) {
      let name = action.typeName
      let row = try #require(rows.first { $0[0].contains("`\(name)`") }, "\(name)")
      #expect(row[0].contains("(the service") == (action.sender == .service), "\(name)")
      for (field, value) in action.fields where value != nil {
        #expect(row[1].contains("`\(field)`"), "\(name) has \(field)")
      }
      named.remove(Substring(name))
    }
    #expect(named.isEmpty, "events without an example: \(named)")
  }

  @Test("The table of push jobs that are compared has each kind once")
  func jobs() throws {
    let lines = ProtocolPageTests.page.split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("| kind | named if it is missing") })
    let kinds = lines[(start + 2)...].prefix { $0.hasPrefix("|") }.flatMap { row in
      row.split(separator: "|")[0].split(separator: "`").filter { $0.allSatisfy(\.isLetter) }
    }
    #expect(kinds.map(String.init).sorted() == PushJob.Kind.allCases.map(\.rawValue).sorted())
  }

  @Test("The table of queries has each type with its fields, its cost and its permitted askers")
  func queries() throws {
    let lines = ProtocolPageTests.page.split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("| type | field | counts as") })
    let rows = lines[(start + 2)...].prefix { $0.hasPrefix("|") }
      .map { $0.split(separator: "|").map { $0.trimmingPrefix { $0 == " " } } }
    #expect(rows.count == Query.Kind.types.count)
    for type in Query.Kind.types {
      let row = try #require(rows.first { $0[0].hasPrefix("`\(type.name)` ") }, "\(type.name)")
      let askers =
        switch type.askers {
        case .players: ""
        case .strangers: "(any key) "
        case .anybody: "(any key, any time) "
        }
      #expect(row[0] == "`\(type.name)` \(askers)")
      #expect(Int(row[2].filter { $0 != " " }) == type.cost, "\(type.name)")
      let examples = QueryTests.kinds.map(\.0).filter { $0.name == type.name }
      #expect(!examples.isEmpty)
      for (field, _) in examples.flatMap(\.coded.fields) {
        #expect(row[1].contains("`\(field)`"), "\(type.name) has \(field)")
      }
    }
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
    if let decoded = try? PayloadCodec.decodeRecovery(bytes(example)) {
      return text(PayloadCodec.encode(decoded.statement, service: decoded.service))
    }
    switch try PayloadCodec.decodeContent(bytes(example)) {
    case .event(let event): return text(PayloadCodec.encode(event))
    case .statement(let decoded):
      return text(
        PayloadCodec.encode(decoded.statement, match: decoded.match, service: decoded.service))
    }
  }
}
