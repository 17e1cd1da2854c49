import CRabbitMQ
import Glibc
import SystemCalls

/// A connection to RabbitMQ with its one channel.
///
/// Use it from one thread at a time. It has one channel because librabbitmq loses frames with more,
/// and reads frames itself because `amqp_consume_message` can wait without limit. It never connects
/// again by itself: when a call throws an error that ends the connection, every later call throws
/// the same. Unacknowledged messages are then delivered again, in order, to the next consumer.
/// Every close of the channel by the broker ends the connection too.
///
/// Heartbeats are served by every call. While the owner does something else for longer than half
/// a heartbeat it calls ``serveHeartbeats()``. No call blocks for longer than three heartbeats: a
/// watchdog then shuts the socket down.
///
/// - Important: librabbitmq decodes header tables recursively. A frame can nest them 21,000 levels
///   deep, which overflows a stack of 512 KB and fits into one of 4 MB (measured). Use threads
///   with 8 MB, Linux's default for a pthread.
package final class RabbitMQConnection {
  static let channel: amqp_channel_t = 1

  /// The settings of the connection; of several nodes, the one that was reached is the first.
  package private(set) var settings: RabbitMQSettings
  /// Counters of sent and received messages.
  package internal(set) var statistics = ConnectionStatistics()
  /// Why the broker takes no messages for now (an alarm), or nil.
  package internal(set) var blockedReason: String?
  /// Why the connection is of no use any more, or nil.
  package internal(set) var failure: RabbitMQError?

  private var raw: amqp_connection_state_t?
  private var watch: Watchdog.Watch?
  let arena = Arena()
  /// Bounds of header tables; tests widen them to send tables of hostile clients.
  var tableLimits = TableLimits()
  var reader = MessageReader()
  var inbox = Inbox()
  /// The message of a `get` that is under way.
  var gotten: Delivery?
  var ledger: ConfirmLedger?
  var confirmations: [PublishConfirmation] = []
  var hasPrefetch = false
  private(set) var heartbeat = Duration.seconds(10)
  private(set) var frameSizeLimit = 131_072
  private var isOpen = false
  private var lastRead = MonotonicClock.now

  /// Connects to the first node that can be reached, logs in and opens the channel.
  ///
  /// - Throws: ``RabbitMQError`` with `connectFailed`, `tlsRefused`, `authenticationRefused`,
  ///   `virtualHostRefused`, `handshake`, `timedOut` or `invalidArgument`.
  package init(_ settings: RabbitMQSettings) throws(RabbitMQError) {
    self.settings = settings
    let texts =
      [settings.host, settings.user, settings.password, settings.virtualHost]
      + settings.alternates.map(\.host)
    guard !texts.contains(where: { $0.utf8.contains(0) }),
      (0...3600).contains(settings.heartbeatSeconds)
    else {
      throw RabbitMQError(
        .invalidArgument, endpoint: settings.endpoint, operation: "connect",
        reason: "a setting contains a NUL character, or the heartbeat is not 0 to 3600 seconds")
    }
    while true {
      do throws(RabbitMQError) {
        try open()
        return
      } catch {
        // Every node of a cluster knows the same users and virtual hosts.
        guard error.code != .authenticationRefused, error.code != .virtualHostRefused,
          self.settings.advance()
        else { throw error }
        failure = nil
      }
    }
  }

  deinit { release() }

  /// The socket, for `poll(2)` beside other descriptors; -1 when the connection has ended.
  ///
  /// Call ``poll(maxCount:maxBytes:wait:interrupt:)`` without a wait first: input that was already
  /// read from the socket does not wake `poll(2)`.
  package var descriptor: Int32 { raw.map { amqp_get_sockfd($0) } ?? -1 }

  /// Messages that were published with confirms and wait for their confirmation.
  package var unconfirmedCount: Int { ledger?.waitingCount ?? 0 }

  /// Gives back all unacknowledged messages in their order, and says goodbye to the broker.
  ///
  /// The channel is closed rather than the consumers cancelled: with a single active consumer a
  /// cancel hands later messages to the next consumer while earlier ones are still held here.
  /// Takes a few seconds at most; errors do not matter any more and are dropped.
  package func close() {
    if let raw, failure == nil {
      var limit = Duration.seconds(2).timeval
      amqp_set_rpc_timeout(raw, &limit)
      watch?.begin()
      let reply = amqp_channel_close(raw, Self.channel, 200)
      if reply.reply_type == AMQP_RESPONSE_NORMAL { _ = amqp_connection_close(raw, 200) }
      watch?.end()
    }
    _ = fail(.closed, operation: "use", reason: "the connection was closed by its owner")
  }
}

