/// A fault of one setting.
package struct SettingsProblem: Hashable, Sendable, CustomStringConvertible {
  /// The variable.
  package var name: String
  /// The fault; never a value that may hold a password.
  package var what: String
  /// A value that would be allowed.
  package var example: String

  package init(name: String, what: String, example: String) {
    self.name = name
    self.what = what
    self.example = example
  }

  /// One line for a person.
  package var description: String { "\(name) \(what); for example: \(example)" }
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
