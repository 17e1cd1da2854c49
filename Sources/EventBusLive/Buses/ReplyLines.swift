import LibRabbitMQ
import MatchInterfaces

/// Sends replies to direct reply-to addresses, on connections that are for nothing else.
///
/// The broker ends a connection over which it is to send to an address that cannot be (541), and
/// whoever may publish can name any as reply-to. So an address takes one way where another of the
/// same node has been sent to before, and a way apart where none has: what a stranger makes up ends
/// a connection that nobody else needs.
final class ReplyLines {
  /// A reply and whom it is for.
  struct Reply {
    var replyTo: String
    var correlationID: String
    var body: [UInt8]
  }

  private let kind: BusMeters.Kind
  private let meters: BusMeters
  private let proven: Outlet
  private let strange: Outlet
  /// Nodes to which a reply was sent and confirmed; no more than the broker has.
  private var nodes: Set<UInt32> = []
  private var lossCount = 0

  /// Connects.
  ///
  /// - Parameter name: What the connections are called.
  /// - Throws: `disconnected` or `notPermitted` if there are no connections to be had.
  init(
    _ context: BusContext, name: String, kind: BusMeters.Kind, meters: BusMeters
  ) throws(BusError) {
    self.kind = kind
    self.meters = meters
    proven = try Outlet(context, name: name, isConfirming: false, meters: meters)
    strange = try Outlet(context, name: "\(name) to strangers", isConfirming: true, meters: meters)
  }

  /// Sends what can be sent at once and drops the rest.
  ///
  /// A reply to anything but a direct reply-to address is dropped and counted.
  func send(_ replies: [Reply]) {
    guard !replies.isEmpty else { return }
    learn()
    var (known, unknown): ([Outlet.Message], [Outlet.Message]) = ([], [])
    for reply in replies {
      guard reply.replyTo.hasPrefix(ReplyAddress.prefix) else {
        meters.countDropped(kind, .foreignAddress)
        continue
      }
      var message = Outlet.Message(
        kind: kind, routingKey: reply.replyTo,
        properties: MessageProperties(isPersistent: false, correlationID: reply.correlationID),
        body: reply.body)
      let address = ReplyAddress(reply.replyTo)
      if let address, nodes.contains(address.node) {
        known.append(message)
      } else {
        message.node = address?.node
        unknown.append(message)
      }
    }
    proven.send(known)
    strange.send(unknown)
  }

  /// Reads what has arrived, which is also a sign of life; never waits.
  func serve() {
    proven.serve()
    strange.serve()
    learn()
  }

  /// Closes the connections.
  func close() {
    proven.close()
    strange.close()
  }

  private func learn() {
    // A node that was proven and is gone ends a connection like one that never was.
    if proven.lossCount != lossCount { nodes = [] }
    lossCount = proven.lossCount
    nodes.formUnion(strange.takeProvenNodes())
  }
}
