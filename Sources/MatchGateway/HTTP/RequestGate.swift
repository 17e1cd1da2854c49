import MatchService
import NIOCore
import NIOHTTP1

/// Between the decoder and the rest: lets whole requests through, one at a time. Bodies are short,
/// so each is collected here, where its time and its size are watched.
final class RequestGate: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// The sizes of requests, and of those that wait on a connection for the answer to an earlier one.
  struct Limits: Sendable {
    /// The most requests that wait.
    static let pipeline = 16
    /// The most requests that wait behind a stream, which may last for an hour.
    static let behindStream = 1
    /// An answer of so many bytes goes out in parts. Far less than a channel may hold back.
    static let heldBytes = 16_384

    /// The most bytes of a body.
    var body: Int
    /// Requests that wait take no other one once they have so many bytes: as many as one request.
    var waiting: Int

    init(_ settings: GatewaySettings) {
      body = settings.bodyBytes
      waiting = settings.headerBytes + settings.bodyBytes
    }
  }

  private let watch: ConnectionWatch
  private let limits: Limits
  private let meters: GatewayMeters
  private let date: @Sendable () -> String
  /// Counts a request that never reaches the responder, which counts all others.
  private let count: @Sendable () throws(Wall.Refusal) -> Void

  private var head: HTTPRequestHead?
  private var body: ByteBuffer?
  private var waiting: CircularBuffer<(head: HTTPRequestHead, body: ByteBuffer?)> = []
  /// The bytes of those that wait, which are few.
  private var waitingBytes: Int {
    waiting.reduce(0) { $0 + RequestGate.bytes(of: $1.head, $1.body) }
  }
  private var isAnswering = false
  /// Whether the answer is a stream.
  private var isStreaming = false
  /// Whether the answer that is written now is the last one.
  private var isLast = false
  /// The bytes of the answer's body that are written and not flushed.
  private var heldBytes = 0
  /// Whether the client has closed its side, and requests from before still wait.
  private var holdsEnd = false
  /// Why nothing more is read. It is told when all earlier requests are answered.
  private var refusal: Problem?

  init(
    _ watch: ConnectionWatch, limits: Limits, meters: GatewayMeters,
    date: @escaping @Sendable () -> String,
    count: @escaping @Sendable () throws(Wall.Refusal) -> Void
  ) {
    (self.watch, self.limits, self.meters, self.date) = (watch, limits, meters, date)
    self.count = count
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let context = NIOLoopBound(context, eventLoop: context.eventLoop)
    watch.onExpiry = { [unowned self] why in expired(why, context.value) }
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard refusal == nil, watch.times.phase != .closing else { return }
    switch unwrapInboundIn(data) {
    case .head(let head): begin(head, context)
    case .body(var part):
      let count = (body?.readableBytes ?? 0) + part.readableBytes
      guard count <= limits.body else {
        return refuse(.bodyTooLarge(limit: limits.body), context)
      }
      if body == nil { body = part } else { body?.writeBuffer(&part) }
    case .end: end(context)
    }
  }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    if let problem = HeadCheck.problem(of: head, bodyLimit: limits.body) {
      return refuse(problem, context)
    }
    guard waiting.count < (isStreaming ? Limits.behindStream : Limits.pipeline),
      waitingBytes < limits.waiting
    else { return refuse(.limited(.pipelining, retryAfter: nil), context) }
    self.head = head
    guard isAnswering else { return awaitBody(context) }
    let isHeld = head.headers.contains(name: "expect")
    watch.change { $0.beginEarlyBody(isHeld: isHeld, $1) }
  }

  /// The turn of the request that is being read has come.
  private func awaitBody(_ context: ChannelHandlerContext) {
    watch.change { $0.enter(.body, $1) }
    // A client that sends its body already needs no word. Source: RFC 9110, 10.1.1.
    guard let head, body == nil, head.headers.contains(name: "expect") else { return }
    let go = HTTPResponseHead(version: .http1_1, status: .continue)
    context.writeAndFlush(wrapOutboundOut(.head(go)), promise: nil)
  }

  private func end(_ context: ChannelHandlerContext) {
    guard let head else { return }
    // A piece of what was received keeps all of it in memory.
    let kept = isAnswering ? body.map { ByteBuffer(bytes: $0.readableBytesView) } : body
    waiting.append((head, kept))
    (self.head, body) = (nil, nil)
    watch.change { times, _ in times.endEarlyBody() }
    forward(context)
  }

  /// The bytes of a request: each field has a little more than its text.
  private static func bytes(of head: HTTPRequestHead, _ body: ByteBuffer?) -> Int {
    head.headers.reduce(head.uri.utf8.count + (body?.readableBytes ?? 0)) { sum, field in
      sum + field.name.utf8.count + field.value.utf8.count + 32
    }
  }

  /// Lets the next request through if nothing is being answered.
  private func forward(_ context: ChannelHandlerContext) {
    guard !isAnswering, let next = waiting.popFirst() else { return }
    isAnswering = true
    isLast = HeadCheck.isLast(next.head)
    watch.change { $0.enter(.answering, $1) }
    var head = next.head
    head.uri = HeadCheck.target(head.uri) ?? head.uri
    // The connection is this handler's business alone.
    head.headers.remove(name: "connection")
    context.fireChannelRead(wrapInboundOut(.head(head)))
    if let body = next.body { context.fireChannelRead(wrapInboundOut(.body(body))) }
    context.fireChannelRead(wrapInboundOut(.end(nil)))
    context.fireChannelReadComplete()
    if holdsEnd, waiting.isEmpty {
      holdsEnd = false
      context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }
  }

  /// Nothing more is read behind the end. So it is told behind the last request.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed = event, !waiting.isEmpty { return holdsEnd = true }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case HTTPParserError.headerOverflow:
      meters.limited(.headerSize)
      refuse(.headersTooLarge, context)
    case HTTPParserError.invalidVersion: refuse(.versionNotSupported, context)
    case is HTTPParserError: refuse(.malformedRequest, context)
    default: context.fireErrorCaught(error)
    }
  }

  private func expired(_ why: ConnectionTimes.Expiry, _ context: ChannelHandlerContext) {
    switch why {
    case .head:
      meters.limited(.headTime)
      refuse(.requestTimeout, context)
    case .body:
      meters.limited(.bodyTime)
      refuse(.requestTimeout, context)
    case .idle:
      meters.limited(.idleTime)
      context.close(promise: nil)
    case .slowReader:
      meters.limited(.slowReader)
      context.close(promise: nil)
    case .closing: context.close(promise: nil)
    }
  }

  // MARK: Answers

  /// Reads nothing more, and says why once everything before is answered.
  private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
    guard refusal == nil else { return }
    var problem = problem
    do throws(Wall.Refusal) { try count() } catch {
      problem = .limited(error.limit, retryAfter: error.retryAfter)
    }
    refusal = problem
    (head, body) = (nil, nil)
    watch.change { times, _ in times.endEarlyBody() }
    switch problem {
    case .bodyTooLarge: meters.limited(.bodySize)
    case .limited(let limit, _): meters.limited(limit)
    default: break
    }
    meters.problem(problem)
    stopReading(context)
    if !isAnswering, waiting.isEmpty { tellRefusal(context) }
  }

  /// Bytes behind a refused request are thrown away. A stream lasts too long for that: then the
  /// bytes wait at the client.
  private func stopReading(_ context: ChannelHandlerContext) {
    guard isStreaming, refusal != nil else { return }
    try? context.channel.syncOptions?.setOption(.autoRead, value: false)
  }

  private func tellRefusal(_ context: ChannelHandlerContext) {
    guard let refusal, watch.times.phase != .closing else { return }
    let body = refusal.body
    var headers = HTTPHeaders([
      ("Content-Type", "application/problem+json"), ("Content-Length", "\(body.count)"),
      ("Cache-Control", "no-store"), ("Connection", "close"), ("Date", date()),
    ])
    if let seconds = refusal.retryAfter { headers.add(name: "Retry-After", value: "\(seconds)") }
    let head = HTTPResponseHead(
      version: .http1_1, status: .init(statusCode: refusal.status), headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(
      wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
    finish(wrapOutboundOut(.end(nil)), nil, context)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      guard head.status.code >= 200 else { return context.write(data, promise: promise) }
      head.headers.replaceOrAdd(name: "Date", value: date())
      if head.headers.contains(name: "connection") { isLast = true }
      if isLast { head.headers.replaceOrAdd(name: "Connection", value: "close") }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
      if head.headers.first(name: "content-type") == "text/event-stream" { beginStream(context) }
    case .body(let part):
      heldBytes += part.readableBytes
      context.write(data, promise: promise)
    case .end:
      (isAnswering, isStreaming, heldBytes) = (false, false, 0)
      if isLast { return finish(data, promise, context) }
      context.writeAndFlush(data, promise: promise)
      if refusal != nil, waiting.isEmpty { return tellRefusal(context) }
      if !waiting.isEmpty { return forward(context) }
      if head == nil { watch.change { $0.enter(.idle, $1) } } else { awaitBody(context) }
    }
  }

  /// The parts of a short answer go out together, at its end.
  func flush(context: ChannelHandlerContext) {
    guard isStreaming || !isAnswering || heldBytes >= Limits.heldBytes else { return }
    heldBytes = 0
    context.flush()
  }

  /// The answer is a stream: what waits behind it may wait long.
  private func beginStream(_ context: ChannelHandlerContext) {
    isStreaming = true
    stopReading(context)
    guard waiting.count + (head == nil ? 0 : 1) > Limits.behindStream else { return }
    while waiting.count > Limits.behindStream { _ = waiting.popLast() }
    refuse(.limited(.pipelining, retryAfter: nil), context)
  }

  /// Writes the end of the last answer, and closes the connection behind it.
  private func finish(
    _ end: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
  ) {
    waiting.removeAll()
    watch.change { $0.enter(.closing, $1) }
    context.writeAndFlush(end, promise: promise)
    context.close(mode: .output, promise: nil)
  }
}
