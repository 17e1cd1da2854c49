package import MatchCore
package import MatchInterfaces
package import MatchWire
import Synchronization

/// What a gateway knows of its service: told by readers every few seconds.
package final class ServiceKnowledge: Sendable {
  /// How long one answer is good enough to ask no other.
  static let interval: Duration = .seconds(3)
  /// How long an answer shows that a reader is there.
  static let freshness: Duration = .seconds(10)

  private struct State {
    var info: (info: ServiceInfo, at: UInt64)?
    var began: UInt64 = 0
    /// The uptime before which no other question is due.
    var quietUntil: UInt64 = 0
    var isAsking = false
  }

  private let state = Mutex(State())
  private let clock: WallClock
  private let randomness: Randomness

  package init(clock: WallClock, randomness: Randomness) {
    (self.clock, self.randomness) = (clock, randomness)
  }

  /// The service's id; nil until a reader has answered.
  package var service: ServiceID? { state.withLock { $0.info?.info.service } }

  /// The most registrations without a code in an hour; nil: any number, or nobody knows.
  package var registrationsPerHour: Int? {
    state.withLock { $0.info?.info.limits.registrationsPerHour }
  }

  /// The service's data, with its time as of now.
  package func info(at uptime: UInt64) -> ServiceInfo? {
    state.withLock { $0.info }.map { known in
      var info = known.info
      info.now = info.now.adding(microseconds: Int64(uptime.elapsed(since: known.at) / 1_000))
      return info
    }
  }

  /// Readers have time to answer from now on.
  func began(at uptime: UInt64) { state.withLock { $0.began = uptime } }

  /// Whether a reader has answered lately, or may still do so for the first time.
  func isFresh(at uptime: UInt64) -> Bool {
    let limit = UInt64(ServiceKnowledge.freshness / .nanoseconds(1))
    return state.withLock { state in
      uptime.elapsed(since: max(state.info?.at ?? 0, state.began)) < limit
    }
  }

  /// Whether a reader has answered within the last seconds.
  package func isAnswered(at uptime: UInt64) -> Bool {
    let limit = UInt64(ServiceKnowledge.freshness / .nanoseconds(1))
    return state.withLock { $0.info.map { uptime.elapsed(since: $0.at) < limit } ?? false }
  }

  /// Asks if it is time.
  func askIfDue(_ desk: GatewayDesk) {
    let uptime = clock.uptimeNanoseconds()
    let interval = UInt64(ServiceKnowledge.interval / .nanoseconds(1))
    let isDue = state.withLock { state in
      guard !state.isAsking, uptime >= state.quietUntil else { return false }
      (state.isAsking, state.quietUntil) = (true, uptime &+ interval)
      return true
    }
    guard isDue else { return }
    let question = GatewayQuery(
      id: EventID(at: clock.now(), random: randomness.next128()),
      question: .asAnybody(.serviceInfo))
    desk.send(question.encoded, to: .gatewayQueries, within: .seconds(2)) { [self] fate in
      heard(fate)
    }
  }

  private func heard(_ fate: Fate) {
    let uptime = clock.uptimeNanoseconds()
    var told: ServiceInfo?
    if case .reply(let bytes) = fate,
      let (_, answer) = try? AnswerCodec.decode(bytes, as: ServiceInfo.self),
      case .ok(let info) = answer
    {
      told = info
    }
    state.withLock { state in
      state.isAsking = false
      if let told {
        state.info = (told, uptime)
      } else {
        state.quietUntil = uptime &+ 300_000_000
      }
    }
  }
}
