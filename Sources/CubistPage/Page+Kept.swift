package import CubeLexicon
package import CubePlay
internal import CubeRules
internal import CubistBasics

// The game as text that the page keeps, so that it goes on after a reload. The text has what nothing
// else leads to: the cubes, the turns, the choice so far, and the next random number.

extension Page where World == RobotWorld {
  /// The game as text of one line; empty where nothing is under way.
  package var kept: [UInt8] {
    let (turn, key) = (shown?.turn, app.match?.key)
    let choice = turn?.draft.map { Choice($0) } ?? .none
    let matches = world.table.entries.filter { $0.key == key || !$0.match.game.isOver }
    var isInSteps = false
    if case .firstSteps = app.place { isInSteps = true }
    let hasChosen = !choice.marks.isEmpty || !choice.picks.isEmpty || turn?.missed.isEmpty == false
    guard isInSteps || hasChosen || matches.contains(where: isOwn) else { return [] }

    var text = KeptText()
    text.write((0..<16).map { Int(world.random.state >> (4 * UInt64($0)) & 15) })
    text.write([isInSteps ? 1 : 0, shown?.showsValues == true ? 1 : 0])
    text.write(choice)
    text.write(turn?.missed.map { Int($0.rawValue) } ?? [])
    for entry in matches {
      text.write(entry.match.opponent.numbers + [entry.key == key ? 1 : 0])
      text.write(entry.match)
    }
    return text.bytes
  }

  /// Whether it is another match than the untouched one of a new page.
  private func isOwn(_ entry: LocalTable.Entry) -> Bool {
    entry.match.turnCount > 0 || entry.match.game.puzzle != world.firstPuzzle
  }

  /// The game that a text leads to; nil where no page has written the text.
  package convenience init?(
    kept: some Sequence<UInt8>, firstSteps: FirstStepsProgress, words: Lexicon = .english
  ) {
    var text = KeptText(kept)
    guard let state = text.read(below: 16), state.count == 16,
      let flags = text.read(below: 2), flags.count == 2,
      let choice = text.readChoice(), let missed = text.read(below: 26)
    else { return nil }
    var table = LocalTable(words: words)
    var (first, shown): (MatchKey?, MatchKey?)
    while !text.isRead {
      guard let head = text.read(below: 4), head.count == 3,
        let opponent = Opponent(head[0], head[1]), let match = text.readMatch(opponent, words)
      else { return nil }
      let key = table.add(match)
      first = first ?? key
      if head[2] == 1 { shown = key }
    }
    let isInSteps = flags[0] == 1
    guard isInSteps || first != nil else { return nil }
    self.init(
      table, at: shown ?? first,
      random: SplitMix64(state: state.reversed().reduce(0) { $0 << 4 | UInt64($1) }),
      firstSteps: firstSteps, words: words)
    if isInSteps { act(.firstStepsAsked) } else if shown == nil { act(.left) }
    if flags[1] == 1 { play(.valuesAsked) }
    play(.play(.draft(.chosen(choice))))
    for letter in missed.compactMap({ Letter(rawValue: UInt8($0)) }) {
      play(.play(.draft(.letterTyped(letter))))
    }
  }
}

extension PlayTurn {
  /// The typed letters that have no path.
  var missed: [Letter] { if case .noPath(let letters)? = notice { letters } else { [] } }
}

extension Opponent {
  /// The place of the robot's strength, with nobody after the strongest; then 1 where the robot
  /// begins.
  fileprivate var numbers: [Int] {
    switch self {
    case .nobody: [BotStrength.allCases.count, 0]
    case .robot(let strength, let first):
      [BotStrength.allCases.firstIndex(of: strength) ?? 0, first == .me ? 0 : 1]
    }
  }

  fileprivate init?(_ place: Int, _ first: Int) {
    let strengths = BotStrength.allCases
    switch (place, first) {
    case (strengths.count, 0): self = .nobody
    case (strengths.indices, 0...1):
      self = .robot(strengths[place], first: first == 0 ? .me : .them)
    default: return nil
    }
  }
}

extension Choice {
  fileprivate static var none: Choice { Choice(marks: [], picks: [], path: []) }
}

// MARK: - Choices and matches

extension KeptText {
  fileprivate mutating func write(_ choice: Choice) {
    write(choice.marks.map { $0.index })
    write(
      choice.picks.flatMap { pick in
        switch pick {
        case .letter(let letter): [0, Int(letter.rawValue)]
        case .qWithoutU: [1, 0]
        case .face(let face): [2, face.number]
        }
      })
    write(choice.path.map { $0.number })
  }

  fileprivate mutating func readChoice() -> Choice? {
    guard let marks = read(below: 27), let picks = read(below: 81), let path = read(below: 81),
      picks.count.isMultiple(of: 2), picks.count <= 2 * 81
    else { return nil }
    return Choice(
      marks: marks.compactMap { Cube(index: $0) },
      picks: stride(from: 0, to: picks.count, by: 2).compactMap { place in
        switch picks[place] {
        case 0: Letter(rawValue: UInt8(picks[place + 1])).map { .letter($0) }
        case 1: .qWithoutU
        default: Face(number: picks[place + 1]).map { .face($0) }
        }
      },
      path: path.compactMap { Face(number: $0) })
  }

  fileprivate mutating func write(_ match: LocalMatch) {
    write(match.game.puzzle.ascii.map { Int($0) - Int(UInt8(ascii: "A")) })
    for turn in match.turns {
      var (removed, faces): ([Cube], [Face]) = ([], [])
      for move in turn.replay?.turn.moves ?? [] {
        switch move {
        case .removal(let cube): removed.append(cube)
        case .word(let path): faces = path
        }
      }
      write(removed.map { $0.index })
      write(faces.map { $0.number })
    }
    // No turn is without a move.
    write([])
    write([])
  }

  fileprivate mutating func readMatch(_ opponent: Opponent, _ words: Lexicon) -> LocalMatch? {
    guard let letters = read(below: 26) else { return nil }
    let ascii = letters.map { UInt8(ascii: "A") + UInt8($0) }
    guard let puzzle = Puzzle(String(decoding: ascii, as: UTF8.self)) else { return nil }
    var match = LocalMatch(on: puzzle, against: opponent)
    while let removed = read(below: 27), let faces = read(below: 81) {
      if removed.isEmpty, faces.isEmpty { return match }
      var moves = removed.compactMap { Cube(index: $0) }.map { Move.removal($0) }
      if !faces.isEmpty { moves.append(.word(faces.compactMap { Face(number: $0) })) }
      do throws(TurnRefusal) { try match.play(moves, words: words) } catch { return nil }
    }
    return nil
  }
}