extension RabbitMQConnection {
  // MARK: Opening

  private func open() throws(RabbitMQError) {
    guard let raw = amqp_new_connection() else {
      throw RabbitMQError(
        .connectFailed, endpoint: settings.endpoint, operation: "connect", reason: "out of memory")
    }
    self.raw = raw
    try openSocket(raw)
    try logIn(raw)
    heartbeat = .seconds(Int(amqp_get_heartbeat(raw)))
    frameSizeLimit = Int(amqp_get_frame_max(raw))
    try openChannel(raw)
    isOpen = true
  }

  private func openSocket(_ raw: amqp_connection_state_t) throws(RabbitMQError) {
    guard let socket = settings.tls == nil ? amqp_tcp_socket_new(raw) : amqp_ssl_socket_new(raw)
    else { throw fail(.connectFailed, operation: "connect", reason: "out of memory") }
    if let tls = settings.tls { try configure(socket, tls) }
    var limit = settings.connectTimeout.timeval
    amqp_set_handshake_timeout(raw, &limit)
    let status = amqp_socket_open_noblock(socket, settings.host, Int32(settings.port), &limit)
    guard status == AMQP_STATUS_OK.rawValue else {
      let isHidden = status == AMQP_STATUS_SOCKET_ERROR.rawValue
      let cause =
        isHidden ? ConnectFailure.cause(host: settings.host, port: settings.port) : nil
      throw fail(
        Self.openingCode(status), operation: "connect",
        reason: ConnectFailure.reason(status, cause: cause, settings: settings))
    }
    let limitOfCalls = Duration.seconds(
      settings.heartbeatSeconds == 0 ? 30 : 3 * settings.heartbeatSeconds)
    watch = Watchdog.shared.register(amqp_get_sockfd(raw), limit: limitOfCalls)
    guard watch != nil else {
      throw fail(.connectFailed, operation: "connect", reason: "out of descriptors or threads")
    }
  }

