import ServiceNews
import MatchCore
import MatchWire
import TerminalScreen

/// The service's description, in words.
enum ServiceText {
  static func text(_ info: ServiceInfo) -> String {
    var text = "Service \(info.service), version \(TerminalText.safe(info.version))"
    if let oldest = info.oldestClient { text += ", for cubist \(oldest) and later" }
    text += """
      .
      Its root key is \(info.rootKey).
      Its time is \(Wording.second(info.now)).
      \(registration(info.registration))
      A turn has \(info.limits.moves) moves and \(info.limits.turnBytes) bytes at most, anything \
      else \(info.limits.payloadBytes) bytes, a match \(info.limits.entries) entries.

      """
    text += playerLimits(info.limits)
    for daily in info.dailies ?? [] {
      let mode = daily.daily.mode == .timed ? "timed daily" : "daily"
      text +=
        "The \(mode) of \(daily.daily.day) has \(Wording.count(daily.players, "player")) so far.\n"
    }
    return text
  }

  /// One player's limits; nothing where there are none.
  private static func playerLimits(_ limits: ServiceInfo.Limits) -> String {
    let parts = [
      limits.eventsPerMinute.map { "\($0) events in a minute" },
      limits.openRequests.map { "\($0) requests that wait" },
      limits.runningMatches.map { "\($0) matches that are not over" },
      limits.queriesPerMinute.map { "\($0) queries in a minute" },
      limits.invitations.map { "\($0) invitations that wait" },
      limits.strangerInvitations.map { "\($0) of them from strangers" },
      limits.blocks.map { "\($0) blocked players" },
    ].compactMap(\.self)
    let players =
      parts.isEmpty ? "" : "A player has at most \(parts.joined(separator: ", ")).\n"
    return players
      + (limits.registrationsPerHour.map {
        "\(Wording.count($0, "player")) at most may register in an hour without a code.\n"
      } ?? "")
  }

  private static func registration(_ registration: ServiceInfo.Registration) -> String {
    switch registration {
    case .open: "Anybody may register."
    case .code: "Registration needs a code."
    }
  }
}
