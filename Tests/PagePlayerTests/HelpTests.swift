import MatchCore
import MatchWire
import Testing

@testable import PagePlayer

@Suite("The number that operators need")
struct HelpTests {
  private var service: Service

  init() throws {
    service = try Service.named()
    try service.list()
  }

  private static func isNamed(_ id: EventID, in service: Service) -> Bool {
    service.text.contains(#""help":"If you ask for help, give this number: \#(id)""#)
  }

  private mutating func begin() throws -> EventID {
    try service.act("menu new", "pick alone")
    return try service.event().id
  }

  @Test("It is that of an event whose answer takes long, until the answer comes")
  mutating func event() throws {
    let id = try begin()
    #expect(!service.text.contains("ask for help"))
    try service.delay()
    #expect(Self.isNamed(id, in: service))
    try service.reply(.refused(.rateLimited(.runningMatches, retryAfterSeconds: nil)))
    #expect(!service.text.contains("ask for help"))
  }

  @Test("A player without a name has it, too")
  mutating func registration() throws {
    service = try Service()
    try service.meet()
    try service.act("name ada", "code ABCD1234", "register")
    let id = try service.event().id
    try service.delay()
    #expect(Self.isNamed(id, in: service))
  }

  @Test("It is that of a message that the service failed to answer, until it answers something")
  mutating func failure() throws {
    try service.act("menu inbox")
    let query = try service.take { $0.query == .inbox }
    service.page.lost(query.id, isFailure: true)
    service.keepTimers()
    #expect(Self.isNamed(query.id, in: service))
    try service.pass("search")
    try service.list()
    #expect(!service.text.contains("ask for help"))

    let again = try service.take { $0.query == .inbox }
    service.hear(AnswerCodec.encode(refusal: .unavailable, query: again.id))
    #expect(Self.isNamed(again.id, in: service))

    let event = try begin()
    service.hear(ReplyCodec.encode(.refused(.unavailable), event: event))
    #expect(Self.isNamed(event, in: service))
  }

  @Test("A service that is not reached has seen no message, and a player who has to wait no fault")
  mutating func noFailure() throws {
    try service.act("menu inbox")
    try service.lose(.inbox)
    #expect(!service.text.contains("ask for help"))
    try service.pass("search")
    try service.refuse(.matches, .rateLimited(retryAfterSeconds: 20))
    let event = try begin()
    let wait = Refusal.rateLimited(.eventsPerMinute, retryAfterSeconds: 20)
    service.hear(ReplyCodec.encode(.refused(wait), event: event))
    #expect(!service.text.contains("ask for help"))
  }

  @Test("A refusal that this build does not know names it")
  mutating func unknown() throws {
    let refused = #""refused":{"message":"The shop is shut.","name":"shopShut","values":{}}}"#
    func text(_ id: EventID) -> String {
      "The shop is shut. If you ask for help, give this number: \(id)"
    }
    let event = try begin()
    service.hear(Array(#"{"v":1,"event":"\#(event)",\#(refused)"#.utf8))
    #expect(service.text.contains(text(event)))

    try service.act("leave", "menu inbox")
    let query = try service.take { $0.query == .inbox }
    service.hear(Array(#"{"v":1,"query":"\#(query.id)",\#(refused)"#.utf8))
    #expect(service.text.contains(text(query.id)))
  }
}
