package import TerminalScreen

/// How the output is laid out.
package struct TerminalStyle: Hashable, Sendable {
  /// The form in which a cube is shown.
  package enum Form: Hashable, Sendable, CaseIterable {
    /// In isometric view.
    case isometric
    /// As three grids of letters in plain ASCII, for screen readers and simple terminals.
    case plain
  }

  package var form: Form
  package var colorDepth: ColorDepth

  /// How many columns the output may have.
  package var columns: Int

  /// Whether shown text can be overwritten, as a waiting line is.
  package var isTerminal: Bool

  /// Below this many columns a cube is shown as grids.
  static let leastColumnsForCube = 60

  /// The layout for an output, without options such as `--plain` and `--no-color`.
  ///
  /// - Parameters:
  ///   - environment: `NO_COLOR`, `TERM`, `COLORTERM`, `COLUMNS`, `LC_ALL`, `LC_CTYPE` and `LANG`
  ///     count. Source for `NO_COLOR`, which has to be there and not empty: <https://no-color.org>.
  ///   - isTerminal: Whether the output is a terminal.
  ///   - columns: How wide the terminal says it is; nil where it does not say.
  package static func detect(
    environment: [String: String], isTerminal: Bool, columns: Int?
  ) -> TerminalStyle {
    let stated = [columns, environment["COLUMNS"].flatMap(Int.init)].compactMap(\.self)
    let width = stated.first { $0 > 0 } ?? 80
    let terminal = environment["TERM"] ?? ""
    let isDumb = terminal == "dumb" || (isTerminal && terminal.isEmpty)
    let isPlain = isDumb || width < leastColumnsForCube || !ScreenSetting.allowsUnicode(environment)
    return TerminalStyle(
      form: isPlain ? .plain : .isometric,
      colorDepth: isTerminal && !isDumb ? ScreenSetting.depth(environment) : .none,
      columns: width,
      isTerminal: isTerminal)
  }
}
