package import CubePlay
package import MatchCore
package import MatchWire

extension AccountWarning {
  /// The changes of the account that the home list tells, the most urgent first.
  package static func all(_ home: HomeView, now: Instant) -> [AccountWarning] {
    [
      home.recoveryAt.map { AccountWarning(recoveryAt: $0, now: now) },
      home.leavesAt.map { AccountWarning(leavesAt: $0, now: now) },
    ].compactMap { $0 }
  }

  private init(recoveryAt time: Instant, now: Instant) {
    self.init(
      .recovery,
      text: "Somebody asked for a new key for your account. It takes effect "
        + "\(Self.point(time, now: now)), and none of your devices plays as you then. Not you?",
      line: "A new key counts \(Self.when(time, now: now)). Not you? cubist key object")
  }

  private init(leavesAt time: Instant, now: Instant) {
    self.init(
      .departure,
      text: "Your account ends \(Self.point(time, now: now)), as one of your devices asked. "
        + "Not you?",
      line: "Your account ends \(Self.when(time, now: now)). Keep it: cubist account keep")
  }

  /// What is due waits for the service, which does it soon.
  private static func when(_ time: Instant, now: Instant) -> String {
    RecoveryNews.time(time, now: now) ?? "soon"
  }

  /// The same with the time itself.
  private static func point(_ time: Instant, now: Instant) -> String {
    RecoveryNews.time(time, now: now).map { "\($0), at \(Wording.minute(time))" } ?? "soon"
  }
}
