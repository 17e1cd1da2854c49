import ServiceNews
import MatchCore

/// The typed arguments that a suggested command repeats, beside the options of every command.
struct TypedArguments: Hashable {
  /// The player's name that was given.
  var name: PlayerName?
  /// The code that was given to register with.
  var code: ShareCode?
  /// The options of the wanted match, such as ` --turn-limit 3d`; nil where there is none.
  var start: String?
  /// The option of the daily challenge, such as ` --timed`.
  var mode = ""
  /// The day that was given.
  var day: Day?
  /// The service's URL with PASSWORD in the place of its password; nil where there is none.
  var url: String?

  /// A URL with PASSWORD in the place of its password; nil where it has none.
  static func withoutPassword(_ url: String) -> String? {
    guard let scheme = url.firstRange(of: "://") else { return nil }
    let rest = url[scheme.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard let at = authority.lastIndex(of: "@"),
      let colon = authority[..<at].firstIndex(of: ":")
    else { return nil }
    return url[..<colon] + ":PASSWORD" + url[at...]
  }
}

extension GlobalOptions {
  /// A command with this one's options for player, service and layout.
  ///
  /// A suggestion that begins with another program's name is left as it is.
  func repeated(in command: String) -> String {
    let head = "cubist"
    guard command == head || command.hasPrefix(head + " ") else { return command }
    let rest = command.dropFirst(head.count)
    return head + text(before: rest) + rest
  }

  /// The options, each with a space before it, unless the rest of a command has its own.
  private func text(before rest: Substring) -> String {
    var text = ""
    if let profile, !rest.hasPrefix(" --profile ") { text += " --profile \(profile)" }
    let connects = rest.hasPrefix(" connect ") || rest.hasPrefix(" --profile ")
    if let url, !connects { text += " --url \(GlobalOptions.shown(url))" }
    if let timeout {
      text += " --timeout \(DurationText.text(seconds: timeout.components.seconds))"
    }
    if plain { text += " --plain" }
    if noColor { text += " --no-color" }
    return text
  }

  /// A URL as it can be typed again; one with a password is not shown, since others may see the
  /// screen.
  private static func shown(_ url: String) -> String {
    guard !url.contains("@") else { return "URL" }
    return ShellWord.quoted(url)
  }
}

/// An argument as a shell takes it.
enum ShellWord {
  static func quoted(_ text: String) -> String {
    let isSafe =
      !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: ":/.,-_%+@".utf8.contains(byte)
        }
      }
    if isSafe { return text }
    let parts = text.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: "'\\''") + "'"
  }
}
