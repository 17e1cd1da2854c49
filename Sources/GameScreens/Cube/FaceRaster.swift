import CubeRules

/// The face that is seen at each pixel of a cube drawn in 2:1 dimetric projection.
///
/// A pixel is one column wide and half a row high, times a scale. One step along x goes an edge, of
/// 7 pixels or more, right and half of that down, along z left and down, along y an edge up. So a
/// step along (1,1,1) is no step on the screen, as the rules see it: exactly the visible faces of a
/// heap can be played.
struct FaceRaster: Sendable {
  /// The length of the shortest edge, in pixels.
  static let leastEdge = 7

  /// How many pixels a cube of three by three by three takes each way at scale 1, where edges are
  /// shortest.
  static let size = 6 * leastEdge

  let side: Int
  private let edge: Double
  private var owners: [Face?]

  /// The pixels of the cubes in play.
  ///
  /// - Parameters:
  ///   - scale: How many samples stand for one pixel each way.
  ///   - edge: The length of an edge in pixels.
  init(_ inPlay: CubeSet, scale: Int = 1, edge: Int = leastEdge) {
    self.edge = Double(edge)
    side = 6 * edge * scale
    owners = Array(repeating: nil, count: side * side)
    // Farther cubes first, so that nearer ones paint over them.
    let painted = inPlay.sorted { ($0.x + $0.y + $0.z, $0) < ($1.x + $1.y + $1.z, $1) }
    for cube in painted {
      paint(cube, scale: scale)
    }
  }

  /// The face at a sample, or nil where there is none or the place is outside.
  subscript(column: Int, row: Int) -> Face? {
    guard 0..<side ~= column, 0..<side ~= row else { return nil }
    return owners[row * side + column]
  }

  private mutating func paint(_ cube: Cube, scale: Int) {
    let nearX = Double(cube.x - cube.z) * edge + 3 * edge
    let nearY =
      Double(cube.x + cube.z + 2) * edge / 2 - Double(cube.y + 1) * edge + 3 * edge
    let columns = range(around: nearX, scale)
    let rows = range(around: nearY, scale)
    for row in rows {
      for column in columns {
        let across = (Double(column) + 0.5) / Double(scale) - nearX
        let down = (Double(row) + 0.5) / Double(scale) - nearY
        guard let side = Self.side(edge, across: across, down: down) else { continue }
        owners[row * self.side + column] = Face(cube: cube, side: side)
      }
    }
  }

  private func range(around center: Double, _ scale: Int) -> Range<Int> {
    let low = Int(((center - edge) * Double(scale)).rounded(.down))
    let high = Int(((center + edge) * Double(scale)).rounded(.up))
    return max(0, low)..<min(side, high)
  }

  /// The side of a cube at an offset from its near corner, or nil beside its hexagon.
  private static func side(_ edge: Double, across: Double, down: Double) -> Side? {
    let slope = abs(across) / 2
    guard abs(across) < edge, abs(down) < edge - slope else { return nil }
    if down < -slope { return .top }
    return across < 0 ? .left : .right
  }
}
