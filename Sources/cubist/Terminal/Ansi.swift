/// The escape sequences that the command line uses.
///
/// Source: ECMA-48, *Control Functions for Coded Character Sets*, SGR and EL.
enum Ansi {
  /// Ends every color and attribute.
  static let reset = "\u{1b}[0m"

  /// Takes the cursor to the beginning of the line and clears it.
  static let clearLine = "\r\u{1b}[K"

  /// A look of text.
  struct Look: Hashable, Sendable {
    var foreground: RGB?
    var background: RGB?
    var isBold = false

    /// The sequence that sets exactly this look, or nothing where no color is wanted.
    func sequence(_ depth: ColorDepth) -> String {
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

  /// Text in bold where the terminal is given colors; what could steer the terminal is taken out.
  static func bold(_ text: String, _ depth: ColorDepth) -> String {
    let safe = TerminalText.safe(text)
    guard depth != .none else { return safe }
    return "\u{1b}[1m" + safe + reset
  }
}
