import HTTPServer
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

extension Responder {
  /// The seconds that a request waits for an answer. It takes a place for the standard ones at least: one
  /// that asks for fewer has its answer made all the same.
  enum Waiting {
    static let event = (standard: 10, most: 25)
    static let query = (standard: 25, most: 30)
  }

  /// Why the service is not known.
  var missing: Problem { gateway.desk.isConnected ? .notReady : .brokerUnreachable }

  // MARK: Events

  func event(_ body: [UInt8], _ exchange: Exchange) async throws(Problem) -> HTTPResponse {
    guard let service = gateway.service.service else { throw missing }
    let content = EventReading.read(body, service: service, verifier: gateway.verifier) { event in
      event.isFromService ? .notPermitted : nil
    }
    let received: ReceivedEvent
    switch content {
    case .refused(let refusal, let event):
      if let event { exchange.event.remember(event) }
      gateway.meters.refused(refusal.name)
      return reply(ReplyCodec.encode(.refused(refusal), event: event))
    case .event(let event): received = event
    }
    exchange.event.remember(received.event.id)
    guard let slot = Slot(of: received.event) else { throw .notFound }
    try limited { () throws(Wall.Refusal) in
      try gateway.wall.request(signedBy: received.signed.key, from: exchange.address)
      if case .playerRegistered(let new) = received.event.action {
        // A player with a code is not counted.
        let hourly = new.code == nil ? gateway.service.registrationsPerHour : nil
        try gateway.wall.registration(
          of: received.event.player, received.event.id, from: exchange.address, hourly: hourly)
      }
    }
    let wait = wait(exchange, Waiting.event)
    let sentAt = gateway.clock.uptimeNanoseconds()
    let fate = try await ask(
      body, .events(slot), wait.seconds, standard: Waiting.event.standard, exchange)
    var response: HTTPResponse
    switch fate {
    case .reply(let bytes):
      gateway.meters.replied(nanoseconds: gateway.clock.uptimeNanoseconds() &- sentAt)
      noteRegistration(received.event, bytes)
      response = reply(bytes)
    case .unanswered(let isConfirmed):
      let state = isConfirmed ? "confirmed" : "unknown"
      response = HTTPResponse(status: 202, body: Array("{\"pending\":\"\(state)\"}".utf8))
      response.fields = [("Retry-After", "1"), ("Cache-Control", "no-store")]
    case .unsent: throw Problem(fate)
    }
    if wait.isAsked { response.fields.append(("Preference-Applied", "wait=\(wait.seconds)")) }
    return response
  }

  /// A registration that the service refuses takes nobody's part of the hour.
  private func noteRegistration(_ event: Event, _ reply: [UInt8]) {
    guard case .playerRegistered = event.action,
      case .refused? = try? ReplyCodec.decode(reply).reply
    else { return }
    gateway.wall.refused(registration: event.id, of: event.player)
  }

  private func reply(_ bytes: [UInt8]) -> HTTPResponse {
    response(bytes, HTTPStatus.ofReply(bytes))
  }

  private func response(_ bytes: [UInt8], _ result: HTTPStatus.Result) -> HTTPResponse {
    var response = HTTPResponse(status: result.status, body: bytes)
    response.fields = [("Cache-Control", "no-store")]
    if let seconds = result.retryAfter { response.fields.append(("Retry-After", "\(seconds)")) }
    return response
  }

  // MARK: Queries

  func query(_ body: [UInt8], _ exchange: Exchange) async throws(Problem) -> HTTPResponse {
    switch try read(body) {
    case .refused(let refusal, let query): return refused(refusal, query)
    case .query(let query, let key):
      try limited { () throws(Wall.Refusal) in
        try gateway.wall.request(signedBy: key, from: exchange.address)
      }
      let wait = wait(exchange, Waiting.query)
      let fate = try await ask(
        body, .queries, wait.seconds, standard: Waiting.query.standard, exchange,
        isWatching: query.kind.isWatching)
      guard case .reply(let bytes) = fate else { throw Problem(fate) }
      var response = response(bytes, HTTPStatus.ofAnswer(bytes))
      if wait.isAsked { response.fields.append(("Preference-Applied", "wait=\(wait.seconds)")) }
      return response
    }
  }

  private func read(_ body: [UInt8]) throws(Problem) -> QueryDecoding.Content {
    guard let service = gateway.service.service else { throw missing }
    return QueryDecoding.read(body, service: service, verifier: gateway.verifier)
  }

