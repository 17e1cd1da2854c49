import CubePlay
import CubeRules
import TerminalScreen

/// The words about a match, without coordinates.
struct MatchWording {
  let table: ShownMatch
  let symbols: Symbols
  /// Whether other matches wait for the player.
  var hasOthers = false
  /// The facilities beside playing.
  var facilities = Facilities.service
  /// Whether a turn that was sent is kept, so that nothing can lose it.
  var isTurnKept = true

  private var turn: PlayTurn { table.turn }
  private var opponent: String { table.opponent ?? "nobody yet" }
  /// The player whose view it is.
  private var me: String { table.watched ?? "you" }

  func title(_ name: String?) -> String {
    let own = table.watched ?? name ?? "You"
    switch turn.players {
    case .alone: return "\(own), \(table.game ?? "alone")"
    case .two: return "\(own) against \(opponent)"
    }
  }

  /// A line for each player; `>` is before the player on turn.
  func scores(room: Int) -> [String] {
    var mine = " "
    var theirs = " "
    if case .playing(let turn, _) = turn.stage {
      if case .theirs = turn { theirs = ">" } else { mine = ">" }
    }
    switch turn.players {
    case .alone(let points): return [Self.row("\(mine) \(me)", "\(points)", room)]
    case .two(let own, let other):
      return [
        Self.row("\(mine) \(me)", "\(own)", room),
        Self.row("\(theirs) \(name(opponent, room - 2 - "\(other)".count - 2))", "\(other)", room),
      ]
    }
  }

  /// A name in so many columns at most.
  private func name(_ name: String, _ columns: Int) -> String {
    let (safe, columns) = (TerminalText.safe(name), max(1, columns))
    guard TerminalText.width(of: safe) > columns else { return safe }
    return symbols.isUnicode
      ? TerminalText.cut(safe, columns: columns) : String(safe.prefix(columns))
  }

  private static func row(_ left: String, _ right: String, _ room: Int) -> String {
    let safe = TerminalText.safe(left)
    let gap = room - TerminalText.width(of: safe) - TerminalText.width(of: right) - 1
    return safe + String(repeating: " ", count: max(1, gap)) + right
  }

  /// A match with no time left ends within so many seconds, unless the service gives time back.
  private static let tickSeconds = 3

  var clock: String? {
    guard case .playing(_, let seconds?) = turn.stage else { return nil }
    if seconds > 0 { return "  \(ClockText.text(seconds)) left" }
    guard seconds < -Self.tickSeconds else { return "  time is up" }
    return "  time is up, \(ClockText.text(-max(seconds, -.max))) given back"
  }
}

// MARK: - The turn

extension MatchWording {
  /// The chosen turn, and its effects.
  var preview: [String] {
    guard table.lookedAt == nil, table.show == nil, let draft = turn.draft else { return [] }
    var lines: [String] = []
    if case .noPath(let letters)? = turn.notice {
      lines.append("\(draft.word?.word ?? "")\(spelled(letters)) \(symbols.no) no path")
    } else if let word = draft.word {
      lines.append("\(word.word) \(verdict(word))")
      let count = word.shown.vanishing.count
      if count > 0 { lines.append("\(cubes(count)) will vanish") }
      if word.ways.count > 1 {
        lines.append("way \(word.shownIndex + 1) of \(word.ways.count): Tab")
      }
    }
    switch draft.marks.count {
    case 0: break
    case 1 where isAlone: lines.append("1 cube is removed")
    case 1: lines.append("1 cube is removed first")
    case let count where isAlone: lines.append("\(count) cubes are removed")
    default: lines.append("2 cubes are removed: a whole turn")
    }
    return lines
  }

  private func verdict(_ word: WordDraft) -> String {
    switch word.verdict {
    case .valid: "\(word.score) \(symbols.yes)"
    case .unknown: "\(word.score) ?"
    case .tooShort: "\(symbols.no) too short"
    case .notAWord: "\(symbols.no) not a word"
    case .playedBefore: "\(symbols.no) already played"
    }
  }

