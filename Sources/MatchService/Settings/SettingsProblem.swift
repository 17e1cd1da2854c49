/// A fault of one setting.
package struct SettingsProblem: Hashable, Sendable, CustomStringConvertible {
  /// The variable.
  package var name: String
  /// The fault; never a value that may hold a password.
  package var what: String
  /// A value that would be allowed.
  package var example: String
  /// The file that sets it, and the line; nil: the environment does, or nothing.
  package var place: String?

  package init(name: String, what: String, example: String, place: String? = nil) {
    self.name = name
    self.what = what
    self.example = example
    self.place = place
  }

  /// One line for a person.
  package var description: String {
    "\(name) \(what)\(place.map { " (\($0))" } ?? ""); for example: \(example)"
  }
}

/// Everything that is wrong with the settings, all at once.
package struct SettingsProblems: Error, Hashable, Sendable, CustomStringConvertible {
  /// One problem a setting, in the order of their names.
  package var problems: [SettingsProblem]

  package init(_ problems: [SettingsProblem]) {
    self.problems = problems.sorted { ($0.name, $0.what) < ($1.name, $1.what) }
  }

  /// One line a problem.
  package var description: String {
    (["Settings are missing or wrong:"] + problems.map { "  \($0)" }).joined(separator: "\n")
  }
}
