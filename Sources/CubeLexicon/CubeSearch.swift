internal import CubeRules

/// The word tree that a search walks along with the cube: the next arcs, and the ends of words.
protocol LetterTree {
  func next(_ arc: WordGraph.Arc, _ letter: UInt8) -> WordGraph.Arc?
}

extension WordGraph.Units: LetterTree {}

/// Every spelling that ends as soon as it has so many letters; the index of an arc counts them.
struct AnyLetters: LetterTree {
  private typealias Unit = WordGraph.Unit

  let shortest: Int

  func next(_ arc: WordGraph.Arc, _ letter: UInt8) -> WordGraph.Arc? {
    let index = arc.index + 1
    let endsWord = index + 1 >= shortest
    return WordGraph.Arc(index: index, unit: endsWord ? Unit.endOfWord : ~Unit.arc)
  }
}

/// A walk through the words and the cube at once, letter by letter.
///
/// For each beginning of a word it holds all paths that spell it, in the order of face numbers, and
/// steps on with all of them together. It therefore meets each word once and in alphabetical order,
/// and the first of its paths is the first there is.
struct CubeSearch<Tree: LetterTree> {
  private struct Path {
    var used: UInt128
    /// The playable faces that the path can go on with.
    var open: UInt128
    var last: Face
    /// The index of the path that this one goes on from; nil for a first face.
    var parent: Int?
  }

  private let tree: Tree
  private let shortest: Int
  private let playedWords: Set<String>
  private let facesOfLetter: [UInt128]
  private let playable: UInt128
  /// For each face number its letter as a bit, bit 0 for A.
  private let letterOfFace: [UInt32]
  private var wordsLeft: Int
  private var stepsLeft = 100_000
  private var paths: [Path] = []
  private var word: [UInt8] = []

  init(_ tree: Tree, _ game: CubeGame, _ shortest: Int, _ limit: Int) {
    self.tree = tree
    self.shortest = shortest
    wordsLeft = limit
    playedWords = Set(game.playedWords)
    playable = game.playable.rawValue
    letterOfFace = Face.all.map { 1 << UInt32(game.puzzle[$0].rawValue) }
    var facesOfLetter = [UInt128](repeating: 0, count: Letter.allCases.count)
    for face in game.playable {
      facesOfLetter[Int(game.puzzle[face].rawValue)] |= FaceSet([face]).rawValue
    }
    self.facesOfLetter = facesOfLetter
  }

  /// Hands out each word with its faces, until there are no more or a limit is reached.
  mutating func run(_ onWord: (String, _ faces: () -> [Face]) -> Void) {
    guard wordsLeft > 0 else { return }
    visit(.start, paths: 0..<0, onWord)
  }

  private mutating func visit(
    _ arc: WordGraph.Arc, paths range: Range<Int>,
    _ onWord: (String, _ faces: () -> [Face]) -> Void
  ) {
    if arc.endsWord, word.count >= shortest {
      report(path: range.lowerBound, onWord)
    }
    guard arc.leadsOn else { return }
    var open = letters(after: range)
    while open != 0, wordsLeft > 0, stepsLeft > 0 {
      let letter = UInt8(truncatingIfNeeded: open.trailingZeroBitCount)
      open &= open - 1
      guard let next = next(arc, letter) else { continue }
      let start = paths.count
      step(from: range, to: facesOfLetter[Int(letter)])
      guard paths.count > start else { continue }
      let length = word.count
      word.append(UInt8(ascii: "A") + letter)
      if letter == Letter.q.rawValue {
        word.append(UInt8(ascii: "U"))
      }
      visit(next, paths: start..<paths.count, onWord)
      word.removeLast(word.count - length)
      paths.removeLast(paths.count - start)
    }
  }

  /// The arc after a face's letter: two arcs on for the face `QU`.
  private func next(_ arc: WordGraph.Arc, _ letter: UInt8) -> WordGraph.Arc? {
    let next = tree.next(arc, letter)
    return letter == Letter.q.rawValue ? next.flatMap { tree.next($0, Letter.u.rawValue) } : next
  }

  /// The letters that follow one of a range of paths on the cube, or begin one.
  private func letters(after range: Range<Int>) -> UInt32 {
    let faces = word.isEmpty ? playable : paths[range].reduce(0) { $0 | $1.open }
    return FaceSet(rawValue: faces).reduce(0) { $0 | letterOfFace[$1.number] }
  }

  /// Appends each path that goes on from one of a range, or starts, with one of some faces.
  private mutating func step(from range: Range<Int>, to faces: UInt128) {
    if word.isEmpty {
      append(faces, to: nil)
      return
    }
    for parent in range where stepsLeft > 0 {
      append(paths[parent].open & faces, to: parent)
    }
  }

  private mutating func append(_ faces: UInt128, to parent: Int?) {
    let used = parent.map { paths[$0].used } ?? 0
    for face in FaceSet(rawValue: faces) {
      let own: UInt128 = 1 &<< UInt128(truncatingIfNeeded: face.number)
      let open = face.neighbors.rawValue & playable & ~(used | own)
      paths.append(Path(used: used | own, open: open, last: face, parent: parent))
      stepsLeft -= 1
    }
  }

  private mutating func report(
    path: Int, _ onWord: (String, _ faces: () -> [Face]) -> Void
  ) {
    let word = String(decoding: word, as: UTF8.self)
    guard !playedWords.contains(word) else { return }
    wordsLeft -= 1
    onWord(word) {
      var faces: [Face] = []
      var step: Int? = path
      while let index = step {
        faces.append(paths[index].last)
        step = paths[index].parent
      }
      return faces.reversed()
    }
  }
}