  private func configure(
    _ socket: OpaquePointer, _ tls: RabbitMQSettings.TLS
  ) throws(RabbitMQError) {
    amqp_ssl_socket_set_verify_peer(socket, 1)
    amqp_ssl_socket_set_verify_hostname(socket, tls.verifyHostname ? 1 : 0)
    // The library's own default would allow TLS 1.0.
    var status = amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST)
    if status == AMQP_STATUS_OK.rawValue {
      status = amqp_ssl_socket_set_cacert(socket, tls.caCertificate)
    }
    guard status == AMQP_STATUS_OK.rawValue else {
      throw fail(
        .tlsRefused, operation: "read the CA certificate \(tls.caCertificate)",
        reason: ConnectFailure.reason(status, cause: nil))
    }
    guard let certificate = tls.clientCertificate, let key = tls.clientKey else { return }
    status = amqp_ssl_socket_set_key(socket, certificate, key)
    guard status == AMQP_STATUS_OK.rawValue else {
      throw fail(
        .tlsRefused, operation: "read the client certificate \(certificate) and its key",
        reason: ConnectFailure.reason(status, cause: nil))
    }
  }

  /// Announces this client's capabilities: without them the broker cancels consumers and blocks
  /// publishers silently (`amqp_login` announces nothing).
  private func logIn(_ raw: amqp_connection_state_t) throws(RabbitMQError) {
    arena.reset()
    defer { arena.reset() }
    let capabilities: [String: Argument] = [
      "connection.blocked": true, "consumer_cancel_notify": true, "publisher_confirms": true,
      "basic.nack": true, "authentication_failure_close": true,
    ]
    var properties = try encodedTable(
      ["capabilities": .table(capabilities), "connection_name": .string(settings.name)],
      operation: "log in")
    watch?.begin()
    errno = 0
    let reply = crabbitmq_login_plain(
      raw, settings.virtualHost, 1, 131_072, Int32(settings.heartbeatSeconds), &properties,
      settings.user, settings.password)
    let cause = SystemError.last()
    watch?.end()
    if reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION {
      throw fail(
        Self.openingCode(reply.library_error), operation: "log in",
        reason: ConnectFailure.reason(reply.library_error, cause: cause))
    }
    try check(
      reply, cause: cause,
      operation: "log in as \(settings.user) to vhost \(settings.virtualHost)")
  }

  private func openChannel(_ raw: amqp_connection_state_t) throws(RabbitMQError) {
    var limit = settings.connectTimeout.timeval
    amqp_set_rpc_timeout(raw, &limit)
    try call("open a channel") { raw in
      amqp_channel_open(raw, Self.channel)
      return amqp_get_rpc_reply(raw)
    }
    limit = settings.replyTimeout.timeval
    amqp_set_rpc_timeout(raw, &limit)
  }

  private static func openingCode(_ status: Int32) -> RabbitMQError.Code {
    switch status {
    case AMQP_STATUS_TIMEOUT.rawValue: .timedOut
    case AMQP_STATUS_SSL_ERROR.rawValue, AMQP_STATUS_SSL_HOSTNAME_VERIFY_FAILED.rawValue,
      AMQP_STATUS_SSL_PEER_VERIFY_FAILED.rawValue, AMQP_STATUS_SSL_CONNECTION_FAILED.rawValue:
      .tlsRefused
    case AMQP_STATUS_SOCKET_ERROR.rawValue, AMQP_STATUS_HOSTNAME_RESOLUTION_FAILED.rawValue,
      AMQP_STATUS_TCP_ERROR.rawValue:
      .connectFailed
    default: .handshake
    }
  }
}

extension RabbitMQConnection {
  // MARK: Calling the library

  /// Makes a call that answers with a reply, watched, and checks the reply.
  func call(
    _ operation: @autoclosure () -> String,
    _ body: (amqp_connection_state_t) -> amqp_rpc_reply_t
  ) throws(RabbitMQError) {
    let raw = try live()
    watch?.begin()
    errno = 0
    let reply = body(raw)
    let cause = SystemError.last()
    watch?.end()
    if reply.reply_type != AMQP_RESPONSE_NORMAL {
      try check(reply, cause: cause, operation: operation())
    }
  }

  /// Makes a call that only writes, watched, and checks its status.
  func write(
    _ operation: @autoclosure () -> String, _ body: (amqp_connection_state_t) -> Int32
  ) throws(RabbitMQError) {
    let raw = try live()
    watch?.begin()
    errno = 0
    let status = body(raw)
    let cause = SystemError.last()
    watch?.end()
    if status != AMQP_STATUS_OK.rawValue {
      throw fail(status: status, cause: cause, operation: operation())
    }
  }

  /// Reads a frame if one is there; false if not.
  func read(_ frame: inout amqp_frame_t) throws(RabbitMQError) -> Bool {
    let raw = try live()
    var nothing = timeval()
    watch?.begin()
    errno = 0
    let status = amqp_simple_wait_frame_noblock(raw, &frame, &nothing)
    let cause = SystemError.last()
    watch?.end()
    lastRead = MonotonicClock.now
    if status == AMQP_STATUS_OK.rawValue { return true }
    if status == AMQP_STATUS_TIMEOUT.rawValue { return false }
    throw fail(status: status, cause: cause, operation: "read")
  }

  /// Whether the last read is so long ago that publishing without one could hang in the library.
  var isReadDue: Bool {
    MonotonicClock.now - lastRead > max(heartbeat, .seconds(1)).nanoseconds / 4
  }

  /// Gives the memory of handled frames back to the library.
  func releaseBuffers() {
    if let raw { amqp_maybe_release_buffers(raw) }
  }

