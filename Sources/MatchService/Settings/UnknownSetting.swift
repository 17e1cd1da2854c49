/// A variable of the environment that looks like a setting and is none.
package struct UnknownSetting: Hashable, Sendable, CustomStringConvertible {
  package var name: String
  /// The setting that was probably meant.
  package var meant: String?

  /// Variables of other programs of ours.
  private static let others: Set = ["CUBIST_CONFIG", "CUBIST_PROFILE", "CUBIST_URL"]
  private static let testPrefix = "CUBIST_TEST_"
  /// The most letters that a mistake changes.
  private static let mistakes = 3

  /// One line for a person.
  package var description: String {
    SettingsReader.excerpt(name, limit: 60) + " is no setting that there is"
      + (meant.map { "; did you mean \($0)?" } ?? "")
  }

  /// Those of an environment, by their names.
  package static func all(in environment: [String: String]) -> [UnknownSetting] {
    environment.keys.sorted().filter { name in
      name.hasPrefix("CUBIST_") && !SettingName.isKnown(name) && !others.contains(name)
        && !name.hasPrefix(testPrefix)
    }
    .map { UnknownSetting(named: $0) }
  }

  private static func nearest(to name: String) -> String? {
    let isFile = name.hasSuffix("_FILE")
    let known = SettingName.allCases.map { $0.rawValue + (isFile ? "_FILE" : "") }
    // An environment may hold a name of any length.
    let near = known.filter { abs($0.utf8.count - name.utf8.count) <= mistakes }
      .map { (name: $0, mistakes: distance($0, name)) }
    return near.filter { $0.mistakes <= mistakes }.min { $0.mistakes < $1.mistakes }?.name
  }

  /// How many letters have to be put in, taken out or changed.
  private static func distance(_ one: String, _ other: String) -> Int {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in other.indices {
        let changed = diagonal + (other[column] == letter ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
      }
    }
    return row[other.count]
  }
}

extension UnknownSetting {
  /// A name that no setting has.
  init(named name: String) { self.init(name: name, meant: UnknownSetting.nearest(to: name)) }
}
