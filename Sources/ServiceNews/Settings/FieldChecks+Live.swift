package import CubePlay
import MatchCore

extension FieldChecks {
  /// The service's own checks.
  package static let live: FieldChecks = {
    var checks = most
    checks.reportText = { text in
      Report.Text(typed: text) == nil ? "1 to 200 bytes of visible characters" : nil
    }
    checks.time = { MinuteOfDay($0) == nil ? "a time such as 07:30" : nil }
    checks.timeZone = { TimeZoneName($0) == nil ? "a name such as Europe/Berlin" : nil }
    return checks
  }()

  private static let most = FieldChecks(
    playerName: { PlayerName($0) == nil ? "3 to 16 of A-Z a-z 0-9 _ and -" : nil },
    displayName: { DisplayName($0) == nil ? DisplayName.rule.description : nil },
    deviceName: { DeviceName($0) == nil ? "1 to 32 of A-Z a-z 0-9 _ - and ." : nil },
    turnLimit: { text in
      guard DurationText.seconds(text) != nil else { return "3d, 12h, 90m or 45s" }
      return MatchRequest.turnLimit(text) == nil ? "10s to 30d" : nil
    },
    code: { ShareCode(pasted: $0) == nil ? "4 to 16 of A-Z and 0-9" : nil },
    deviceLimit: Device.limit)
}
