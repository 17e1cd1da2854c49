import CubeRules
import TerminalScreen

/// The colors of the faces of a drawing.
struct CubePalette {
  /// How many colors the terminal is given.
  let depth: ColorDepth
  /// Whether cubes that are farther away are darker, where there are colors enough.
  var isShaded = false

  /// What a face says by its color.
  struct Content: Hashable, Sendable {
    var uses = 0
    var word = Word.none
    /// Whether its cube leaves with the chosen word.
    var isLeaving = false
    /// Whether its cube is marked for removal.
    var isMarked = false
    /// Whether its cube is under the cursor.
    var isPointed = false
  }

  /// Whose highlighted word a face is of.
  enum Word: Hashable, Sendable {
    case none
    case own
    case theirs
  }

  /// The fill of a face: by its side, as if lit from above, and by what it says.
  func fill(_ face: Face, _ content: Content) -> RGB {
    guard depth == .trueColor else { return Self.indexed(face.side, content) }
    var fill = Self.blended(face.side, content)
    if isShaded {
      let cube = face.cube
      fill = fill.scaled(by: 1 - 0.06 * Double(6 - cube.x - cube.y - cube.z))
    }
    return fill
  }

  /// The color of a face's rim.
  func rim(of fill: RGB) -> RGB {
    depth == .trueColor ? fill.scaled(by: 0.62) : RGB(paletteIndex: Self.indexedRim)
  }
}

// MARK: - 24 bits

extension CubePalette {
  private static func blended(_ side: Side, _ content: Content) -> RGB {
    let tint = tint(content.word, content.uses)
    var fill =
      switch side {
      case .top: tint
      case .left: tint.scaled(by: 0.87)
      case .right: tint.mixed(with: RGB(52, 44, 72), share: 0.3)
      }
    if content.isLeaving { fill = fill.mixed(with: RGB(214, 40, 57), share: 0.4) }
    if content.isMarked { fill = fill.mixed(with: RGB(70, 70, 78), share: 0.8) }
    if content.isPointed { fill = fill.mixed(with: RGB(255, 255, 160), share: 0.55) }
    return fill
  }

  private static func tint(_ word: Word, _ uses: Int) -> RGB {
    switch (word, uses) {
    case (.none, 0): RGB(242, 230, 202)
    case (.none, 1): RGB(244, 180, 84)
    case (.none, _): RGB(232, 112, 72)
    case (.own, 0): RGB(182, 232, 240)
    case (.own, 1): RGB(84, 206, 214)
    case (.own, _): RGB(110, 150, 244)
    case (.theirs, 0): RGB(222, 206, 246)
    case (.theirs, 1): RGB(196, 150, 232)
    case (.theirs, _): RGB(160, 116, 222)
    }
  }
}

// MARK: - A palette of 256

extension CubePalette {
  /// Blends would come out alike there, so each is a place of its own.
  private static func indexed(_ side: Side, _ content: Content) -> RGB {
    let places = places(content)
    return switch side {
    case .top: RGB(paletteIndex: places.top)
    case .left: RGB(paletteIndex: places.left)
    case .right: RGB(paletteIndex: places.right)
    }
  }

  private static let indexedRim = 237

  private static func places(_ content: Content) -> (top: Int, left: Int, right: Int) {
    if content.isPointed { return (229, 185, 142) }
    if content.isMarked { return (247, 243, 240) }
    if content.isLeaving { return (162, 125, 89) }
    return switch (content.word, content.uses) {
    case (.none, 0): (230, 187, 144)
    case (.none, 1): (215, 173, 130)
    case (.none, _): (203, 167, 131)
    case (.own, 0): (195, 152, 109)
    case (.own, 1): (80, 73, 66)
    case (.own, _): (75, 68, 25)
    case (.theirs, 0): (225, 182, 139)
    case (.theirs, 1): (177, 140, 96)
    case (.theirs, _): (135, 98, 55)
    }
  }
}
