/// How many colors a terminal is given.
package enum ColorDepth: Hashable, Sendable, CaseIterable {
  /// Text only, without any escape sequence.
  case none
  /// The palette of 256 colors.
  case palette
  /// 24 bits a color.
  case trueColor
}
