import CubePlay
import MatchCore

extension FieldChecks {
  /// The service's own checks.
  static let live = FieldChecks(
    playerName: { PlayerName($0) == nil ? "3 to 16 of A-Z a-z 0-9 _ and -" : nil },
    displayName: { DisplayName($0) == nil ? "1 to 32 visible characters" : nil },
    deviceName: { DeviceName($0) == nil ? "1 to 32 of A-Z a-z 0-9 _ - and ." : nil },
    turnLimit: { text in
      guard let seconds = DurationText.seconds(text) else { return "3d, 12h, 90m or 45s" }
      return MatchRequest.turnLimits.contains(seconds) ? nil : "10s to 30d"
    },
    code: { ShareCode($0) == nil ? "4 to 16 of A-Z and 0-9" : nil }, deviceLimit: Device.limit)
}
