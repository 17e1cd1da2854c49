import HummingbirdCore
import Logging
import MatchService
import NIOCore
import NIOHTTP1

/// One accepted connection: its limits, its handlers, and the loop that answers its requests.
struct GatewayChild: ServerChildChannel {
  /// An accepted connection.
  struct Value: ServerChildChannelValue {
    let channel: any Channel
    /// Nil: it was refused.
    fileprivate let served: (HTTP1Channel.Value, ClientConnection)?
  }

  /// The bytes that one read takes at most, and that the system keeps for a slow reader.
  private static let readBytes = 16_384
  private static let sendBytes: Int = 65_536
  /// A peer that acknowledges nothing for so long is gone.
  private static let silentMilliseconds: Int = 60_000

  let gateway: Gateway
  let date: HTTPDate
  let connections: OpenConnections

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    connections.add(channel)
    let peer = channel.remoteAddress.flatMap { InternetAddress($0) }
    let counted = gateway.wall.isProxy(peer) ? nil : peer
    do throws(Wall.Refusal) { try gateway.wall.enter(.connection, counted) } catch {
      return refuse(error, channel)
    }
    channel.closeFuture.whenComplete { [wall = gateway.wall] _ in wall.leave(.connection, counted) }
    let connection = ClientConnection(peer: peer)
    return http1 { _, _, _ in }.setup(channel: channel, logger: logger)
      .flatMapThrowing { value in
        try addHandlers(channel, connection, counted)
        return Value(channel: channel, served: (value, connection))
      }
  }

  func handle(value: Value, logger: Logger) async {
    guard let (channel, connection) = value.served else {
      try? await value.channel.closeFuture.get()
      return
    }
    let responder = Responder(gateway: gateway)
    let http1 = http1 { request, writer, _ in
      try await responder.respond(request, writer, connection)
    }
    await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) {
      await http1.handle(value: channel, logger: logger)
    }
  }

  private func http1(_ responder: @escaping HTTPChannelHandler.Responder) -> HTTP1Channel {
    let settings = gateway.settings
    let limits = HTTP1Channel.Configuration.DecoderConfiguration(
      maxHeaderFieldSize: settings.headerBytes, maxHeaderListSize: settings.headerBytes,
      maxHeaderFieldCount: settings.headerCount)
    return HTTP1Channel(
      responder: responder, configuration: .init(httpDecoderConfiguration: limits))
  }

  /// The handlers that hold the limits. Called on the connection's event loop.
  private func addHandlers(
    _ channel: any Channel, _ connection: ClientConnection, _ counted: InternetAddress?
  ) throws {
    setOptions(channel)
    let pipeline = channel.pipeline.syncOperations
    let watch = ConnectionWatch(
      ConnectionTimes.Limits(gateway.settings), on: channel.eventLoop, clock: gateway.clock)
    let gate = RequestGate(
      watch, limits: RequestGate.Limits(gateway.settings), meters: gateway.meters,
      date: { [date] in date.text },
      count: { [wall = gateway.wall] () throws(Wall.Refusal) in try wall.request(from: counted) })
    let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
    try pipeline.addHandler(gate, position: .after(decoder))
    try pipeline.addHandler(ByteGuard(watch, connection), position: .first)
    watch.change { $0.enter(.idle, $1) }
  }

  /// Sets what can be set: a client may be gone already.
  private func setOptions(_ channel: any Channel) {
    guard let options = channel.syncOptions else { return }
    try? options.setOption(
      .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: GatewayChild.readBytes))
    try? options.setOption(.maxMessagesPerRead, value: 1)
    try? options.setOption(.socketOption(.so_sndbuf), value: GatewayChild.sendBytes)
    try? options.setOption(.socketOption(.so_keepalive), value: 1)
    try? options.setOption(.tcpOption(.tcp_nodelay), value: 1)
    #if os(Linux)
      // TCP_USER_TIMEOUT: heartbeats to a phone without network must not be kept for a quarter of
      // an hour.
      try? options.setOption(
        .tcpOption(.init(rawValue: 18)), value: GatewayChild.silentMilliseconds)
    #endif
  }

  /// Tells why, and closes.
  private func refuse(_ refusal: Wall.Refusal, _ channel: any Channel) -> EventLoopFuture<Value> {
    gateway.meters.limited(refusal.limit)
    let problem = Problem.limited(refusal.limit, retryAfter: refusal.retryAfter)
    gateway.meters.problem(problem)
    return channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(RefusingHandler(problem, date: date.text))
      return Value(channel: channel, served: nil)
    }
  }
}

/// Tells a client why it is not served, and closes the connection.
private final class RefusingHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let lingering: TimeAmount = .milliseconds(200)
  private let problem: Problem
  private let date: String

  init(_ problem: Problem, date: String) { (self.problem, self.date) = (problem, date) }

  func channelActive(context: ChannelHandlerContext) {
    let body = problem.body
    var lines = [
      "HTTP/1.1 \(problem.status) \(problem.status == 429 ? "Too Many Requests" : "Service Unavailable")",
      "Content-Type: application/problem+json", "Content-Length: \(body.count)",
      "Cache-Control: no-store", "Connection: close", "Date: \(date)",
    ]
    if let seconds = problem.retryAfter { lines.append("Retry-After: \(seconds)") }
    let text = lines.joined(separator: "\r\n") + "\r\n\r\n"
    let bytes = ByteBuffer(bytes: Array(text.utf8) + body)
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { _ in
      context.close(mode: .output, promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(bytes), promise: written)
    // What the client sends meanwhile is thrown away, so that it sees the answer.
    context.eventLoop.assumeIsolated().scheduleTask(in: RefusingHandler.lingering) {
      context.close(promise: nil)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}

extension InternetAddress {
  /// The address of a socket; nil for another kind of socket.
  init?(_ address: SocketAddress) {
    guard let text = address.ipAddress else { return nil }
    // An address of a link has a zone behind it.
    self.init(text.prefix { $0 != "%" })
  }
}
