package import MatchInterfaces
package import MatchWire
import Synchronization

/// Where those who ask meet the thread that has the broker's connection. Each message has a number;
/// its asker hears exactly once how it ended.
package final class GatewayDesk: Sendable {
  /// One message and its asker.
  private struct Open {
    /// Until when its asker waits.
    var deadline: UInt64
    /// Until when its answer may come, whether or not somebody waits for it.
    var end: UInt64
    /// Whether the bus has it.
    var isHanded = false
    var isConfirmed = false
    /// Nil once its asker waits no more.
    var answer: (@Sendable (Fate) -> Void)?
    let over: @Sendable () -> Void
  }

  private struct State {
    var isConnected = false
    var lastNumber: UInt64 = 0
    var outbox: [GatewayBus.Outgoing] = []
    var forgotten: [UInt64] = []
    var open: [UInt64: Open] = [:]
  }

  private struct Ending {
    var answer: (@Sendable (Fate) -> Void)?
    var fate: Fate
    /// Nil: its answer may still come.
    var over: (@Sendable () -> Void)?

    init(_ open: Open, _ fate: Fate) { (answer, self.fate, over) = (open.answer, fate, open.over) }
  }

  private let state = Mutex(State())
  private let limit: Int
  private let clock: WallClock
  private let wake: @Sendable () -> Void

  /// - Parameters:
  ///   - limit: The most messages that are open at once.
  ///   - wake: Wakes the thread that has the connection.
  package init(limit: Int, clock: WallClock, wake: @escaping @Sendable () -> Void) {
    (self.limit, self.clock, self.wake) = (limit, clock, wake)
  }

  /// How many messages are open.
  package var openCount: Int { state.withLock { $0.open.count } }
  /// Whether there is a connection to the broker.
  package var isConnected: Bool { state.withLock { $0.isConnected } }

  // MARK: Asking

  /// Hands a message to the thread with the connection. `answer` and `over` are called once, on any
  /// thread.
  /// - Parameters:
  ///   - wait: How long its asker waits.
  ///   - time: How long its answer may come, and the message counts; nil: as long as its asker waits.
  ///   - answer: How it ended for its asker.
  ///   - over: It counts no more, before that or later: its answer has come, cannot come, or nobody
  ///     asks for it any more.
  /// - Returns: the message's number; nil if it was not taken, and `answer` has been called.
  @discardableResult
  package func send(
    _ body: [UInt8], to destination: GatewayBus.Outgoing.Destination,
    trace: RequestTrace? = nil, within wait: Duration, countingFor time: Duration? = nil,
    over: @escaping @Sendable () -> Void = {}, answer: @escaping @Sendable (Fate) -> Void
  ) -> UInt64? {
    let now = clock.uptimeNanoseconds()
    let deadline = now &+ UInt64(max(0, wait / .nanoseconds(1)))
    let end = max(deadline, now &+ UInt64(max(0, (time ?? wait) / .nanoseconds(1))))
    let taken: Taken = state.withLock { state in
      guard state.isConnected else { return .refused(.disconnected) }
      guard state.open.count < limit else { return .refused(.full) }
      state.lastNumber += 1
      state.outbox.append(
        GatewayBus.Outgoing(
          number: state.lastNumber, destination: destination, body: body, trace: trace,
          life: max(wait, .seconds(1))))
      state.open[state.lastNumber] = Open(
        deadline: deadline, end: end, answer: answer, over: over)
      return .number(state.lastNumber, isFirst: state.outbox.count == 1)
    }
    switch taken {
    case .number(let number, let isFirst):
      if isFirst { wake() }
      return number
    case .refused(let why):
      over()
      answer(.unsent(why))
      return nil
    }
  }

  private enum Taken {
    case number(UInt64, isFirst: Bool)
    case refused(Fate.Unsent)
  }

  /// Ends a wait: its asker does not want to wait any more. One that ended already stays as it is.
  package func cancel(_ number: UInt64) {
    end(state.withLock { state in endings(of: [number], &state) })
  }

  /// Ends the waits whose time is over.
  package func expire(at uptime: UInt64) {
    end(
      state.withLock { state in
        let due = state.open.filter { $0.value.end <= uptime }.keys
        return endings(of: Array(due), &state) + endImpatience(at: uptime, &state)
      })
  }

  /// Answers those who wait no more for answers that may still come.
  private func endImpatience(at uptime: UInt64, _ state: inout State) -> [Ending] {
    let impatient = state.open.filter { $0.value.deadline <= uptime && $0.value.answer != nil }
    return impatient.map { number, open in
      state.open[number]?.answer = nil
      var ending = Ending(open, .unanswered(isConfirmed: open.isConfirmed))
      ending.over = nil
      return ending
    }
  }

  /// Ends every wait.
  package func cancelAll() {
    end(state.withLock { state in endings(of: Array(state.open.keys), &state) })
  }

  /// The endings of waits without an answer. What the bus has not taken yet is not sent.
  private func endings(of numbers: [UInt64], _ state: inout State) -> [Ending] {
    var unsent: Set<UInt64> = []
    let endings = numbers.compactMap { number -> Ending? in
      guard let open = state.open.removeValue(forKey: number) else { return nil }
      if open.isHanded { state.forgotten.append(number) } else { unsent.insert(number) }
      return Ending(open, .unanswered(isConfirmed: open.isConfirmed))
    }
    if !unsent.isEmpty { state.outbox.removeAll { unsent.contains($0.number) } }
    return endings
  }

  private func end(_ endings: [Ending]) {
    for ending in endings {
      ending.over?()
      ending.answer?(ending.fate)
    }
  }

  // MARK: The thread with the connection

  /// There is a connection.
  package func connected() { state.withLock { $0.isConnected = true } }

  /// The connection is lost, and with it the fate of every message that the bus had.
  package func disconnected() {
    end(
      state.withLock { state in
        state.isConnected = false
        state.outbox = []
        state.forgotten = []
        let all = state.open
        state.open = [:]
        return all.values.map { one in
          guard one.isHanded else { return Ending(one, .unsent(.disconnected)) }
          return Ending(one, .unanswered(isConfirmed: one.isConfirmed))
        }
      })
  }

  /// The messages to send now, and the numbers to forget.
  package func take() -> (outgoing: [GatewayBus.Outgoing], forgotten: [UInt64]) {
    state.withLock { state in
      let taken = (state.outbox, state.forgotten)
      state.outbox = []
      state.forgotten = []
      for message in taken.0 { state.open[message.number]?.isHanded = true }
      return taken
    }
  }

  /// Takes in the fates of messages.
  package func handle(_ incoming: [GatewayBus.Incoming]) {
    guard !incoming.isEmpty else { return }
    end(
      state.withLock { state in
        incoming.compactMap { one -> Ending? in
          switch one {
          case .confirmed(let number):
            state.open[number]?.isConfirmed = true
            return nil
          case .reply(let number, let bytes):
            return state.open.removeValue(forKey: number).map { Ending($0, .reply(bytes)) }
          case .failed(let number, _):
            return state.open.removeValue(forKey: number).map { Ending($0, .unsent(.refused)) }
          }
        }
      })
  }
}
