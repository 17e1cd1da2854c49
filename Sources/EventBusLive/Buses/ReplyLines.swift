import LibRabbitMQ
import Logging
import MatchInterfaces

/// Sends replies to direct reply-to addresses, on connections that serve nothing else.
///
/// The broker ends a connection that sends to an impossible address (541), and every publisher can
/// name any address as reply-to. So there are two connections. The first sends to addresses of
/// proven nodes. Other addresses wait until a message to their node alone is confirmed on the
/// second one. A made-up address thus ends a connection that nobody else needs, and no reply is
/// lost with it. The node that answers our own probe is known from the start.
final class ReplyLines {
  struct Reply {
    var replyTo: String
    var correlationID: String
    var body: [UInt8]
  }

  /// The wait for the answer to a probe, and until the next probe.
  private static let probeWait: Duration = .seconds(1)
  private static let probePauseNanoseconds: UInt64 = 15_000_000_000

  private let context: BusContext
  private let settings: RabbitMQSettings
  private let kind: BusMeters.Kind
  private let meters: BusMeters
  private let proven: CourtesyPublisher
  private let strange: CourtesyPublisher
  /// Proven nodes. There are no more than the broker has.
  private var nodes: Set<UInt32> = []
  private var trials = NodeTrials()
  private var nextProbe: UInt64? = 0
  /// Whether this broker's addresses have a form that cannot be taken apart here.
  private var isForeign = false
  private var (provenLosses, strangeLosses) = (0, 0)
  private var doubt = Incident(
    Incident.Messages(
      began: "the node of the replies is not known yet",
      lasts: "the node of the replies is still not known",
      ended: "the node of the replies is known"))

  /// Connects.
  ///
  /// - Parameters:
  ///   - name: The name of the connections.
  ///   - outage: That of all publishers of the same bus.
  /// - Throws: `disconnected` or `notPermitted` if it cannot connect.
  init(
    _ context: BusContext, name: String, kind: BusMeters.Kind, meters: BusMeters,
    outage: PublishingOutage = PublishingOutage()
  ) throws(BusError) {
    self.context = context
    self.kind = kind
    self.meters = meters
    var settings = context.address.settings(for: "\(name), finding its node")
    settings.connectTimeout = min(settings.connectTimeout, Self.probeWait)
    settings.replyTimeout = min(settings.replyTimeout, Self.probeWait)
    self.settings = settings
    proven = try CourtesyPublisher(
      context, name: name, isConfirming: false, meters: meters, outage: outage)
    strange = try CourtesyPublisher(
      context, name: "\(name) to strangers", isConfirming: true, meters: meters, outage: outage)
    probe()
  }

  /// Sends the replies that can be sent at once, keeps those that wait for a node, and drops the
  /// rest.
  ///
  /// A reply to anything but a direct reply-to address is dropped and counted.
  func send(_ replies: [Reply]) {
    guard !replies.isEmpty else { return }
    learn()
    proven.open()
    if let nextProbe, context.clock.uptimeNanoseconds() >= nextProbe, proven.isOpen { probe() }
    let uptime = context.clock.uptimeNanoseconds()
    var (known, foreign): ([CourtesyPublisher.Message], [CourtesyPublisher.Message]) = ([], [])
    for reply in replies {
      guard reply.replyTo.hasPrefix(ReplyAddress.prefix) else {
        meters.countDropped(kind, .foreignAddress)
        continue
      }
      guard let address = ReplyAddress(reply.replyTo) else {
        if isForeign {
          foreign.append(message(reply))
        } else {
          meters.countDropped(kind, .foreignAddress)
        }
        continue
      }
      if nodes.contains(address.node) {
        known.append(message(reply))
      } else if isForeign || !trials.keep(reply, for: address.node, at: uptime) {
        // The broker's own address cannot be taken apart. One that can is made up.
        meters.countDropped(kind, .unknownNode)
      }
    }
    proven.send(known)
    strange.send(foreign)
    tryNext()
  }

  /// Reads the arrived data, which is also a sign of life. Never waits.
  func serve() {
    proven.serve()
    strange.serve()
    learn()
    tryNext()
  }

  func close() {
    proven.close()
    strange.close()
  }

  private func message(_ reply: Reply) -> CourtesyPublisher.Message {
    CourtesyPublisher.Message(
      kind: kind, routingKey: reply.replyTo,
      properties: MessageProperties(isPersistent: false, correlationID: reply.correlationID),
      body: reply.body)
  }

  // MARK: Nodes

  private func learn() {
    // A proven node that is gone ends a connection just as an unknown one does.
    if proven.lossCount != provenLosses {
      provenLosses = proven.lossCount
      trials.prefer(nodes)
      nodes = []
      nextProbe = 0
    }
    for node in strange.takeProvenNodes() { prove(node) }
    if strange.lossCount != strangeLosses {
      strangeLosses = strange.lossCount
      // Only the broker's internal error speaks against the node. A broker that shuts down does
      // not.
      if strange.lastLossCode == 541 {
        for _ in 0..<trials.fail(at: context.clock.uptimeNanoseconds()) {
          meters.countDropped(kind, .unknownNode)
        }
      } else {
        trials.abort()
      }
    }
  }

  private func prove(_ node: UInt32) {
    nodes.insert(node)
    proven.send(trials.succeed(node).map(message))
  }

  /// Sends to the next node on trial, in a message that nobody waits for.
  private func tryNext() {
    guard trials.kept.candidates > 0 else { return }
    strange.open()
    guard strange.isOpen, let (node, address) = trials.next(at: context.clock.uptimeNanoseconds())
    else { return }
    var trial = message(Reply(replyTo: address, correlationID: "", body: []))
    trial.node = node
    strange.send([trial])
    if !strange.isProving { trials.abort() }
  }

  /// Finds the name of the node that we are connected to.
  private func probe() {
    nextProbe = context.clock.uptimeNanoseconds() &+ Self.probePauseNanoseconds
    do throws(RabbitMQError) {
      let queue = context.names.reader(context.randomness.next128())
      let address = try ReplyProbe.address(settings, queue: queue, wait: Self.probeWait)
      guard let address else { return }
      nextProbe = nil
      isForeign = ReplyAddress(address) == nil
      guard let node = ReplyAddress(address)?.node else {
        return context.log.error(
          "strangers can keep replies from players: the form of this broker's addresses is unknown",
          metadata: ["address": "\(address)", "remedy": "run RabbitMQ 3.10"])
      }
      prove(node)
      context.log.write(doubt.wentWell(at: context.clock.uptimeNanoseconds()))
    } catch {
      context.log.write(
        doubt.failed(at: context.clock.uptimeNanoseconds()), metadata: ["reason": "\(error)"])
    }
  }
}
