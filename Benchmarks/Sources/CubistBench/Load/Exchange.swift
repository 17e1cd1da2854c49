import LibRabbitMQ
import MatchCore
import MatchLoad
import MatchService
import MatchWire

/// Sends events of players, a window of them at once, and takes the accepted replies.
final class Exchange {
  private let requester: Requester
  /// Requests that are open at once.
  private static let window = 128

  init(_ site: Site) throws {
    requester = try Requester(site.connectAsPlayer())
  }

  func close() { requester.close() }

  /// Walks so many lanes to their ends, event by event.
  /// - Parameters:
  ///   - first: The first event of a lane.
  ///   - then: The event after an accepted one; nil: the lane is done.
  func run(
    count: Int, first: (Int) throws -> SentEvent, then: (Int, Acceptance) throws -> SentEvent?
  ) throws {
    var open: [Requester.RequestID: Int] = [:]
    var next = 0
    var heard = monotonic()
    while next < count || !open.isEmpty {
      while next < count, open.count < Exchange.window {
        open[try submit(first(next))] = next
        next += 1
      }
      for update in try requester.poll(wait: .milliseconds(100)) {
        switch update {
        case .confirmed: break
        case .failure(_, let error): throw BenchFailure("\(error)")
        case .reply(let id, let delivery):
          guard let lane = open.removeValue(forKey: id) else { break }
          guard case .accepted(let acceptance) = try ReplyCodec.decode(delivery.body).reply else {
            throw BenchFailure("refused: \(String(decoding: delivery.body, as: UTF8.self))")
          }
          heard = monotonic()
          if let following = try then(lane, acceptance) { open[try submit(following)] = lane }
        }
      }
      try Interruption.check()
      guard seconds(from: heard, to: monotonic()) < 60 else {
        throw BenchFailure("\(open.count) of \(count) events are not answered for a minute")
      }
    }
  }

  private func submit(_ sent: SentEvent) throws -> Requester.RequestID {
    guard let slot = Slot(of: sent.event) else { throw BenchFailure("an event without a slot") }
    return try requester.submit(
      exchange: Names().events, routingKey: slot.routingKey,
      body: sent.envelope())
  }
}
