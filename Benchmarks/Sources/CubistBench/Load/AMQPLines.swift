import CEpoll
import Glibc
import LibRabbitMQ

/// Connections of AMQP, each of one player, served by one thread.
final class AMQPLines: Lines {
  private let epoll: Int32
  private let requesters: [Requester]
  private var events = [epoll_event](repeating: epoll_event(), count: 512)

  init(count: Int, connect: () throws -> RabbitMQConnection) throws {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw HTTPLines.failure("epoll") }
    requesters = try (0..<count).map { _ in try Requester(connect()) }
    for (line, requester) in requesters.enumerated() {
      var event = epoll_event()
      event.events = EPOLLIN.rawValue
      event.data.u64 = UInt64(line)
      guard epoll_ctl(epoll, EPOLL_CTL_ADD, requester.connection.descriptor, &event) == 0 else {
        throw HTTPLines.failure("epoll_ctl")
      }
    }
  }

  func close() {
    for requester in requesters { requester.close() }
    Glibc.close(epoll)
  }

  func send(_ event: Outgoing, on line: Int) throws {
    _ = try requesters[line].submit(
      exchange: event.exchange, routingKey: event.routingKey, properties: event.properties,
      body: event.body)
  }

  func replies(waitMilliseconds: Int32) throws -> [(line: Int, body: [UInt8])] {
    let count = epoll_wait(epoll, &events, Int32(events.count), waitMilliseconds)
    guard count >= 0 || errno == EINTR else { throw HTTPLines.failure("epoll_wait") }
    var replies: [(line: Int, body: [UInt8])] = []
    for event in events.prefix(Int(max(0, count))) {
      let line = Int(event.data.u64)
      for update in try requesters[line].poll() {
        switch update {
        case .confirmed: break
        case .failure(_, let error): throw BenchFailure("\(error)")
        case .reply(_, let delivery): replies.append((line, delivery.body))
        }
      }
    }
    return replies
  }
}
