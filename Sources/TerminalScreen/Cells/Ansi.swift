/// Escape sequences for text.
///
/// Source: ECMA-48, *Control Functions for Coded Character Sets*, SGR and EL.
package enum Ansi {
  /// Ends every color and attribute.
  package static let reset = "\u{1b}[0m"

  /// Takes the cursor to the beginning of the line and clears it.
  package static let clearLine = "\r\u{1b}[K"

  /// A look of text.
  package struct Look: Hashable, Sendable {
    /// The color of the letters; nil: the terminal's own.
    package var foreground: RGB?
    /// The color behind them; nil: the terminal's own.
    package var background: RGB?
    /// Whether the letters are bold.
    package var isBold: Bool

    /// A look; without anything the terminal's own.
    package init(foreground: RGB? = nil, background: RGB? = nil, isBold: Bool = false) {
      self.foreground = foreground
      self.background = background
      self.isBold = isBold
    }

    /// The sequence that sets exactly this look, or nothing where no color is wanted.
    package func sequence(_ depth: ColorDepth) -> String {
      guard depth != .none else { return "" }
      var codes = ["0"]
      if isBold { codes.append("1") }
      if let foreground { codes.append(Self.code(38, foreground, depth)) }
      if let background { codes.append(Self.code(48, background, depth)) }
      return "\u{1b}[\(codes.joined(separator: ";"))m"
    }

    private static func code(_ target: Int, _ color: RGB, _ depth: ColorDepth) -> String {
      depth == .trueColor
        ? "\(target);2;\(color.red);\(color.green);\(color.blue)"
        : "\(target);5;\(color.paletteIndex)"
    }
  }

  /// Text in bold where the terminal is given colors; characters that could steer the terminal are
  /// taken out.
  package static func bold(_ text: String, _ depth: ColorDepth) -> String {
    let safe = TerminalText.safe(text)
    guard depth != .none else { return safe }
    return "\u{1b}[1m" + safe + reset
  }
}
