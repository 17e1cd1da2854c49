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
      case .withdrawn:
        return PushWords(
          "Eine Einladung weniger",
          "Eine Einladung an dich wurde zurückgezogen. Du brauchst nicht zu antworten.")
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
        "Deine Partien", facts.waiting.flatMap(digest) ?? "Partien warten auf dich.")
    case .weekInReview:
      return PushWords("Deine Woche", facts.week.map(review) ?? "Sieh nach, wie deine Woche war.")
    case .test: return PushWords("Ein Test", "Benachrichtigungen erreichen dieses Gerät.")
    }
  }

  static func german(_ news: PushNews) -> PushWords {
    let list = news.names?.list(and: "und") { $0 == 1 ? "1 anderer" : "\($0) andere" }
    guard news.names != nil, let (topic, count) = news.counts.first else {
      return PushWords(
        "Neues aus \(news.matchCount) Partien",
        news.counts.map { sentence($0.topic, $0.count) }.joined(separator: " "))
    }
    let (all, isOne) = list ?? ("", false)
    switch topic {
    case .turn:
      return PushWords(
        "\(count) Partien warten auf dich",
        list == nil
          ? "Du bist am Zug." : "\(all) \(isOne ? "wartet" : "warten") auf deinen Zug.")
    case .offer:
      return PushWords(
        "\(count) Angebote zur Revanche",
        list == nil
          ? "Andere möchten noch einmal spielen."
          : "\(all) \(isOne ? "möchte" : "möchten") noch einmal spielen.")
    case .invitation:
      return PushWords(
        "\(count) Einladungen",
        list == nil
          ? "Du bist zu Partien eingeladen." : "\(all) \(isOne ? "lädt" : "laden") dich ein.")
    case .beginning:
      return PushWords(
        "\(count) Partien haben begonnen",
        list == nil ? "Sieh nach, wer mitspielt." : "Du spielst gegen \(all).")
    case .refusal:
      return PushWords(
        "\(count) Absagen",
        list == nil
          ? "Deine Einladungen oder Revanchen wurden abgelehnt."
          : "\(all) \(isOne ? "hat" : "haben") abgelehnt.")
    case .ending:
      return PushWords(
        "\(count) Partien sind zu Ende",
        list == nil
          ? "Sieh nach, wie sie ausgingen."
          : "Sie gingen gegen \(all). Sieh nach, wie es ausging.")
    case .reaction:
      return PushWords(
        "\(count) Antworten",
        list == nil
          ? "Deine Züge wurden mit einem Wort beantwortet."
          : "\(all) \(isOne ? "hat" : "haben") auf deine Züge mit einem Wort geantwortet.")
    }
  }

  /// One of the sentences about several topics.
  private static func sentence(_ topic: PushJob.Kind.Topic, _ count: Int) -> String {
    let isOne = count == 1
    switch topic {
    case .turn: return "In \(isOne ? "1 Partie" : "\(count) Partien") bist du am Zug."
    case .offer:
      return isOne ? "1 Revanche wird angeboten." : "\(count) Revanchen werden angeboten."
    case .invitation: return isOne ? "1 Einladung wartet." : "\(count) Einladungen warten."
    case .beginning:
      return isOne ? "1 Partie hat begonnen." : "\(count) Partien haben begonnen."
    case .refusal:
      return isOne
        ? "1 Einladung oder Revanche wurde abgelehnt."
        : "\(count) Einladungen oder Revanchen wurden abgelehnt."
    case .ending: return isOne ? "1 Partie ist zu Ende." : "\(count) Partien sind zu Ende."
    case .reaction:
      return isOne ? "1 Zug wurde beantwortet." : "\(count) Züge wurden beantwortet."
    }
  }

  /// Everything that waits, in a sentence. Nil: nothing does.
  private static func digest(_ waiting: PushStore.Waiting) -> String? {
    let counts = [
      (waiting.turns, "Zug", "Züge"), (waiting.invitations, "Einladung", "Einladungen"),
      (waiting.offers, "Angebot zur Revanche", "Angebote zur Revanche"),
    ]
    return joined(counts, and: "und").map {
      "\($0) \(waiting.count == 1 ? "wartet" : "warten") auf dich."
    }
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
