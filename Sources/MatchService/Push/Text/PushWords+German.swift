import MatchCore
import MatchInterfaces

extension PushWords {
  static func german(_ facts: PushFacts) -> PushWords {
    let name = facts.name
    let who = name ?? "Dein Gegenüber"
    let day = facts.day.map { "vom \(german($0))" } ?? "von heute"
    switch facts.kind {
    case .yourTurn:
      return PushWords(
        "Du bist am Zug",
        name == nil
          ? "Eine Partie wartet auf deinen Zug."
          : "\(who) hat gespielt. Die Partie wartet auf deinen Zug.")
    case .reacted:
      return PushWords("Eine Antwort", "\(who) hat auf deinen Zug mit einem Wort geantwortet.")
    case .invited:
      return PushWords(
        "Eine Einladung",
        name == nil
          ? "Du bist zu einer Partie eingeladen." : "\(who) lädt dich zu einer Partie ein.")
    case .opponentJoined:
      return PushWords("Jemand spielt mit", "\(who) ist deiner Partie beigetreten.")
    case .rematchRequested: return PushWords("Revanche?", "\(who) möchte noch einmal spielen.")
    case .rematchStarted:
      return PushWords(
        "Die Revanche hat begonnen", "\(who) hat angenommen. Die neue Partie hat begonnen.")
    case .rematchDeclined:
      return PushWords("Keine Revanche", "\(who) hat die Revanche abgelehnt.")
    case .matchEnded:
      switch facts.ending {
      case .declined:
        return PushWords(
          "Abgelehnt",
          name == nil
            ? "Deine Einladung wurde abgelehnt." : "\(who) hat deine Einladung abgelehnt.")
      case .uncounted:
        return PushWords(
          "Die Partie zählt nicht",
          "\(who) hat vor dem ersten Zug aufgegeben: Die Partie zählt nicht.")
      case .ordinary:
        return PushWords(
          "Die Partie ist zu Ende",
          name == nil
            ? "Deine Partie ist zu Ende. Sieh nach, wie sie ausging."
            : "Deine Partie gegen \(who) ist zu Ende. Sieh nach, wie sie ausging.")
      }
    case .dailyReady:
      let yesterday =
        facts.yesterday.map { " Gestern warst du auf Platz \($0.rank) von \($0.outOf)." } ?? ""
      return PushWords("Die Aufgabe des Tages", "Die Aufgabe \(day) ist da.\(yesterday)")
    case .turnRunningOut:
      return PushWords(
        "Die Zeit läuft ab",
        "Die Zeit für deinen Zug läuft ab. \(who) wartet.")
    case .dailyEndsSoon:
      return PushWords(
        "Die Aufgabe endet bald", "Du hast die Aufgabe \(day) begonnen und nicht beendet.")
    case .account:
      return PushWords(
        "Dein Konto",
        "Deine Schlüssel oder deine Wiederherstellung haben sich geändert, oder dein Konto soll enden. "
          + "Wenn du das nicht warst, sieh jetzt nach deinen Schlüsseln und Einstellungen.")
    case .nudged:
      return PushWords("Eine Erinnerung", "\(who) erinnert dich daran, dass du am Zug bist.")
    case .rematchWaits:
      return PushWords("Revanche?", "\(who) wartet noch auf deine Antwort zur Revanche.")
    case .digest:
      return PushWords(
        "Deine Partien", facts.waiting.map { "\(waitingText($0))." } ?? "Partien warten auf dich.")
    case .weekInReview:
      return PushWords("Deine Woche", facts.week.map(review) ?? "Sieh nach, wie deine Woche war.")
    case .test: return PushWords("Ein Test", "Benachrichtigungen erreichen dieses Gerät.")
    }
  }

  static func german(_ turns: PushTurns) -> PushWords {
    let title = waitingText(turns.count)
    guard !turns.names.isEmpty else { return PushWords(title, "Du bist am Zug.") }
    var list = turns.names
    if turns.others > 0 { list.append(turns.others == 1 ? "1 anderer" : "\(turns.others) andere") }
    let verb = list.count == 1 ? "wartet" : "warten"
    return PushWords(title, "\(joined(list, "und")) \(verb) auf deinen Zug.")
  }

  private static func waitingText(_ count: Int) -> String {
    count == 1 ? "1 Partie wartet auf dich" : "\(count) Partien warten auf dich"
  }

  private static func review(_ week: PushStore.WeekReview) -> String {
    let best = week.bestPoints.map { " Dein bestes Spiel: \($0) Punkte." } ?? ""
    return "Gespielte Partien: \(week.played), gewonnen: \(week.won).\(best)"
  }

  /// A day as it is written in German: `1.5.2026`.
  private static func german(_ day: Day) -> String {
    day.description.split(separator: "-").reversed()
      .map { part in part.drop { $0 == "0" } }.joined(separator: ".")
  }
}
