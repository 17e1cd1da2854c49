import SystemCalls

/// Why a request has no reply.
package enum RequestError: Error, Hashable, Sendable {
  /// No queue is bound for it; nobody has it.
  case unroutable(code: Int, text: String)
  /// The queue refused it, for example because it is full; nobody has it.
  case refused
  /// No reply came in time.
  ///
  /// If `isConfirmed`, the broker has the request and somebody will handle it; else it may have it.
  case timedOut(isConfirmed: Bool)
  /// The request could not be sent, or the connection was lost while it waited.
  ///
  /// If `isConfirmed`, the broker has the request; else it may have it, unless the error is
  /// `blocked` or `invalidArgument`, which leave it unsent.
  case connection(RabbitMQError, isConfirmed: Bool)
}

extension RequestError: CustomStringConvertible {
  /// One line for a log.
  package var description: String {
    switch self {
    case .unroutable(let code, let text): "no queue takes the request (\(code) \(text))"
    case .refused: "the queue refused the request"
    case .timedOut(true): "no reply in time; the request is stored and will be handled"
    case .timedOut(false): "no reply in time; the request may be stored or not"
    case .connection(let error, true): "\(error); the request is stored and will be handled"
    case .connection(let error, false): "\(error)"
    }
  }
}

/// Sends requests and receives their replies by direct reply-to, on a connection of its own.
///
/// Direct reply-to demands that the request is published on the channel the reply is consumed on.
/// Requests are mandatory and confirmed; a reply counts as a confirm. Replies are not stored: they
/// are lost with the connection.
/// Source: https://www.rabbitmq.com/docs/direct-reply-to
///
/// Used from one thread at a time, like its connection, and of no use after an error that ended it.
package final class Requester {
  /// Names a request until it is answered.
  package struct RequestID: Hashable, Sendable, CustomStringConvertible {
    let sequence: UInt64
    /// The correlation id.
    package var description: String { String(sequence) }
  }

  /// News about a request; a `reply` or a `failure` is the last one.
  package enum Update: Sendable {
    /// The broker has it.
    case confirmed(RequestID)
    /// It was answered.
    case reply(RequestID, Delivery)
    /// It never will be: `unroutable` or `refused`.
    case failure(RequestID, RequestError)
  }

  /// The queue that stands for the requester's channel.
  static let replyQueue = "amq.rabbitmq.reply-to"

  /// The connection, for its statistics and descriptor.
  package let connection: RabbitMQConnection
  /// Replies nobody waited for any more.
  package private(set) var lateReplyCount = 0

  /// The open requests, and whether the broker has confirmed them.
  private var open: [RequestID: Bool] = [:]
  private var updates: [Update] = []
  private let now: () -> UInt64

  /// Takes over a connection that does nothing else.
  ///
  /// - Parameter now: The nanoseconds by which the limit of ``request`` goes.
  package init(
    _ connection: RabbitMQConnection, now: @escaping () -> UInt64 = { MonotonicClock.now }
  ) throws(RabbitMQError) {
    (self.connection, self.now) = (connection, now)
    try connection.enableConfirms()
    try connection.consume(Self.replyQueue, noAck: true)
  }

  /// Requests that are open.
  package var openCount: Int { open.count }

  /// Sends a request and waits for its reply; updates about others are kept for `poll`.
  ///
  /// `correlationID` and `replyTo` of the properties are set here.
  ///
  /// - Parameter timeout: Longest wait for the reply; after it a reply is dropped.
  package func request(
    exchange: String, routingKey: String, properties: MessageProperties = .init(),
    body: some Collection<UInt8>, timeout: Duration
  ) throws(RequestError) -> Delivery {
    let start = now()
    let id: RequestID
    do throws(RabbitMQError) {
      id = try submit(
        exchange: exchange, routingKey: routingKey, properties: properties, body: body)
    } catch { throw .connection(error, isConfirmed: false) }
    var isConfirmed = false
    while true {
      if let delivery = try takeEnd(of: id, isConfirmed: &isConfirmed) { return delivery }
      let rest = timeout - .nanoseconds(Int64(now() - start))
      guard rest > .zero else {
        abandon(id)
        throw .timedOut(isConfirmed: isConfirmed)
      }
      do throws(RabbitMQError) {
        try advance(wait: rest, interrupt: nil)
      } catch {
        if let delivery = try takeEnd(of: id, isConfirmed: &isConfirmed) { return delivery }
        abandon(id)
        throw .connection(error, isConfirmed: isConfirmed)
      }
    }
  }

  /// Sends a request without waiting; its updates come by ``poll(wait:interrupt:)``.
  package func submit(
    exchange: String, routingKey: String, properties: MessageProperties = .init(),
    body: some Collection<UInt8>
  ) throws(RabbitMQError) -> RequestID {
    // Only sent messages take numbers, so the next one is known.
    let id = RequestID(sequence: connection.nextSequence)
    var properties = properties
    properties.correlationID = id.description
    properties.replyTo = Self.replyQueue
    try connection.publish(
      exchange: exchange, routingKey: routingKey, properties: properties, body: body,
      mandatory: true)
    open[id] = false
    return id
  }

  /// Gives updates about open requests, waiting for one if there is none.
  ///
  /// - Throws: The error that ended the connection, once every update before it has been given.
  package func poll(
    wait: Duration = .zero, interrupt: Int32? = nil
  ) throws(RabbitMQError) -> [Update] {
    if updates.isEmpty {
      do throws(RabbitMQError) { try advance(wait: wait, interrupt: interrupt) } catch {
        if updates.isEmpty { throw error }
      }
    }
    defer { updates = [] }
    return updates
  }

  /// Forgets a request; its reply will be dropped.
  package func abandon(_ id: RequestID) {
    open[id] = nil
    updates.removeAll { $0.id == id }
  }

  /// Closes the connection.
  package func close() { connection.close() }

  /// Takes the updates about one request out of those that wait.
  private func takeEnd(
    of id: RequestID, isConfirmed: inout Bool
  ) throws(RequestError) -> Delivery? {
    var others: [Update] = []
    var end: Result<Delivery, RequestError>?
    for update in updates {
      switch update {
      case .confirmed(id): isConfirmed = true
      case .reply(id, let delivery): end = .success(delivery)
      case .failure(id, let error): end = .failure(error)
      default: others.append(update)
      }
    }
    updates = others
    return try end?.get()
  }

  private func advance(wait: Duration, interrupt: Int32?) throws(RabbitMQError) {
    defer { collect() }
    try connection.pump(maxCount: .max, maxBytes: .max, wait: wait, interrupt: interrupt)
  }

  /// Replies come first: a reply makes the confirmation of its request superfluous.
  private func collect() {
    for delivery in connection.inbox.take(maxCount: .max, maxBytes: .max) {
      let id = delivery.properties.correlationID.flatMap(UInt64.init).map(RequestID.init)
      if let id, open.removeValue(forKey: id) != nil {
        updates.append(.reply(id, delivery))
      } else {
        lateReplyCount += 1
      }
    }
    for confirmation in connection.takeConfirmations() {
      let id = RequestID(sequence: confirmation.sequence)
      guard open[id] != nil else { continue }
      switch confirmation.outcome {
      case .confirmed:
        open[id] = true
        updates.append(.confirmed(id))
      case .refused: end(id, .refused)
      case .returned(let code, let text): end(id, .unroutable(code: code, text: text))
      case .unknown: break
      }
    }
  }

  private func end(_ id: RequestID, _ error: RequestError) {
    open[id] = nil
    updates.append(.failure(id, error))
  }
}

extension Requester.Update {
  /// The request it is about.
  package var id: Requester.RequestID {
    switch self {
    case .confirmed(let id), .reply(let id, _), .failure(let id, _): id
    }
  }
}
