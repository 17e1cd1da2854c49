import CubistBasics
import Glibc
import LibRabbitMQ
import Logging
import MatchCore
import MatchInterfaces
import MatchWire

/// Publishes on a connection of its own, and never makes its owner wait for the broker.
///
/// A message that cannot be sent at once is dropped and counted. A reply or an outcome is a
/// courtesy of the moment. An unconfirmed push job is published again from the outbox. The
/// connection is separate because the broker stops reading one that publishes while an alarm is on.
/// If it breaks, the next use opens it anew, at growing intervals.
final class CourtesyPublisher {
  /// The most that the outlet keeps open.
  struct Limits {
    /// Push jobs that wait for their confirm.
    var jobs = 1_024
    /// Messages of all kinds that wait for their confirm.
    var messages = 16_384
    /// The most time that one attempt to connect may hold the owner up.
    var connecting: Duration = .seconds(1)
    /// The wait between attempts.
    var backoff = Backoff(first: .milliseconds(200), limit: .seconds(15))
  }

  /// Something to send.
  struct Message {
    var kind: BusMeters.Kind
    var exchange = ""
    var routingKey: String
    var properties: MessageProperties
    var body: [UInt8]
    /// The push jobs in the message. If there are any, it is mandatory and confirmed.
    var jobs: [PushJobID] = []
    /// The node that a confirm of this message proves.
    var node: UInt32?
  }

  private let context: BusContext
  private let settings: RabbitMQSettings
  private let isConfirming: Bool
  private let limits: Limits
  private let meters: BusMeters

  private var connection: RabbitMQConnection?
  private var patience = RefusalPatience(openedAt: 0)
  private var failedAttempts = 0
  private var nextAttempt: UInt64 = 0
  /// The unconfirmed push jobs, by message, and the uptime at which they were published.
  private var jobs: [UInt64: (ids: [PushJobID], at: UInt64)] = [:]
  private var jobCount = 0
  private var confirmed: [PushJobID] = []
  private var nodes: [UInt64: UInt32] = [:]
  private var provenNodes: [UInt32] = []
  private let outage: PublishingOutage
  private var homeless = Incident(
    Incident.Messages(
      began: "no queue takes push jobs; run cubistd setup",
      lasts: "still no queue takes push jobs; run cubistd setup",
      ended: "a queue takes push jobs again"))
  /// The number of connections given up.
  private(set) var lossCount = 0
  /// The broker's reply code at the last loss, if it gave one.
  private(set) var lastLossCode: Int?

  /// Connects.
  ///
  /// - Parameters:
  ///   - isConfirming: Whether any messages here need confirms.
  ///   - outage: That of all publishers of the same bus.
  /// - Throws: `disconnected` or `notPermitted` if it cannot connect.
  init(
    _ context: BusContext, name: String, isConfirming: Bool, limits: Limits = Limits(),
    meters: BusMeters, outage: PublishingOutage = PublishingOutage()
  ) throws(BusError) {
    self.context = context
    self.outage = outage
    self.isConfirming = isConfirming
    self.limits = limits
    self.meters = meters
    var settings = context.address.settings(for: name)
    // Nobody waits for a worker that is only starting, so this attempt may take its time.
    let first = settings
    settings.connectTimeout = min(settings.connectTimeout, limits.connecting)
    settings.replyTimeout = min(settings.replyTimeout, limits.connecting)
    self.settings = settings
    connection = try onBroker(try Self.connect(first, isConfirming: isConfirming))
    patience = RefusalPatience(openedAt: context.clock.uptimeNanoseconds())
  }

  private static func connect(
    _ settings: RabbitMQSettings, isConfirming: Bool
  ) throws(RabbitMQError) -> RabbitMQConnection {
    let connection = try RabbitMQConnection(settings)
    if isConfirming { try connection.enableConfirms() }
    return connection
  }

  /// Sends the messages that can be sent at once, in order, and drops the rest.
  func send(_ messages: [Message]) {
    var sinceRead = Int.max
    defer { if messages.count > 1 { connection?.gather(false) } }
    for message in messages {
      // Read alarms and confirms before a burst and now and then within it.
      if sinceRead >= 64 {
        open()
        serve()
        if messages.count > 1 { connection?.gather(true) }
        sinceRead = 0
      }
      sinceRead += 1
      if let reason = obstacle(to: message) {
        meters.countDropped(message.kind, reason)
      } else {
        publish(message)
      }
    }
  }

  /// The push jobs confirmed since the last call.
  func takeConfirmed() -> [PushJobID] {
    serve()
    defer { confirmed = [] }
    return confirmed
  }

  var isOpen: Bool { connection != nil }

  /// Whether a message that proves a node waits for its confirm.
  var isProving: Bool { !nodes.isEmpty }

  /// The nodes proven since the last call.
  func takeProvenNodes() -> [UInt32] {
    serve()
    defer { provenNodes = [] }
    return provenNodes
  }

