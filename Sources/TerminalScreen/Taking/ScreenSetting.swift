/// The abilities of a terminal, by its environment.
package struct ScreenSetting: Hashable, Sendable {
  /// How many colors it is given.
  package var depth: ColorDepth
  /// Whether it shows UTF-8.
  package var isUnicode: Bool

  /// A setting that is known.
  package init(depth: ColorDepth, isUnicode: Bool) {
    self.depth = depth
    self.isUnicode = isUnicode
  }

  /// The setting of an environment; nil where a whole screen cannot be drawn.
  ///
  /// `TERM` must be there and not `dumb`. Source for `NO_COLOR`, which has to be there and not
  /// empty: <https://no-color.org>.
  package init?(environment: [String: String]) {
    let terminal = environment["TERM"] ?? ""
    guard !terminal.isEmpty, terminal != "dumb" else { return nil }
    self.init(
      depth: Self.depth(environment), isUnicode: Self.allowsUnicode(environment))
  }

  /// The colors that an environment allows, for any terminal.
  package static func depth(_ environment: [String: String]) -> ColorDepth {
    guard environment["NO_COLOR", default: ""].isEmpty else { return .none }
    let isTrueColor = ["truecolor", "24bit"].contains(environment["COLORTERM", default: ""])
    return isTrueColor ? .trueColor : .palette
  }

  /// Whether the locale, if any is set, is one of UTF-8.
  package static func allowsUnicode(_ environment: [String: String]) -> Bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"]
    guard let locale = names.compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) else {
      return true
    }
    // `contains` would bring a megabyte of regular expressions into a small program.
    let letters = locale.lowercased().utf8.filter { $0 != UInt8(ascii: "-") }
    return letters.indices.contains { letters[$0...].starts(with: "utf8".utf8) }
  }
}
