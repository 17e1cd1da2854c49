import FoundationEssentials
import MatchCore

@testable import MatchWire

extension FuzzTarget {
  static let jsonTargets = [
    FuzzTarget(name: "json", run: json), FuzzTarget(name: "payload", run: payload),
    FuzzTarget(name: "query", run: query), FuzzTarget(name: "reply", run: reply),
    FuzzTarget(name: "answer", run: answer), FuzzTarget(name: "push", run: push),
    FuzzTarget(name: "gateway", run: gateway),
  ]

  /// A value is read as it is written, and another reader of JSON sees the same in the same bytes.
  @Sendable private static func json(_ bytes: [UInt8]) throws {
    guard let value = try attempt({ try JSONReader.value(of: bytes) }) else { return }
    let again = try JSONReader.value(of: value.serialized)
    try hold(again == value, "\(again) was read, \(value) written")
    let other = try? JSONDecoder().decode(OtherJSON.self, from: Data(bytes))
    try hold(other?.agrees(with: value) == true, "\(value) is \(other as Any) to Foundation")
  }

  @Sendable private static func payload(_ bytes: [UInt8]) throws {
    _ = PayloadCodec.eventID(of: bytes)
    let event = try attempt { try PayloadCodec.decodeEvent(bytes) }
    if let event {
      let encoded = PayloadCodec.encode(event)
      try hold(encoded.count <= bytes.count, "the one form of \(event) is not the shortest")
      try hold(try PayloadCodec.decodeEvent(encoded) == event, "\(event) is encoded otherwise")
      try hold(PayloadCodec.eventID(of: bytes) == event.id, "the id of \(event) is another")
      _ = Slot(of: event)
    }
    let decoded = try attempt { try PayloadCodec.decodeStatement(bytes) }
    if let decoded {
      let encoded = PayloadCodec.encode(
        decoded.statement, match: decoded.match, service: decoded.service)
      try hold(encoded.count <= bytes.count, "the one form of \(decoded) is not the shortest")
      try hold(try PayloadCodec.decodeStatement(encoded) == decoded, "\(decoded) changes")
    }
    if let recovery = try attempt({ try PayloadCodec.decodeRecovery(bytes) }) {
      let encoded = PayloadCodec.encode(recovery.statement, service: recovery.service)
      try hold(encoded.count <= bytes.count, "the one form of \(recovery) is not the shortest")
      try hold(try PayloadCodec.decodeRecovery(encoded) == recovery, "\(recovery) changes")
      try hold(decoded == nil, "\(recovery) is about a match, too")
    }
    switch try attempt({ try PayloadCodec.decodeContent(bytes) }) {
    case .event(let content): try hold(content == event, "an entry's \(content) is no event")
    case .statement(let content): try hold(content == decoded, "an entry's \(content) is none")
    case nil: break
    }
  }

  @Sendable private static func query(_ bytes: [UInt8]) throws {
    guard let query = try attempt({ try QueryCodec.decode(bytes) }) else { return }
    let again = try QueryCodec.decode(QueryCodec.encode(query))
    try hold(again == query, "\(query) is encoded as \(again)")
    _ = query.isValid(at: Instant(microseconds: .max))
  }

  @Sendable private static func reply(_ bytes: [UInt8]) throws {
    guard let decoded = try attempt({ try ReplyCodec.decode(bytes) }) else { return }
    let reply: Reply
    switch decoded.reply {
    case .accepted(let acceptance): reply = .accepted(acceptance)
    case .refused(let name, _, let refusal):
      guard let refusal else { return }
      try hold(refusal.name == name, "\(refusal) is not named \(name)")
      reply = .refused(refusal)
    }
    let again = try ReplyCodec.decode(ReplyCodec.encode(reply, event: decoded.event))
    try hold(again.event == decoded.event, "another event is answered")
    switch (again.reply, reply) {
    case (.accepted(let left), .accepted(let right)):
      try hold(left == right, "\(right) is encoded as \(left)")
    case (.refused(_, _, let left), .refused(let right)):
      try hold(left == right, "\(right) is encoded as \(left as Any)")
    default: throw BrokenProperty(description: "a reply becomes its contrary")
    }
  }