  private func cubes(_ count: Int) -> String { count == 1 ? "1 cube" : "\(count) cubes" }

  /// One sentence about the state of the match.
  var status: String {
    switch table.givingUp {
    case .no: break
    case .asked: return question
    case .sent: return turn.players.seatCount == 1 ? "Ending the game." : "Giving up."
    }
    switch table.reacting {
    case .asked(let word, _): return "Answering with \(word)."
    case .no(let failure?): return "The answer was not taken. \(failure)"
    case .no(nil): break
    }
    if let line = table.lookedAt {
      let what = line.word.isEmpty ? "removed cubes" : "played \(line.word) for \(line.score)"
      let who = line.player == .me ? me : opponent
      return "Turn \(line.number) of \(table.lines.count): \(who) \(what)."
    }
    if case .playing(.sent(let sent), _) = turn.stage, !isTurnKept {
      let what = sent.turn.word.isEmpty ? "Your turn" : sent.turn.word
      return sent.delivery == .onItsWay
        ? "\(what) is being kept."
        : "The service is away. Stay here: \(what) is sent when it is back."
    }
    let told = turn.notice.map { text($0) }
    if let told, case .playing = turn.stage { return told }
    switch turn.stage {
    case .over: return (told.map { "\($0) " } ?? "") + ending
    case .playing(.sent(let sent), _):
      let what = sent.turn.word.isEmpty ? "Your turn" : sent.turn.word
      return sent.delivery == .onItsWay
        ? "\(what) is on its way."
        : "The service is away. \(what) waits and is sent when it is back."
    case .playing(.mine(let draft), _):
      guard draft == .empty else { return "" }
      return lastTurn + (waiting.map { "\($0) " } ?? "") + "Your turn: type a word."
    case .playing(.theirs, _):
      if let watched = table.watched {
        return "\(lastTurn)\(watched) has not ended the game. You may try words."
      }
      return lastTurn + (waiting ?? "It is the turn of \(opponent).") + " You may try words."
    }
  }

  /// The player that the match waits for; nil: nobody.
  private var waiting: String? {
    guard table.isWaiting else { return nil }
    return table.opponent.map { "\($0) has not accepted yet." } ?? "Nobody has joined yet."
  }

  /// The question before anything is lost.
  private var question: String {
    switch turn.players {
    case .alone: return "End your game? Its points stand."
    case .two:
      guard let opponent = table.opponent else { return "Take your request back?" }
      return "Give up against \(opponent)?" + loss
    }
  }

  private var loss: String {
    switch table.lossByGivingUp {
    case .no: ""
    case .possible: " This may count as a loss."
    case .certain: " You lose."
    }
  }

  private var lastTurn: String {
    guard let last = turn.lastTurn else { return "" }
    let who = last.player == .me ? table.watched ?? "You" : opponent
    guard !last.turn.word.isEmpty else { return "\(who) removed cubes. " }
    return "\(who) played \(last.turn.word) for \(last.turn.score). "
  }

  private var ending: String {
    let said = table.ending ?? "The match is over."
    if table.restSeconds > 0 { return said }
    switch table.rematch {
    case .impossible: return said
    case .possible(nil): return said + " R asks for a rematch."
    case .offered(nil): return said + " \(opponent) offers a rematch: R agrees."
    case .possible(let failure?), .offered(let failure?):
      return "The rematch could not be started: \(failure) R tries again."
    case .asked: return said + " Asking for a rematch."
    case .waits: return said + " Your offer of a rematch waits for \(opponent)."
    case .began: return said + " There is a rematch: R goes there."
    }
  }

