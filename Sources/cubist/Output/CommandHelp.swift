/// The help of a command.
enum CommandHelp {
  /// The same text with a command's own options before those of every command. The parser puts its
  /// untitled part last.
  static func ownFirst(_ text: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let every = lines.firstIndex(of: "GLOBAL OPTIONS:"),
      let own = lines[every...].firstIndex(of: "OPTIONS:")
    else { return text }
    let end = lines[own...].firstIndex(of: "") ?? lines.endIndex
    // The part of every command ends with an empty line, the own one before an empty line or the end.
    let parts = lines[own..<end] + [""] + lines[every..<own].dropLast()
    lines.replaceSubrange(every..<end, with: parts)
    return lines.joined(separator: "\n")
  }
}