  /// Throws the error that ended the connection, if one has.
  func live() throws(RabbitMQError) -> amqp_connection_state_t {
    if let raw, failure == nil { return raw }
    throw failure
      ?? RabbitMQError(
        .closed, endpoint: settings.endpoint, operation: "use", reason: "the connection is closed")
  }

  func encodedTable(
    _ table: [String: Argument], operation: String
  ) throws(RabbitMQError) -> amqp_table_t {
    var encoder = TableEncoder(arena: arena, limits: tableLimits)
    do { return try encoder.table(table) } catch { throw invalid(operation, error.reason) }
  }

  // MARK: Failing

  /// An error that leaves the connection as it is.
  func invalid(_ operation: String, _ reason: String) -> RabbitMQError {
    RabbitMQError(
      .invalidArgument, endpoint: settings.endpoint, operation: operation, reason: reason)
  }

  private func check(
    _ reply: amqp_rpc_reply_t, cause: SystemError, operation: String
  ) throws(RabbitMQError) {
    switch reply.reply_type {
    case AMQP_RESPONSE_NORMAL: return
    case AMQP_RESPONSE_SERVER_EXCEPTION: throw closed(by: reply.reply, operation: operation)
    default: throw fail(status: reply.library_error, cause: cause, operation: operation)
    }
  }

  /// Ends the connection because of a `connection.close` or `channel.close` of the broker.
  func closed(by method: amqp_method_t, operation: String) -> RabbitMQError {
    guard let decoded = method.decoded else {
      return fail(.protocolViolation, operation: operation, reason: "an empty method")
    }
    if method.id == CRABBITMQ_CHANNEL_CLOSE {
      let close = decoded.assumingMemoryBound(to: amqp_channel_close_t.self).pointee
      return fail(
        .channelClosed, operation: operation, replyCode: Int(close.reply_code),
        reason: close.reply_text.text)
    }
    guard method.id == CRABBITMQ_CONNECTION_CLOSE else {
      return fail(
        .protocolViolation, operation: operation, reason: "unexpected method \(method.id)")
    }
    let close = decoded.assumingMemoryBound(to: amqp_connection_close_t.self).pointee
    let reason = close.reply_text.text
    let code: RabbitMQError.Code =
      switch close.reply_code {
      case 403: .authenticationRefused
      // A limit of connections passes, unlike a missing right.
      case 530 where !isOpen && !RabbitMQError.isAboutLimit(reason): .virtualHostRefused
      default: .closedByServer
      }
    return fail(code, operation: operation, replyCode: Int(close.reply_code), reason: reason)
  }

  private func fail(status: Int32, cause: SystemError, operation: String) -> RabbitMQError {
    let code: RabbitMQError.Code =
      switch status {
      case AMQP_STATUS_TIMEOUT.rawValue: .timedOut
      case AMQP_STATUS_HEARTBEAT_TIMEOUT.rawValue: .heartbeatMissed
      case AMQP_STATUS_BAD_AMQP_DATA.rawValue, AMQP_STATUS_UNKNOWN_CLASS.rawValue,
        AMQP_STATUS_UNKNOWN_METHOD.rawValue, AMQP_STATUS_UNEXPECTED_STATE.rawValue,
        AMQP_STATUS_WRONG_METHOD.rawValue:
        .protocolViolation
      default: .socket
      }
    return fail(code, operation: operation, reason: ConnectFailure.reason(status, cause: cause))
  }

  /// Ends the connection; the first reason stays.
  func fail(
    _ code: RabbitMQError.Code, operation: String, replyCode: Int? = nil, reason: String
  ) -> RabbitMQError {
    if let failure { return failure }
    let hasFired = watch?.hasFired == true
    let error = RabbitMQError(
      hasFired ? .watchdogFired : code, endpoint: settings.endpoint, operation: operation,
      replyCode: replyCode, reason: reason)
    failure = error
    release()
    return error
  }

  private func release() {
    // The socket is closed first, so that the broker sees the end when the duplicate goes.
    if let raw { amqp_destroy_connection(raw) }
    if let watch { Watchdog.shared.unregister(watch) }
    raw = nil
    watch = nil
  }
}