  private func refused(_ refusal: QueryRefusal, _ query: EventID?) -> HTTPResponse {
    gateway.meters.refused(refusal.name)
    let bytes = AnswerCodec.encode(refusal: refusal, query: query)
    return response(bytes, HTTPStatus.ofAnswer(bytes))
  }

  // MARK: Streams

  /// Opens a stream, or answers like a query that is refused.
  func stream(_ body: [UInt8], _ exchange: Exchange) async throws(Problem) -> Answer {
    let content = try read(body)
    guard case .query(let query, let key) = content else {
      guard case .refused(let refusal, let id) = content else { throw .notFound }
      return .whole(refused(refusal, id))
    }
    guard case .overview = query.kind else {
      return .whole(refused(.malformed("type is not overview"), query.id))
    }
    try limited { () throws(Wall.Refusal) in
      try gateway.wall.request(signedBy: key, from: exchange.address)
      try gateway.wall.enter(.stream, exchange.address)
    }
    // It hears of changes before it asks: none falls between the answer and the stream.
    guard
      let (id, stream) = gateway.changes.reserve(
        for: query.player, by: query.id, signedBy: key)
    else {
      gateway.wall.leave(.stream, exchange.address)
      throw .alreadyUsed
    }
    do throws(Problem) {
      let seconds = Waiting.query.standard
      let fate = try await ask(body, .queries, seconds, standard: seconds, exchange)
      guard case .reply(let bytes) = fate else { throw Problem(fate) }
      guard let (_, answer) = try? AnswerCodec.decode(bytes, as: Overview.self) else {
        throw .noAnswer
      }
      guard case .ok(let overview) = answer else {
        leave(id, from: exchange.address)
        return .whole(response(bytes, HTTPStatus.ofAnswer(bytes)))
      }
      gateway.changes.open(id, overview, limit: gateway.settings.streamsPerPlayer)
      return .stream(id, stream)
    } catch {
      leave(id, from: exchange.address)
      throw error
    }
  }

  /// Forgets a stream.
  func leave(_ id: Changes.StreamID, from address: InternetAddress?) {
    gateway.changes.close(id)
    gateway.wall.leave(.stream, address)
  }

  // MARK: Waiting

  private func wait(
    _ exchange: Exchange, _ limits: (standard: Int, most: Int)
  ) -> (seconds: Int, isAsked: Bool) {
    let asked = Preference.wait(exchange.values("prefer"))
    return (min(asked ?? limits.standard, limits.most), asked != nil)
  }

  /// Sends a message and waits for its answer, no longer than the client does. It has its places until
  /// the answer comes, or could have come: who does not wait for answers can ask no more than others.
  private func ask(
    _ body: [UInt8], _ destination: GatewayBus.Outgoing.Destination, _ seconds: Int, standard: Int,
    _ exchange: Exchange, isWatching: Bool = false
  ) async throws(Problem) -> Fate {
    let leave = try limited { () throws(Wall.Refusal) in
      try enter(isWatching ? [.watch, .wait] : [.wait], exchange.address)
    }
    defer { exchange.connection.forgetHandler() }
    return await withCheckedContinuation { continuation in
      let number = gateway.desk.send(
        body, to: destination, trace: exchange.trace, within: .seconds(seconds),
        countingFor: .seconds(standard), over: leave
      ) { continuation.resume(returning: $0) }
      guard let number else { return }
      exchange.connection.whenGone { [desk = gateway.desk] in desk.cancel(number) }
    }
  }

  /// Takes places, all or none, and gives what gives them back.
  private func enter(
    _ places: [Wall.Place], _ address: InternetAddress?
  ) throws(Wall.Refusal) -> @Sendable () -> Void {
    var taken: [Wall.Place] = []
    do throws(Wall.Refusal) {
      for place in places {
        try gateway.wall.enter(place, address)
        taken.append(place)
      }
    } catch {
      for place in taken { gateway.wall.leave(place, address) }
      throw error
    }
    return { [wall = gateway.wall] in for place in places { wall.leave(place, address) } }
  }
}

extension Query.Kind {
  /// Whether readers may hold it until something has changed.
  fileprivate var isWatching: Bool {
    guard case .match(let asked) = self else { return false }
    return asked.atLeast != nil || asked.newerThan != nil
  }
}