  var keys: String {
    if table.givingUp == .asked { return "Y yes   any other key: go on" }
    if table.isReplaying { return "Space: stop   Esc: now" }
    if table.lookedAt != nil {
      let canReact = table.possibleReaction != nil && facilities.contains(.reacting)
      return "Page up, page down: other turns   Space: replay   "
        + (canReact ? "Ctrl-R: answer   " : "") + "Esc: now"
    }
    switch turn.stage {
    case .over where table.restSeconds > 0: return "Esc back   ? help   Ctrl-C quit"
    case .over:
      let rematch = table.rematch.isWithinReach ? "R rematch   " : ""
      let share = table.canBeShared && facilities.contains(.sharing) ? "S share   " : ""
      let next = hasOthers ? "N next match   " : ""
      return rematch + share + next + "Esc back   ? help   Ctrl-C quit"
    case .playing where table.lettersPoint:
      return "Letters: to their cubes   Space: mark   Enter play   Esc: spell"
    case .playing where isMissed: return "Backspace take back   Esc clear   ? help"
    case .playing(.theirs, _): return "Letters: try a word   Tab way   Esc clear   ? help"
    case .playing(.sent, _): return "Page up: turns before   ? help   Ctrl-C quit"
    case .playing:
      return "Enter play   Tab way   Esc clear   Arrows, space: remove cubes   ? help"
    }
  }

  private func text(_ notice: Notice) -> String {
    switch notice {
    case .noPath(let letters): noPath(letters)
    case .noCube(let letter): "No cube in sight shows \(letter.spelling)."
    case .rule(let refusal): text(refusal)
    case .needed: "That cube has to stay as it is for what you have chosen."
    case .full where isAlone: "There is no room for more. Enter plays what is chosen."
    case .full: "A turn is a word, a cube and a word, or two cubes. There is no room for more."
    case .notYourTurn: waiting ?? "It is the turn of \(opponent)."
    case .waiting: "Your turn is on its way. Wait for its answer."
    case .outdated: "The match had gone on. Your turn was not played."
    case .said(let text): text
    }
  }

  /// Letters without a path, of which the first is in the way.
  private func noPath(_ letters: [Letter]) -> String {
    let typed = spelled(letters)
    guard letters.count > 1, let first = letters.first else {
      return "No path goes on with \(typed)."
    }
    return "No path goes on with \(first.spelling). Backspace takes \(typed) back."
  }

  private func spelled(_ letters: [Letter]) -> String { letters.map { $0.spelling }.joined() }

  private var isMissed: Bool { if case .noPath? = turn.notice { true } else { false } }

  private var isAlone: Bool { if case .alone = turn.players { true } else { false } }

  private func text(_ refusal: RuleRefusal) -> String {
    switch refusal {
    case .emptyWord, .turnShape(.empty): "Type a word, or mark cubes to remove."
    case .faceRepeated: "A word uses a face once."
    case .tooShort: "A word has three letters or more."
    case .faceHidden: "That face is hidden."
    case .notTouching: "Those faces do not touch."
    case .notAWord(let word): "\(word) is not a word here."
    case .wordAlreadyPlayed(let word): "\(word) is already played."
    case .cubeGone: "That cube is gone."
    case .cubeHidden: "That cube is hidden."
    case .turnShape(.singleRemoval): "One cube alone is no turn. Add a word or a second cube."
    case .turnShape: "A turn is a word, a cube and a word, or two cubes."
    case .gameOver: "The match is over."
    }
  }
}

// MARK: - The turns played

extension MatchWording {
  /// A heading, and the latest lines that have room, the newest first.
  func lines(count: Int, room: Int) -> [String] {
    guard count > 1 else { return [] }
    let shown = table.lines.reversed().dropFirst(max(0, table.lookedBack - 1))
    return [heading(room)]
      + shown.flatMap { rows($0, room: room) }.prefix(count - 1)
  }

  /// How many turns were played, and by each of two; without names where those have no room.
  private func heading(_ room: Int) -> String {
    let all = "Turns: \(table.lines.count)"
    guard case .two = turn.players, !table.lines.isEmpty else { return all }
    let own = table.lines.count { $0.player == .me }
    let (start, end) = ("\(all) (\(me) \(own), ", " \(table.lines.count - own))")
    let left = room - TerminalText.width(of: start + end)
    guard left < min(6, TerminalText.width(of: opponent)) else {
      return start + name(opponent, left) + end
    }
    let short = "\(all) (\(own)\(symbols.colon)\(table.lines.count - own))"
    return short.count > room ? all : short
  }