  @Sendable private static func answer(_ bytes: [UInt8]) throws {
    for type in Query.Kind.types { try answer(bytes, to: type) }
  }

  private static func answer<Payload: CodedQueryPayload>(
    _ bytes: [UInt8], to _: Payload.Type
  ) throws {
    let decoded = try attempt { try AnswerCodec.decode(bytes, as: Payload.Answer.self) }
    guard let decoded else { return }
    switch decoded.answer {
    case .ok(let view):
      let encoded = AnswerCodec.encode(view, query: decoded.query)
      let again = try AnswerCodec.decode(encoded, as: Payload.Answer.self).answer
      guard case .ok(let again) = again else {
        throw BrokenProperty(description: "\(view) is encoded as a refusal")
      }
      try hold(again == view, "\(view) is encoded as \(again)")
      if let view = view as? MatchView { _ = try attempt { try view.game() } }
    case .refused(let name, _, let refusal?):
      try hold(refusal.name == name, "\(refusal) is not named \(name)")
      _ = refusal.message
    case .refused(_, _, nil): break
    }
  }

  @Sendable private static func gateway(_ bytes: [UInt8]) throws {
    if let question = try attempt({ try GatewayQuery(bytes) }) {
      try hold(try GatewayQuery(question.encoded) == question, "\(question) changes")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    for parent in [nil, text] {
      guard let trace = RequestTrace(requestID: text, parent: parent) else { continue }
      let again = RequestTrace(requestID: trace.requestID, parent: trace.parent)
      try hold(again == trace, "\(trace) changes")
    }
    if let trace = RequestTrace(requestID: "x", parent: text), let id = trace.traceID {
      try hold(id.utf8.count == 32, "\(id) is no id of a trace")
    }
    let answer = try attempt { try AnswerCodec.decode(bytes, as: GatewayOverviews.self) }
    if let answer, case .ok(let overviews) = answer.answer {
      let again = try AnswerCodec.decode(
        AnswerCodec.encode(overviews, query: answer.query), as: GatewayOverviews.self)
      guard case .ok(overviews) = again.answer else {
        throw BrokenProperty(description: "\(overviews) changes")
      }
    }
  }

  @Sendable private static func push(_ bytes: [UInt8]) throws {
    if let job = try attempt({ try PushJobCodec.decode(bytes) }) {
      try hold(try PushJobCodec.decode(PushJobCodec.encode(job)) == job, "\(job) changes")
    }
    let parts = PushJobMessage.parts(of: bytes)
    try hold(!parts.isEmpty, "a message without a part")
    let jobs = parts.compactMap(\.job)
    let again = PushJobMessage.messages(of: jobs).flatMap { PushJobMessage.parts(of: $0.body) }
    try hold(again.map(\.job) == jobs, "\(jobs) change")
    if let notice = OutcomeNotice(bytes) {
      try hold(OutcomeNotice(notice.encoded) == notice, "\(notice) changes")
    }
  }
}

/// JSON as Foundation reads it.
private indirect enum OtherJSON: Decodable {
  case null
  case bool(Bool)
  case string(String)
  case array([OtherJSON])
  case object([String: OtherJSON])
  case integer(Int64)
  /// A number that is none of ours to look at.
  case number

  init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: Key.self) {
      self = .object(
        try Dictionary(
          members.allKeys.map { ($0.stringValue, try members.decode(OtherJSON.self, forKey: $0)) },
          uniquingKeysWith: { $1 }))
      return
    }
    if var elements = try? decoder.unkeyedContainer() {
      var array: [OtherJSON] = []
      while !elements.isAtEnd { array.append(try elements.decode(OtherJSON.self)) }
      self = .array(array)
      return
    }
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let text = try? value.decode(String.self) {
      self = .string(text)
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let integer = try? value.decode(Int64.self) {
      self = .integer(integer)
    } else {
      self = .number
    }
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  func agrees(with value: JSON) -> Bool {
    switch (self, value) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.integer(let left), .integer(let right)): left == right
    case (.number, .fraction), (.integer, .fraction): true
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.agrees(with: $1) }
    case (.object(let left), .object(let right)):
      left.count == right.members.count
        && right.members.allSatisfy { left[$0.key]?.agrees(with: $0.value) == true }
    default: false
    }
  }
}
