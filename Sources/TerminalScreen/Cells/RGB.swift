import CubistBasics

/// A color of the terminal in 24 bits.
package struct RGB: Hashable, Sendable {
  package var red: UInt8
  package var green: UInt8
  package var blue: UInt8

  package static let black = RGB(0, 0, 0)
  package static let white = RGB(255, 255, 255)

  /// A color of its three channels.
  package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// The color as SVG and CSS write it, such as `#f2e4c4`.
  package var hex: String { "#" + Hex.encode([red, green, blue]) }

  /// The color with every channel multiplied, 0...1.
  package func scaled(by factor: Double) -> RGB {
    mixed(with: .black, share: 1 - factor)
  }

  /// The color with a share 0...1 of another one in it.
  package func mixed(with other: RGB, share: Double) -> RGB {
    func mix(_ first: UInt8, _ second: UInt8) -> UInt8 {
      let value = Double(first) * (1 - share) + Double(second) * share
      return UInt8(min(255, max(0, value.rounded())))
    }
    return RGB(mix(red, other.red), mix(green, other.green), mix(blue, other.blue))
  }

  /// The luma of ITU-R BT.709 on the gamma-corrected channels, 0...255.
  package var luma: Double {
    0.2126 * Double(red) + 0.7152 * Double(green) + 0.0722 * Double(blue)
  }

  /// Black or white, whichever is easier to read on the color.
  package var readableText: RGB { luma >= 108 ? .black : .white }
}

extension RGB {
  /// The color of a place 16...255 in a palette of 256.
  package init(paletteIndex index: Int) {
    precondition(16...255 ~= index, "\(index) is no place of a fixed color")
    guard index < 232 else {
      let gray = UInt8(8 + 10 * (index - 232))
      self.init(gray, gray, gray)
      return
    }
    let place = index - 16
    self.init(
      Self.cubeLevels[place / 36], Self.cubeLevels[place / 6 % 6], Self.cubeLevels[place % 6])
  }

  /// The nearest of the colors 16...255 of a palette of 256. Users may change its first 16.
  ///
  /// Source: the color cube and the gray ramp of xterm, `256colres.pl`.
  package var paletteIndex: Int {
    func level(_ channel: UInt8) -> Int {
      Self.cubeLevels.indices.min { distance(channel, $0) < distance(channel, $1) } ?? 0
    }
    func distance(_ channel: UInt8, _ level: Int) -> Int {
      abs(Int(channel) - Int(Self.cubeLevels[level]))
    }
    let (r, g, b) = (level(red), level(green), level(blue))
    let inCube = RGB(Self.cubeLevels[r], Self.cubeLevels[g], Self.cubeLevels[b])
    let average = (Int(red) + Int(green) + Int(blue)) / 3
    let step = min(23, max(0, (average - 3) / 10))
    let gray = UInt8(8 + 10 * step)
    let useGray = squaredDistance(to: RGB(gray, gray, gray)) < squaredDistance(to: inCube)
    return useGray ? 232 + step : 16 + 36 * r + 6 * g + b
  }

  private static let cubeLevels: [UInt8] = [0, 95, 135, 175, 215, 255]

  private func squaredDistance(to other: RGB) -> Int {
    let r = Int(red) - Int(other.red)
    let g = Int(green) - Int(other.green)
    let b = Int(blue) - Int(other.blue)
    return r * r + g * g + b * b
  }
}
