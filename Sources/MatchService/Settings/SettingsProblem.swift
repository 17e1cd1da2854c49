/// A fault of one setting.
public struct SettingsProblem: Hashable, Sendable, CustomStringConvertible {
  /// The variable.
  public var name: String
  /// The fault; never a value that may hold a password.
  public var what: String
  /// A value that would be allowed.
  public var example: String

  public init(name: String, what: String, example: String) {
    self.name = name
    self.what = what
    self.example = example
  }

  /// One line for a person.
  public var description: String { "\(name) \(what); for example: \(example)" }
}

/// Everything that is wrong with the settings, all at once.
public struct SettingsProblems: Error, Hashable, Sendable, CustomStringConvertible {
  /// One problem a setting, in the order of their names.
  public var problems: [SettingsProblem]

  public init(_ problems: [SettingsProblem]) {
    self.problems = problems.sorted { ($0.name, $0.what) < ($1.name, $1.what) }
  }

  /// One line a problem.
  public var description: String {
    (["The settings are not complete:"] + problems.map { "  \($0)" }).joined(separator: "\n")
  }
}
