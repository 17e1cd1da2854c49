import LibRabbitMQ
import Logging
import MatchInterfaces

/// Sends replies to direct reply-to addresses, on connections that are for nothing else.
///
/// The broker ends a connection over which it is to send to an address that cannot be (541), and
/// whoever may publish can name any as reply-to. So an address takes one way where its node is known
/// to be there, and waits where it is not, until a message to that node alone was confirmed on a way
/// apart: what a stranger makes up ends a connection that nobody else needs, and takes no reply with
/// it. The node that answers a probe of our own is known from the start.
final class ReplyLines {
  struct Reply {
    var replyTo: String
    var correlationID: String
    var body: [UInt8]
  }

  /// How long to wait for the answer to a probe, and until the next one.
  private static let probeWait: Duration = .seconds(1)
  private static let probePauseNanoseconds: UInt64 = 15_000_000_000

  private let context: BusContext
  private let settings: RabbitMQSettings
  private let kind: BusMeters.Kind
  private let meters: BusMeters
  private let proven: Outlet
  private let strange: Outlet
  /// Nodes that are there; no more than the broker has.
  private var nodes: Set<UInt32> = []
  private var trials = NodeTrials()
  private var nextProbe: UInt64? = 0
  /// Whether this broker's addresses have another form than the one that can be taken apart.
  private var isForeign = false
  private var (provenLosses, strangeLosses) = (0, 0)

  /// Connects.
  ///
  /// - Parameter name: What the connections are called.
  /// - Throws: `disconnected` or `notPermitted` if there are no connections to be had.
  init(
    _ context: BusContext, name: String, kind: BusMeters.Kind, meters: BusMeters
  ) throws(BusError) {
    self.context = context
    self.kind = kind
    self.meters = meters
    var settings = context.address.settings(for: "\(name), finding its node")
    settings.connectTimeout = min(settings.connectTimeout, Self.probeWait)
    settings.replyTimeout = min(settings.replyTimeout, Self.probeWait)
    self.settings = settings
    proven = try Outlet(context, name: name, isConfirming: false, meters: meters)
    strange = try Outlet(context, name: "\(name) to strangers", isConfirming: true, meters: meters)
    probe()
  }

  /// Sends what can be sent at once, keeps what waits for its node, and drops the rest.
  ///
  /// A reply to anything but a direct reply-to address is dropped and counted.
  func send(_ replies: [Reply]) {
    guard !replies.isEmpty else { return }
    learn()
    proven.open()
    if let nextProbe, context.clock.uptimeNanoseconds() >= nextProbe, proven.isOpen { probe() }
    let uptime = context.clock.uptimeNanoseconds()
    var (known, foreign): ([Outlet.Message], [Outlet.Message]) = ([], [])
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
        // An address that can be taken apart, where the broker's own cannot, is made up.
        meters.countDropped(kind, .unknownNode)
      }
    }
    proven.send(known)
    strange.send(foreign)
    tryNext()
  }

  /// Reads what has arrived, which is also a sign of life; never waits.
  func serve() {
    proven.serve()
    strange.serve()
    learn()
    tryNext()
  }

  /// Closes the connections.
  func close() {
    proven.close()
    strange.close()
  }

  private func message(_ reply: Reply) -> Outlet.Message {
    Outlet.Message(
      kind: kind, routingKey: reply.replyTo,
      properties: MessageProperties(isPersistent: false, correlationID: reply.correlationID),
      body: reply.body)
  }

  // MARK: Nodes

  private func learn() {
    // A node that was proven and is gone ends a connection like one that never was.
    if proven.lossCount != provenLosses {
      provenLosses = proven.lossCount
      trials.prefer(nodes)
      nodes = []
      nextProbe = 0
    }
    for node in strange.takeProvenNodes() { prove(node) }
    if strange.lossCount != strangeLosses {
      strangeLosses = strange.lossCount
      // Only the broker's internal error speaks against the node; a broker that goes down does not.
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

  /// Sends to the next node that has to be tried, in a message that nobody waits for.
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

  /// Finds out how the node is called that we are connected to.
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
    } catch {
      context.log.warning(
        "the node of the replies is not known yet", metadata: ["reason": "\(error)"])
    }
  }
}
