import CubeLexicon
import CubePlay
import CubistPage
import MatchCore
import MatchWire
import ServiceNews
import Testing

@testable import PagePlayer

@Suite("Records on the page")
struct RecordDeskTests {
  private var service: Service
  private let rootKey: PublicKey

  init() throws {
    let document = try Records.document()
    rootKey = document.rootKey
    service = try Service(
      kept: " \(document.service) \(document.rootKey) ada", words: .everyWord)
    try service.meet { [rootKey] in $0.replacing(Spoken.rootKey, with: "\(rootKey)") }
  }

  private var text: String {
    get throws {
      let text = service.text
      return String(
        try #require(text.firstRange(of: #""record":{"#).map { text[$0.lowerBound...] }))
    }
  }

  /// Opens a match that is over.
  private mutating func open(_ change: (inout MatchView) -> Void = { _ in }) throws {
    let id = try Records.document().match
    try service.list([service.summary(id)])
    try service.act("row 0")
    var view = try ended()
    change(&view)
    try service.show(view, asked: id)
  }

  /// The match of the record, as the service shows it.
  private func ended() throws -> MatchView {
    let document = try Records.document()
    var view = try service.ended()
    (view.id, view.outcome) = (document.match, document.outcome)
    for seat in view.seats.indices { view.seats[seat].points = document.points[seat] }
    return view
  }

  private var question: Query.Kind {
    get throws { .record(Query.Record(try Records.document().match, part: 1)) }
  }

  private var answer: RecordAnswer {
    RecordAnswer(record: String(decoding: Records.bytes, as: UTF8.self))
  }

  /// Checks the signatures as a browser does.
  private func browse() throws {
    let bytes = try #require(service.page.takeSignatures())
    let number = bytes[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
    let valid = Records.valid(Array(bytes.dropFirst(4)))
    service.page.hear(verdicts: valid.map { $0 ? 1 : 0 }, of: number)
  }

  @Test("A match that is over is checked, with the root key that the page knows")
  mutating func checking() throws {
    try open()
    try service.act("check")
    #expect(try text.contains(#""stage":"asked""#))
    try service.act("check")
    try service.answer(try question, answer)
    #expect(try service.asked().contains(try question) == false)
    #expect(try text.contains(#""stage":"checking""#))
    try browse()
    #expect(try text.contains(#""isVerified":true"#))
    #expect(try text.contains("The root key is the one that this browser knows."))
    #expect(service.page.takeSignatures() == nil)
    // It is here now, and is checked again without a question.
    try service.act("check")
    #expect(try service.asked().contains(try question) == false)
    try browse()
    #expect(service.page.takeRecord() == nil)
  }

  @Test("The record is saved as it came, once for each wish")
  mutating func saving() throws {
    try open()
    try service.act("record")
    try service.answer(try question, answer)
    let saved = try #require(service.page.takeRecord())
    let name = "cubist-\(try Records.document().match.description.suffix(8)).json"
    #expect(saved.name == name && saved.bytes == Records.bytes)
    #expect(service.page.takeRecord() == nil && service.page.takeSignatures() == nil)
    try service.act("record")
    #expect(service.page.takeRecord()?.bytes == Records.bytes)
  }

  @Test("The parts of a large record are asked for one after another, and saved as one")
  mutating func parts() throws {
    try open()
    let match = try Records.document().match
    func kind(_ part: Int) -> Query.Kind { .record(Query.Record(match, part: part)) }
    try service.act("record")
    let whole = String(repeating: "x", count: RecordPart.byteCount)
    try service.answer(kind(1), RecordAnswer(record: whole))
    #expect(service.page.takeRecord() == nil)
    #expect(try text.contains(#""stage":"asked""#))
    try service.answer(kind(2), RecordAnswer(record: whole))
    // After a refusal it goes on with the part that is missing.
    try service.refuse(kind(3), .matchNotOver)
    #expect(try text.contains(#""stage":"refused""#))
    try service.act("record")
    try service.answer(kind(3), RecordAnswer(record: "y"))
    #expect(try service.asked().contains(kind(4)) == false)
    // It does not hold, as if it had changed between two parts: once, all of it is asked for anew.
    #expect(service.page.takeRecord() == nil)
    #expect(try text.contains(#""stage":"asked""#))
    try service.answer(kind(1), RecordAnswer(record: whole))
    try service.answer(kind(2), RecordAnswer(record: "z"))
    #expect(try service.asked().contains(kind(1)) == false)
    #expect(service.page.takeRecord()?.bytes == Array((whole + "z").utf8))
  }

  @Test("A record that changed between two parts is asked for anew, and no false verdict is told")
  mutating func changed() throws {
    try open()
    let match = try Records.document().match
    func kind(_ part: Int) -> Query.Kind { .record(Query.Record(match, part: part)) }
    // Blanks before a value change nothing, and make two parts of a small record.
    let record = String(decoding: Records.bytes, as: UTF8.self)
    let blanks = String(repeating: " ", count: RecordPart.byteCount)
    let whole = "\(record.prefix(1))\(blanks)\(record.dropFirst())"
    let first = String(whole.prefix(RecordPart.byteCount))
    let last = String(whole.dropFirst(RecordPart.byteCount))
    try service.act("check")
    try service.answer(kind(1), RecordAnswer(record: first))
    try service.answer(kind(2), RecordAnswer(record: String(last.dropFirst(40))))
    #expect(try text.contains(#""stage":"asked""#))
    try service.answer(kind(1), RecordAnswer(record: first))
    try service.answer(kind(2), RecordAnswer(record: last))
    try browse()
    #expect(try text.contains(#""isVerified":true"#))
    #expect(try service.asked().contains(kind(1)) == false)
  }

  @Test("A game that somebody shared is checked by its code")
  mutating func shared() throws {
    try service.list()
    let code = try #require(ShareCode("M4QX7ZKP2RTA"))
    service.page.act(.home(.granted(MatchKey(code))))
    try service.answer(.matchByCode(Query.MatchByCode(code)), ended())
    try service.act("check")
    try service.answer(.recordByCode(Query.RecordByCode(code, part: 1)), answer)
    try browse()
    #expect(try text.contains(#""isVerified":true"#))
  }

  @Test("A record that holds is none of the shown match where match, points, end or service differ")
  mutating func other() throws {
    let changes: [(String, (inout MatchView) -> Void)] = [
      ("another match", { $0.id = MatchID(rawValue: 5) }),
      ("a match with another end than the one shown", { $0.seats[0].points += 1 }),
      ("a match with another end than the one shown", { $0.outcome = nil }),
    ]
    let document = try Records.document()
    let pin = Account.Pin(service: document.service, rootKey: rootKey)
    for (text, change) in changes {
      var view = try ended()
      change(&view)
      let review = try RecordReview(Records.bytes, words: .everyWord, known: pin)
      #expect(review.difference(from: view, at: pin) == text)
    }
    let review = try RecordReview(Records.bytes, words: .everyWord, known: pin)
    #expect(review.difference(from: try ended(), at: pin) == nil)
    let elsewhere = Account.Pin(service: ServiceID(rawValue: 1), rootKey: rootKey)
    for known in [elsewhere, nil] {
      let text = "a match of another service"
      #expect(review.difference(from: try ended(), at: known) == text)
    }
    // On the page, where the service answers with another record.
    try open { $0.seats[1].points += 1 }
    try service.act("check")
    try service.answer(try question, answer)
    #expect(try text.contains("What the service sent is the record of a match with another end"))
    #expect(service.page.takeSignatures() == nil)
  }

  @Test("A match that is not over has nothing to be checked")
  mutating func running() throws {
    try service.openMatch()
    try service.act("check", "record")
    #expect(try service.asked().contains(try question) == false)
    #expect(!service.text.contains(#""record":{"#))
  }

  @Test("A refusal, a silent service and an answer that cannot be read are told")
  mutating func failing() throws {
    try open()
    try service.act("check")
    try service.refuse(try question, .matchNotOver)
    #expect(try text.contains(QueryRefusal.matchNotOver.message))
    #expect(!service.text.contains(#""trouble":{"#))
    try service.act("check")
    #expect(try text.contains(#""stage":"asked""#))
    try service.lose(try question)
    #expect(try text.contains("The service cannot be reached."))
    #expect(service.page.app.connection == .lost)
    try service.act("record")
    let sent = try service.take { [question = try question] in $0.query == question }
    service.hear(Array(#"{"v":1,"query":"\#(sent.id)","ok":{"record":7}}"#.utf8))
    #expect(try text.contains(#""stage":"refused""#))
    try service.act("check")
    try service.answer(try question, RecordAnswer(record: "nonsense"))
    #expect(try text.contains("What the service sent is not a Cubist record: not JSON."))
  }

  @Test("An answer about another match, and verdicts of an earlier check, are late")
  mutating func late() throws {
    try open()
    try service.act("check")
    let sent = try service.take { [question = try question] in $0.query == question }
    try service.act("leave")
    #expect(!service.text.contains(#""record":{"#))
    service.hear(AnswerCodec.encode(answer, query: sent.id))
    #expect(!service.text.contains(#""record":{"#))
    #expect(service.page.takeSignatures() == nil)
    try service.act("menu games")
    for _ in 0..<2 {
      service.page.check(file: Records.bytes, size: Int64(Records.bytes.count), named: "a.json")
    }
    service.page.hear(verdicts: [], of: 1)
    #expect(try text.contains(#""stage":"checking""#))
    service.page.hear(verdicts: [], of: 2)
    #expect(try text.contains("The signatures are not checked"))
  }

  @Test("A file is checked on the list of past games, and forgotten when that is left")
  mutating func file() throws {
    service.page.check(file: Records.bytes, size: Int64(Records.bytes.count), named: "a.json")
    #expect(!service.text.contains(#""record":{"#))
    try service.act("menu games")
    service.page.check(file: Records.bytes, size: Int64(Records.bytes.count), named: "a.json")
    #expect(try text.contains(#""file":"a.json","stage":"checking""#))
    try browse()
    #expect(try text.contains(#""isVerified":true"#))
    #expect(service.page.takeRecord() == nil)
    let forged = try Records.tampered()
    service.page.check(file: forged, size: Int64(forged.count), named: "a.json")
    try browse()
    #expect(try text.contains("Entry 9 does not hold: its signature is not its key's."))
    try service.act("leave")
    #expect(!service.text.contains(#""record":{"#))
  }

  @Test("Somebody without a name checks a file on the list, until it is left or a name is taken")
  mutating func nameless() throws {
    let document = try Records.document()
    service = try Service(kept: " \(document.service) \(document.rootKey)", words: .everyWord)
    try service.meet { [rootKey] in $0.replacing(Spoken.rootKey, with: "\(rootKey)") }
    let size = Int64(Records.bytes.count)
    service.page.check(file: Records.bytes, size: size, named: "a.json")
    try browse()
    #expect(try text.contains(#""isVerified":true"#))
    try service.act("second", "name ada")
    #expect(try text.contains(#""file":"a.json""#))
    try service.act("menu new")
    #expect(!service.text.contains(#""record":{"#))
    service.page.check(file: Records.bytes, size: size, named: "a.json")
    #expect(!service.text.contains(#""record":{"#))
  }

  @Test(
    "A file of any size and any bytes is refused by name",
    arguments: [
      (Int64.max, [UInt8]()), (Int64(RecordReview.byteLimit) + 1, [1]), (-1, []), (0, []),
      (5, [0, 1]), (3, [0xff, 0x22, 0]), (2, Array("{}".utf8)),
    ] as [(Int64, [UInt8])])
  mutating func hostile(size: Int64, bytes: [UInt8]) throws {
    try service.act("menu games")
    service.page.check(file: bytes, size: size, named: "a \"b\".json")
    #expect(try text.contains(#""stage":"refused","text":"a \"b\".json"#))
    #expect(service.page.takeSignatures() == nil)
  }
}