  /// Reads the arrived data, which is also a sign of life. Never waits.
  func serve() {
    guard let connection else { return }
    do throws(RabbitMQError) {
      try connection.serveHeartbeats()
      let hasRefused = awaitConfirms(connection)
      if hasRefused, patience.isOver(at: context.clock.uptimeNanoseconds()) { drop() }
    } catch { lose(error) }
  }

  func close() {
    connection?.close()
    connection = nil
    // A closed outlet sends nothing.
    nextAttempt = .max
  }

  private func obstacle(to message: Message) -> BusMeters.Drop? {
    guard let connection else { return .disconnected }
    if connection.blockedReason != nil { return .blocked }
    if !message.jobs.isEmpty, jobCount >= limits.jobs { return .congested }
    if connection.unconfirmedCount >= limits.messages { return .congested }
    // A full send buffer would hold the owner up until the broker reads again. Linux calls a socket
    // writable only while a third of its buffer is free. That is room for more than one message.
    var watched = pollfd(fd: connection.descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&watched, 1, 0) == 1 ? nil : .congested
  }

  private func publish(_ message: Message) {
    guard let connection else { return }
    do throws(RabbitMQError) {
      let sequence = try connection.publish(
        exchange: message.exchange, routingKey: message.routingKey,
        properties: message.properties, body: message.body, mandatory: !message.jobs.isEmpty)
      if !message.jobs.isEmpty {
        jobs[sequence] = (message.jobs, context.clock.uptimeNanoseconds())
        jobCount += message.jobs.count
      }
      if let node = message.node { nodes[sequence] = node }
      meters.countPublished(message.kind)
    } catch {
      meters.countDropped(message.kind, error.code == .blocked ? .blocked : .disconnected)
      if connection.failure != nil { lose(error) }
    }
  }

  /// Reads the broker's answers.
  /// - Returns: Whether the broker refused a job.
  @discardableResult
  private func awaitConfirms(_ connection: RabbitMQConnection) -> Bool {
    var hasRefused = false
    for confirmation in connection.takeConfirmations() {
      if let node = nodes.removeValue(forKey: confirmation.sequence),
        confirmation.outcome == .confirmed
      {
        provenNodes.append(node)
      }
      guard let held = jobs.removeValue(forKey: confirmation.sequence) else { continue }
      jobCount -= held.ids.count
      meters.count(confirmation.outcome)
      switch confirmation.outcome {
      case .confirmed:
        confirmed += held.ids
        let now = context.clock.uptimeNanoseconds()
        meters.confirmed(after: now &- held.at)
        if homeless.isOpen { context.log.write(homeless.wentWell(at: now)) }
      case .returned(let code, let text):
        context.log.write(
          homeless.failed(at: context.clock.uptimeNanoseconds(), isSevere: true),
          metadata: ["code": .stringConvertible(code), "reason": "\(text)"])
      case .refused: hasRefused = true
      case .unknown: break
      }
    }
    return hasRefused
  }

  /// Connects anew if the connection was lost and the next attempt is due.
  func open() {
    guard connection == nil else {
      if outage.isOpen {
        context.log.write(outage.wentWell(at: context.clock.uptimeNanoseconds()))
      }
      return
    }
    let now = context.clock.uptimeNanoseconds()
    guard now >= nextAttempt else { return }
    do throws(RabbitMQError) {
      connection = try Self.connect(settings, isConfirming: isConfirming)
      patience = RefusalPatience(openedAt: now)
      failedAttempts = 0
    } catch { lose(error) }
  }

  private func drop() {
    connection?.close()
    connection = nil
    for _ in jobs { meters.count(.unknown) }
    (jobs, jobCount, nodes) = ([:], 0, [:])
    lossCount += 1
    lastLossCode = nil
  }

  /// Gives the connection up. Unconfirmed jobs are left to the outbox.
  private func lose(_ error: RabbitMQError) {
    if let connection { awaitConfirms(connection) }
    drop()
    lastLossCode = error.replyCode
    failedAttempts += 1
    let wait = limits.backoff.wait(after: failedAttempts, random: context.randomness.next())
    let now = context.clock.uptimeNanoseconds()
    nextAttempt = now &+ UInt64(wait.wholeNanoseconds)
    context.log.write(outage.failed(at: now), metadata: ["reason": "\(error)"])
  }
}

extension Duration {
  /// The time between two readings of a clock.
  init(from start: UInt64, to end: UInt64) {
    self = .nanoseconds(Int64(clamping: end >= start ? end - start : 0))
  }
}

extension PushJob {
  /// The job as it is published: persistent, named by its id.
  var properties: MessageProperties {
    MessageProperties(
      contentType: "application/json", isPersistent: true, messageID: "\(id)")
  }
}

extension PushJobMessage {
  /// The message as it is published: persistent, named by its only job.
  /// It bears the time.
  func properties(at now: Instant) -> MessageProperties {
    var properties = MessageProperties(contentType: "application/x-ndjson", isPersistent: true)
    if jobs.count == 1, let job = jobs.first { properties = job.properties }
    properties.publishedAt = now
    return properties
  }
}
