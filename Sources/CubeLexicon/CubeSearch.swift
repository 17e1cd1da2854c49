internal import CubeRules

/// What a search walks along with the cube: where each letter leads to and where words end.
protocol LetterTree {
  func head(_ node: UInt32) -> UInt32
  func next(_ node: UInt32, _ letter: UInt8) -> UInt32?
}

extension WordGraph.Nodes: LetterTree {}

/// Every spelling that ends as soon as it has so many letters; a node is a number of letters.
struct AnyLetters: LetterTree {
  let shortest: Int

  func head(_ node: UInt32) -> UInt32 {
    node < shortest ? WordGraph.letters : WordGraph.endOfWord
  }

  func next(_ node: UInt32, _ letter: UInt8) -> UInt32? { node + 1 }
}

/// A walk through the words and the cube at once, letter by letter.
///
/// For each beginning of a word it holds all paths that spell it, in the order of face numbers, and
/// steps on with all of them together. It therefore meets each word once and in alphabetical order,
/// and the first of its paths is the first there is.
struct CubeSearch<Tree: LetterTree> {
  private struct Path {
    var used: UInt128
    var last: Face
    /// The index of the path that this one goes on from; nil for a first face.
    var parent: Int?
  }

  private let tree: Tree
  private let shortest: Int
  private let playedWords: Set<String>
  private let facesOfLetter: [UInt128]
  /// The letters of playable faces, bit 0 for A.
  private let letters: UInt32
  private var wordsLeft: Int
  private var stepsLeft = 100_000
  private var paths: [Path] = []
  private var word: [UInt8] = []

  init(_ tree: Tree, _ game: CubeGame, _ shortest: Int, _ limit: Int) {
    self.tree = tree
    self.shortest = shortest
    wordsLeft = limit
    playedWords = Set(game.playedWords)
    var facesOfLetter = [UInt128](repeating: 0, count: Letter.allCases.count)
    var letters: UInt32 = 0
    for face in game.playable {
      let letter = game.puzzle[face].rawValue
      facesOfLetter[Int(letter)] |= FaceSet([face]).rawValue
      letters |= 1 << UInt32(letter)
    }
    self.facesOfLetter = facesOfLetter
    self.letters = letters
  }

  /// Hands out each word with its faces, until there are no more or a limit is reached.
  mutating func run(_ onWord: (String, _ faces: () -> [Face]) -> Void) {
    guard wordsLeft > 0 else { return }
    visit(WordGraph.root, paths: 0..<0, onWord)
  }

  private mutating func visit(
    _ node: UInt32, paths range: Range<Int>,
    _ onWord: (String, _ faces: () -> [Face]) -> Void
  ) {
    let head = tree.head(node)
    if head & WordGraph.endOfWord != 0, word.count >= shortest {
      report(path: range.lowerBound, onWord)
    }
    var open = head & letters
    while open != 0, wordsLeft > 0, stepsLeft > 0 {
      let letter = UInt8(truncatingIfNeeded: open.trailingZeroBitCount)
      open &= open - 1
      guard let next = next(node, letter) else { continue }
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

  /// The node after a face's letter: two arcs on for the face `QU`.
  private func next(_ node: UInt32, _ letter: UInt8) -> UInt32? {
    let next = tree.next(node, letter)
    return letter == Letter.q.rawValue ? next.flatMap { tree.next($0, Letter.u.rawValue) } : next
  }

  /// Appends each path that goes on from one of a range, or starts, with one of some faces.
  private mutating func step(from range: Range<Int>, to faces: UInt128) {
    if word.isEmpty {
      append(faces, to: nil)
      return
    }
    for parent in range where stepsLeft > 0 {
      let path = paths[parent]
      append(path.last.neighbors.rawValue & faces & ~path.used, to: parent)
    }
  }

  private mutating func append(_ faces: UInt128, to parent: Int?) {
    let used = parent.map { paths[$0].used } ?? 0
    for face in FaceSet(rawValue: faces) {
      let own: UInt128 = 1 &<< UInt128(truncatingIfNeeded: face.number)
      paths.append(Path(used: used | own, last: face, parent: parent))
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
