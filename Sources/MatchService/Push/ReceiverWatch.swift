import MatchCore
import MatchInterfaces

/// Whether a provider's push services take notifications, as one push worker finds. It hears of the
/// operator's and of those of browsers' makers. A client's own server could raise an alarm, or hide
/// one.
struct ReceiverWatch {
  /// Addresses and tokens that clients have chosen are trouble only if so many players' devices take
  /// nothing: one client must not raise an alarm.
  private static let foreignPlayers = 3

  /// If a job has been due again for this long, another worker has it, in nanoseconds.
  private static let spare: UInt64 = 60_000_000_000

  /// The first attempt that failed since the last that went well, or since nothing was tried.
  private var failingSince: UInt64?
  /// Until when that means anything: by then the jobs have been tried again.
  private var until: UInt64 = 0
  private var reason = ""
  /// Some of the players whose addresses, chosen by clients, took nothing since.
  private var foreign: Set<PlayerID> = []
  private var isOwn = false

  /// A notification was taken.
  mutating func took() { (failingSince, foreign, isOwn) = (nil, [], false) }

  /// A notification was not taken, and is tried again.
  mutating func failed(
    _ reason: String, of player: PlayerID, isForeign: Bool, at uptime: UInt64,
    triedAgainAfter delay: PushBus.RetryDelay
  ) {
    if uptime >= until { took() }
    if !isForeign {
      isOwn = true
    } else if foreign.count < Self.foreignPlayers {
      foreign.insert(player)
    }
    failingSince = uptime < until ? failingSince ?? uptime : uptime
    until = max(until, uptime &+ UInt64(delay.rawValue) * 1_000_000_000 &+ Self.spare)
    self.reason = reason
  }

  /// For how long none has been taken, in nanoseconds. Nil: that is no trouble of the service.
  func silence(at uptime: UInt64) -> UInt64? {
    guard let failingSince, uptime < until, isOwn || foreign.count >= Self.foreignPlayers else {
      return nil
    }
    return uptime &- failingSince
  }

  /// The text of the complaint if none has been taken for so long; nil: no complaint.
  func complaint(about provider: String, at uptime: UInt64, after patience: Duration) -> String? {
    guard let silence = silence(at: uptime),
      silence >= UInt64(max(0, patience / .nanoseconds(1)))
    else { return nil }
    return "\(provider) has taken no notification for more than "
      + "\(patience.components.seconds) s: \(reason)"
  }
}