  private func rows(_ line: TurnLine, room: Int) -> [String] {
    let (number, score) = ("\(line.number). ", "\(line.score)")
    var word = line.word.isEmpty ? "" : " \(line.word)"
    var removed = line.removedCount > 0 ? " -\(cubes(line.removedCount))" : ""
    var left: Int { room - (number + removed + word + score).count - 2 }
    if !removed.isEmpty, left < 4 { removed = " -\(line.removedCount)" }
    // The name gives way, then the word; the score never.
    let who = name(line.player == .me ? me : opponent, max(2, left))
    let over = TerminalText.width(of: number + who + removed + word + score) + 1 - room
    if over > 0 { word = name(word, word.count - over) }
    let row = Self.row(number + who + removed + word, score, room)
    return [row] + reaction(line, room) + best(line, room)
  }

  /// The other player's answer to a turn.
  private func reaction(_ line: TurnLine, _ room: Int) -> [String] {
    guard let word = line.reaction else { return [] }
    let end = ": \(word)"
    let who = name(line.player == .me ? opponent : me, max(2, room - end.count - 3))
    return [name("   \(who)\(end)", room)]
  }

  private func best(_ line: TurnLine, _ room: Int) -> [String] {
    guard let best = line.best, best.score > line.score else { return [] }
    let bestRoom = room - "\(best.score)".count - 1
    let indent = "   best: \(best.word)".count > bestRoom ? "" : "   "
    let what = name("\(indent)best: \(best.word)", bestRoom)
    return [Self.row(what, "\(best.score)", room)]
  }

  /// The meaning of the signs on the cube, on as many lines as it needs.
  func legend(room: Int) -> [String] {
    let picture = table.picture
    let isPath = table.lookedAt == nil && table.show == nil && turn.draft?.word != nil
    let own = isPath ? "your path" : table.watched == nil ? "your word" : "1st player"
    let lit =
      picture.litBy == .me
      ? "[ ] \(own)" : "{ } \(table.watched == nil ? "their word" : "2nd player")"
    let uses = table.showsValues ? ["letter values"] : ["\(symbols.once) used once", ": twice"]
    return [uses + ["! vanishes"], [lit, ">< cursor", "- marked"]]
      .flatMap { Self.flow($0, room) }
  }

  /// Items side by side, as many on a line as there is room for.
  private static func flow(_ items: [String], _ room: Int) -> [String] {
    items.reduce(into: []) { (lines: inout [String], item) in
      if let last = lines.last, TerminalText.width(of: last + item) + 2 <= room {
        lines[lines.count - 1] = "\(last)  \(item)"
      } else {
        lines.append(item)
      }
    }
  }
}

// MARK: - After the end

extension MatchWording {
  /// The player's rating after the match, and the code of a game that is shared.
  func afterEnd(room: Int) -> [String] {
    guard case .over = turn.stage else { return [] }
    var lines = table.shareOfBest.map { ["  \(me) made \($0) % of the best words"] } ?? []
    switch table.rating {
    case .unknown, .before: break
    case .awaited(_, let seconds): if seconds > 0 { lines.append("  your rating is computed") }
    case .changed(let before, let after):
      lines.append("  rating \(text(before)) \(symbols.arrow) \(text(after))")
    case .now(let rating): lines.append("  rating \(text(rating))")
    }
    switch table.sharing {
    case .possible(nil): break
    case .possible(let failure?):
      lines += TerminalText.wrap("  It could not be shared. \(failure)", columns: room)
    case .asked: lines.append("  Sharing the game.")
    case .shared(let code): lines += ["  shared: cubist show --code", "    \(code)"]
    }
    return lines
  }

  private func text(_ rating: Strength) -> String {
    "\(rating.points)\(rating.isReliable ? "" : "?")"
  }
}
