import ArgumentParser

/// A word in the place of a command that is none, and the command that was probably meant.
struct Misspelling: Hashable {
  /// The typed word.
  let word: String
  /// The commands before it, such as `cubist daily`.
  let parent: String
  /// The command that is most like it; nil where none is.
  let suggestion: String?

  /// The fault, for a person.
  var message: String {
    let meant = suggestion.map { " Did you mean '\($0)'?" } ?? ""
    let list = parent == "cubist" ? "cubist help" : "cubist help\(parent.dropFirst(6))"
    return "'\(word)' is no command of \(parent).\(meant) All commands: \(list)"
  }

  /// The first word of some arguments that stands where a command has to stand and is none.
  ///
  /// - Parameter arguments: Without the program's name.
  static func find(
    in arguments: [String], of root: any ParsableCommand.Type
  ) -> Misspelling? {
    var (command, parent) = (root, "cubist")
    var rest = arguments[...]
    var isHelp = false
    while let word = rest.popFirst() {
      // The rest is for the shell, or no command.
      if word == "--" || word.hasPrefix("---") { return nil }
      if word.hasPrefix("-") {
        // Its value is no command.
        if optionsWithValue.contains(word) { _ = rest.popFirst() }
        continue
      }
      let children = command.configuration.subcommands
      if parent == "cubist", word == "help" {
        isHelp = true
      } else if let child = children.first(where: { name(of: $0) == word }) {
        (command, parent) = (child, "\(parent) \(word)")
      } else if children.isEmpty {
        return isHelp ? Misspelling(word: word, parent: parent, suggestion: nil) : nil
      } else {
        let names = children.map(name) + (parent == "cubist" ? ["help"] : [])
        let near = nearest(to: word, among: names).map { "\(parent) \($0)" }
        return Misspelling(word: word, parent: parent, suggestion: near)
      }
    }
    return nil
  }

  /// The options with a value of the commands that have subcommands.
  private static let optionsWithValue: Set = [
    "--profile", "--url", "--timeout", "--generate-completion-script", "--time-zone", "--language",
    "--quiet-hours", "--quiet-late", "--digest", "--review",
  ]

  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? "\(command)".lowercased()
  }

  /// The name that begins with the word; else the one that takes the fewest mistakes to become it, a
  /// third of its letters at most.
  static func nearest(to word: String, among names: [String]) -> String? {
    let word = word.lowercased()
    if word.count > 2, let name = names.first(where: { $0.hasPrefix(word) }) { return name }
    let near = names.map { (name: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
      .min { $0.distance < $1.distance }
    return near.flatMap { $0.distance <= max(1, $0.name.utf8.count / 3) ? $0.name : nil }
  }

  /// How many letters have to be changed, added, dropped or swapped with the next one.
  static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    // A typed word may be as long as one likes, and no command is.
    guard left.count <= 64, right.count <= 64 else { return .max }
    var rows = [Array(0...right.count)]
    for i in left.indices {
      var row = [i + 1]
      for j in right.indices {
        let isSame = left[i] == right[j]
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (isSame ? 0 : 1))
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
