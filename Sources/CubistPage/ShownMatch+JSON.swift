import CubePlay
import CubeRules

extension ShownMatch {
  func write(to json: inout JSONText, key: String) {
    json.field("key", key)
    json.field("opponent", opponent ?? "")
    pagePicture.write(to: &json)
    writePlaces(to: &json)
    writeChoice(to: &json)
    if let notice = turn.notice { notice.write(to: &json) }
    if let last = turn.lastTurn {
      json.name("last")
      json.object { json in
        json.field("isTheirs", last.player == .them)
        json.field("word", last.turn.word)
        json.field("score", last.turn.score)
        json.field("vanished", last.turn.vanishing.count)
      }
    }
    json.array("lines")
    for line in lines { json.object { line.write(to: &$0) } }
    json.endArray()
    json.field("at", lookedAt?.number ?? 0)
    json.field("isShowing", show != nil)
    json.field("isReplaying", isReplaying)
    json.array("values")
    if showsValues { for face in Face.all { json.value(turn.game.puzzle[face].points) } }
    json.endArray()
    json.field("canRematch", rematch.isWithinReach)
  }

  /// Points, and whose turn it is.
  private func writePlaces(to json: inout JSONText) {
    json.array("points")
    for points in turn.players.points { json.value(points) }
    json.endArray()
    switch turn.stage {
    case .over(let ending):
      json.field("stage", "over")
      if ending == .cleared { writeResult(to: &json) }
    case .playing(.mine, _): json.field("stage", "mine")
    case .playing(.sent, _): json.field("stage", "sent")
    case .playing(.theirs, _): json.field("stage", "theirs")
    }
  }

  /// The end of a match by its points.
  private func writeResult(to json: inout JSONText) {
    switch (turn.players, turn.players.leader) {
    case (.alone, _): json.field("result", "played")
    case (.two, .me?): json.field("result", "won")
    case (.two, .them?): json.field("result", "lost")
    case (.two, nil): json.field("result", "tied")
    }
  }

  /// The choice so far.
  private func writeChoice(to json: inout JSONText) {
    let draft = turn.draft
    json.array("taken")
    for cube in draft?.marks ?? [] { json.value(cube.index) }
    json.endArray()
    var missed = ""
    for letter in turn.missed { missed += letter.spelling }
    json.field("missed", missed)
    if let word = draft?.word {
      json.name("word")
      json.object { json in
        json.field("text", word.word)
        json.field("score", word.score)
        json.field("verdict", word.verdict.name)
        json.field("isGood", word.verdict.mayBeSent)
        json.field("ways", word.ways.count)
        json.field("way", word.shownIndex + 1)
        json.field("vanishing", word.shown.vanishing.count)
      }
    }
    var canPlay = false
    if case .playing(.mine, _) = turn.stage { canPlay = turn.offer != nil }
    json.field("canPlay", canPlay)
  }
}

extension Verdict {
  fileprivate var name: StaticString {
    switch self {
    case .valid: "valid"
    case .unknown: "unknown"
    case .tooShort: "tooShort"
    case .notAWord: "notAWord"
    case .playedBefore: "playedBefore"
    }
  }
}

extension Notice {
  /// The notice by a name that the page has words for, with at most one value.
  fileprivate func write(to json: inout JSONText) {
    switch self {
    case .noPath(let letters): json.field("notice", "noPath", letters.first?.spelling ?? "")
    case .noCube(let letter): json.field("notice", "noCube", letter.spelling)
    case .rule(let refusal):
      json.field("notice", refusal.name)
      json.field("noticeValue", refusal.arguments.first ?? "")
    case .needed: json.field("notice", "needed", "")
    case .full: json.field("notice", "full", "")
    case .notYourTurn: json.field("notice", "notYourTurn", "")
    case .waiting: json.field("notice", "waiting", "")
    case .outdated: json.field("notice", "outdated", "")
    case .said(let text): json.field("notice", "said", text)
    }
  }
}

extension JSONText {
  fileprivate mutating func field(_ name: StaticString, _ notice: StaticString, _ value: String) {
    field(name, notice)
    field("noticeValue", value)
  }
}

extension TurnLine {
  fileprivate func write(to json: inout JSONText) {
    json.field("isTheirs", player == .them)
    json.field("word", word)
    json.field("removed", removedCount)
    json.field("score", score)
    if let reaction { json.field("reaction", reaction) }
    guard let best, best.score > score else { return }
    json.field("best", best.word)
    json.field("bestScore", best.score)
  }
}

extension PagePicture {
  fileprivate func write(to json: inout JSONText) {
    json.field("letters", letters)
    json.field("cubes", Int(game.inPlay.rawValue))
    json.field("open", open.digits)
    json.field("playable", game.playable.digits)
    var uses: [UInt8] = []
    for face in Face.all { uses.append(48 + UInt8(truncatingIfNeeded: game.uses(of: face))) }
    json.field("uses", String(decoding: uses, as: UTF8.self))
    json.array("path")
    for face in path { json.value(face.number) }
    json.endArray()
    json.field("isTheirs", player == .them)
    json.field("leaving", Int(leaving.rawValue))
    json.field("marked", Int(marked.rawValue))
    json.field("isVanishing", isVanishing)
  }
}
