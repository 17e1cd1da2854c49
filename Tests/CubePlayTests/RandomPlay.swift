import CubeLexicon
import CubePlay
import CubeRules
import CubistBasics

// deploy/wasm compiles this file too: a play is the same in a browser's engine. So it draws numbers
// of 64 bits: the standard library draws an `Int` of 32 bits otherwise, and so the element of a list.

/// A match that is played at random, as its players see it and as the judge has it.
struct RandomPlay {
  var generator: SplitMix64
  let seatCount: Int
  /// The match's word list.
  let lexicon: Lexicon
  /// The list as the player has it; sometimes it is missing.
  let words: Lexicon?
  let reducer: Reducer<PlayTurn, PlayAction, PlayEffect>
  var match: PlayTurn
  var judged: JudgedMatch

  init(seed: UInt64) {
    generator = SplitMix64(state: seed &* SplitMix64.increment)
    seatCount = seed.isMultiple(of: 3) ? 1 : 2
    lexicon = seed.isMultiple(of: 4) ? .english : .everyWord
    words = seed.isMultiple(of: 5) && lexicon.wordCount == nil ? nil : lexicon
    reducer = PlayTurn.reducer(words: words)
    let puzzle = Puzzle.candidate(0, seed: seed)
    judged = JudgedMatch(puzzle, seatCount: seatCount, lexicon: lexicon)
    match = PlayTurn(
      Standing(
        game: CubeGame(puzzle: puzzle), players: seatCount == 1 ? .alone(points: 0) : two,
        turnNumber: 1, stage: .yours(secondsLeft: nil)))
  }

  mutating func chance(_ percent: Int) -> Bool {
    number(0...99) < percent
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int {
    let wide = Int64(range.lowerBound)...Int64(range.upperBound)
    return Int(truncatingIfNeeded: Int64.random(in: wide, using: &generator))
  }

  mutating func any<Element>(of elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[number(0...elements.count - 1)]
  }

  mutating func any(of faces: FaceSet) -> Face? { any(of: Array(faces)) }

  /// The faces whose letters can lead to a word of the match's list.
  func leading(_ faces: FaceSet, on game: CubeGame, after beginning: String) -> FaceSet {
    guard lexicon.wordCount != nil else { return faces }
    return FaceSet(faces.filter { lexicon.isPrefix(beginning + game.puzzle[$0].spelling) })
  }

  /// Some choice that a player might make; most of them make sense.
  mutating func draftAction() -> DraftAction {
    let last = match.draft?.word?.shown.faces.last
    let near = last.map { $0.neighbors.intersection(match.game.playable) } ?? match.game.playable
    let sensible = leading(near, on: match.game, after: match.draft?.word?.word ?? "")
    let face = any(of: sensible) ?? known(Face(number: number(0...80)), "a face")
    switch number(0...99) {
    case 0..<55: return .letterTyped(match.game.puzzle[face])
    case 55..<58: return .letterTyped(known(any(of: Letter.allCases), "letter"))
    case 58..<70: return .faceTapped(face)
    case 70..<73: return .faceTapped(known(Face(number: number(0...80)), "a face"))
    case 73..<85: return .faceDragged(face)
    case 85..<91: return .nextWay
    case 91..<93: return .takeBack
    case 93..<94: return .clear
    default: return .cubeMarked(face.cube)
    }
  }

  /// Anything that may happen to a match.
  mutating func action() -> PlayAction {
    switch number(0...99) {
    case 0..<60: return .draft(draftAction())
    case 60..<70: return .submit
    case 70..<76: return .answered(.accepted(secondsLeft: number(0...9)))
    case 76..<80: return .answered(chance(50) ? .outdated : .refused("Not now."))
    case 80..<90:
      let moves = turn(on: match.game, seatCount: seatCount) ?? []
      return .theirTurn(
        ArrivedTurn(
          number: match.turnNumber + number(-1...1), moves: moves, secondsLeft: nil))
    case 90..<94: return .standing(standing())
    case 94..<96: return chance(50) ? .serviceLost : .serviceFound
    default: return .secondPassed
    }
  }

  /// The match as the service may have it, up to two turns on.
  private mutating func standing() -> Standing {
    var (game, turnNumber) = (match.game, match.turnNumber)
    for _ in 0..<number(0...2) {
      guard let turn = turn(on: game, seatCount: 2) else { break }
      game = game.after(turn)
      turnNumber += 1
    }
    let isMine = seatCount == 1 || chance(70)
    return Standing(
      game: game, players: match.players, turnNumber: turnNumber,
      stage: game.isOver
        ? .over(.cleared) : isMine ? .yours(secondsLeft: 5) : .theirs(secondsLeft: 5))
  }

  /// Whether a draft is wrong at most in its spelling, or incomplete.
  func standsOnTheCube(_ draft: Draft) -> Bool {
    do throws(TurnRefusal) {
      _ = try LegalTurn(draft.moves, on: match.game, seatCount: seatCount, words: words)
      return true
    } catch {
      return switch error.reason {
      case .tooShort, .notAWord, .wordAlreadyPlayed: true
      case .turnShape(.empty), .turnShape(.singleRemoval): true
      default: false
      }
    }
  }

  /// A random turn that the rules allow for every spelling; nil where none was found.
  mutating func turn(on game: CubeGame, seatCount: Int) -> [Move]? {
    var (left, moves): (CubeGame, [Move]) = (game, [])
    let removals = chance(70) ? 0 : number(1...2)
    for _ in 0..<removals {
      guard let face = any(of: left.playable) else { break }
      do throws(RuleRefusal) {
        _ = try left.apply(.removal(face.cube), words: Lexicon.everyWord)
      } catch {
        break
      }
      moves.append(.removal(face.cube))
    }
    if moves.count < 2, let path = path(on: left) { moves.append(.word(path)) }
    var copy = game
    let isLegal =
      (try? copy.applyTurn(moves, seatCount: seatCount, words: Lexicon.everyWord)) != nil
    return isLegal ? moves : nil
  }

  private mutating func path(on game: CubeGame) -> [Face]? {
    guard var last = any(of: game.playable) else { return nil }
    var path = [last]
    for _ in 1..<number(3...6) {
      let near = last.neighbors.intersection(game.playable).subtracting(FaceSet(path))
      let sensible = leading(near, on: game, after: game.spelling(of: path).description)
      guard let next = any(of: sensible) else { break }
      path.append(next)
      last = next
    }
    return path
  }

  /// The match after several choices, from its present draft.
  func match(after actions: [DraftAction]) -> PlayTurn {
    var match = match
    for action in actions { _ = reducer.reduce(&match, .draft(action)) }
    return match
  }
}
