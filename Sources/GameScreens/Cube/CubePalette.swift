import CubeRules
import TerminalScreen

/// The colors of the faces of a drawing.
enum CubePalette {
  /// The fill of a face: by its side, as if lit from above, by its uses, and, where it is
  /// highlighted, by the player of the word.
  static func fill(side: Side, uses: Int, isHighlighted: Bool, isTheirs: Bool = false) -> RGB {
    let tint = isHighlighted ? isTheirs ? theirs(uses) : highlight(uses) : plain(uses)
    switch side {
    case .top: return tint
    case .left: return tint.scaled(by: 0.87)
    case .right: return tint.mixed(with: RGB(52, 44, 72), share: 0.3)
    }
  }

  /// The color of a face's rim.
  static func rim(of fill: RGB) -> RGB { fill.scaled(by: 0.62) }

  /// A face of a cube that the word takes away.
  static func leaving(_ fill: RGB) -> RGB { fill.mixed(with: RGB(214, 40, 57), share: 0.4) }

  /// A face of a cube that is marked for removal.
  static func marked(_ fill: RGB) -> RGB { fill.mixed(with: RGB(70, 70, 78), share: 0.7) }

  /// A face of the cube under the cursor.
  static func pointed(_ fill: RGB) -> RGB { fill.mixed(with: RGB(255, 255, 160), share: 0.55) }

  private static func plain(_ uses: Int) -> RGB {
    switch uses {
    case 0: RGB(242, 230, 202)
    case 1: RGB(244, 180, 84)
    default: RGB(232, 112, 72)
    }
  }

  private static func highlight(_ uses: Int) -> RGB {
    switch uses {
    case 0: RGB(182, 232, 240)
    case 1: RGB(84, 206, 214)
    default: RGB(110, 150, 244)
    }
  }

  private static func theirs(_ uses: Int) -> RGB {
    switch uses {
    case 0: RGB(222, 206, 246)
    case 1: RGB(196, 150, 232)
    default: RGB(160, 116, 222)
    }
  }
}
