import NIOCore

/// In front of everything else: watches how bytes come and go.
final class ByteGuard: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  private let watch: ConnectionWatch
  private let connection: ClientConnection
  /// An end of the answers that waits for the last byte.
  private var heldClose: EventLoopPromise<Void>?

  init(_ watch: ConnectionWatch, _ connection: ClientConnection) {
    (self.watch, self.connection) = (watch, connection)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // Bytes behind the last answer are thrown away: a client that is cut off while it sends
    // would not see why.
    if watch.times.phase == .closing { return }
    watch.change { $0.bytes(at: $1) }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
    watch.change { $0.writing(at: $1) }
    promise.futureResult.assumeIsolated().whenComplete { [self] _ in
      watch.change { $0.wrote(at: $1) }
      guard watch.times.isWritten, let close = heldClose else { return }
      heldClose = nil
      context.close(mode: .output, promise: close)
    }
    context.write(data, promise: promise)
  }

  /// NIO closes both sides at once if the client has closed its own, and drops what is not written.
  /// So the end waits for the last byte.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard case .output = mode, !watch.times.isWritten else {
      return context.close(mode: mode, promise: promise)
    }
    if let heldClose { return heldClose.futureResult.cascade(to: promise) }
    heldClose = promise ?? context.eventLoop.makePromise()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed = event { connection.gone() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    connection.gone()
    watch.end()
    context.fireChannelInactive()
  }
}
