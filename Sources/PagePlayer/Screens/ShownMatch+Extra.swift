import CubePlay
import CubistPage

extension ShownMatch {
  /// The fields of a match that only a service has.
  func writeExtra(to json: inout JSONText, of key: MatchKey, in app: GameApp) {
    json.field("key", key.text)
    json.field("isAlone", turn.players.seatCount == 1)
    json.field("isRated", isRated)
    json.field("isPlayer", app.match?.wantedPlayer != nil)
    json.optional("watched", watched)
    json.field("isWaiting", isWaiting)
    if isWaiting {
      let row = app.home.list?.rows.first { $0.key == key }
      json.optional("invitation", row?.code)
    }
    json.optional("seconds", secondsLeft)
    json.field("sentWaits", sentWaits)
    json.optional("ending", ending)
    writeGivingUp(to: &json, app.facilities)
    writeRematch(to: &json)
    writeSharing(to: &json, app.facilities)
    writeReacting(to: &json, app.facilities)
    writeRating(to: &json)
    json.optional("shareOfBest", shareOfBest)
    json.optional("dailyResult", dailyResult)
    json.field("othersWaiting", app.othersWaiting.count)
  }

  /// The seconds for the turn; below 0 the service gives time back.
  private var secondsLeft: Int? {
    guard case .playing(_, let seconds) = turn.stage else { return nil }
    return seconds
  }

  /// Whether a turn is to be sent when the service is back.
  private var sentWaits: Bool {
    guard case .playing(.sent(let sent), _) = turn.stage else { return false }
    return sent.delivery == .waits
  }

  private func writeGivingUp(to json: inout JSONText, _ facilities: Facilities) {
    var isPlaying = false
    if case .playing = turn.stage { isPlaying = true }
    json.field(
      "canGiveUp",
      isPlaying && givingUp == .no && watched == nil && facilities.contains(.givingUp))
    switch givingUp {
    case .no: json.field("givingUp", "no")
    case .asked:
      json.field("givingUp", "asked")
      switch lossByGivingUp {
      case .no: json.field("loss", "no")
      case .possible: json.field("loss", "possible")
      case .certain: json.field("loss", "certain")
      }
    case .sent: json.field("givingUp", "sent")
    }
  }

  private func writeRematch(to json: inout JSONText) {
    var reason: String?
    switch rematch {
    case .impossible: json.field("rematch", "impossible")
    case .possible(let failure):
      json.field("rematch", "possible")
      reason = failure
    case .offered(let failure):
      json.field("rematch", "offered")
      reason = failure
    case .asked: json.field("rematch", "asked")
    case .waits: json.field("rematch", "waits")
    case .began: json.field("rematch", "began")
    }
    json.optional("rematchFailure", reason)
  }

  private func writeSharing(to json: inout JSONText, _ facilities: Facilities) {
    json.field("canShare", canBeShared && facilities.contains(.sharing))
    switch sharing {
    case .possible(let failure): json.optional("shareFailure", failure)
    case .asked: json.field("isSharing", true)
    case .shared(let code): json.field("code", code)
    }
  }

  private func writeReacting(to json: inout JSONText, _ facilities: Facilities) {
    json.field("canReact", canReact && facilities.contains(.reacting))
    json.optional("possibleReaction", possibleReaction)
    switch reacting {
    case .no(let failure): json.optional("reactionFailure", failure)
    case .asked(let word, _): json.field("askedReaction", word)
    }
  }

  private func writeRating(to json: inout JSONText) {
    switch rating {
    case .unknown: break
    case .before(let before): json.rating("before", from: before, to: nil)
    case .awaited(let before, let seconds):
      json.rating(seconds > 0 ? "awaited" : "before", from: before, to: nil)
    case .changed(let before, let after): json.rating("changed", from: before, to: after)
    case .now(let now): json.rating("now", from: nil, to: now)
    }
  }
}

extension JSONText {
  fileprivate mutating func rating(_ stage: String, from before: Strength?, to after: Strength?) {
    name("rating")
    object { json in
      json.field("stage", stage)
      json.strength("before", before)
      json.strength("after", after)
    }
  }

  private mutating func strength(_ name: StaticString, _ strength: Strength?) {
    guard let strength else { return }
    self.name(name)
    object { json in
      json.field("points", strength.points)
      json.field("isReliable", strength.isReliable)
      json.field("matches", strength.matchCount)
    }
  }
}
