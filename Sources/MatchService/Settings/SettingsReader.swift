/// Reads settings one by one and remembers everything that is wrong with them.
///
/// Settings come from the environment and from one file of `KEY=VALUE` lines that `CUBIST_CONFIG`
/// names; the environment wins. Any setting may come from a file of its own instead:
/// `CUBIST_DATABASE_FILE=/run/secrets/database`, or the file of its name in the folder that
/// `CREDENTIALS_DIRECTORY` names, as systemd hands out credentials.
package struct SettingsReader: Sendable {
  /// Why a file of settings cannot be read.
  package struct FileFailure: Error, Hashable, Sendable {
    /// The text for a person.
    package var reason: String

    package init(reason: String) { self.reason = reason }
  }

  /// The file system's word on a file that is there.
  package struct FileState: Hashable, Sendable {
    /// Whether users beside its owner and its group may read or write it.
    package var isOpenToOthers: Bool

    package init(isOpenToOthers: Bool) { self.isOpenToOthers = isOpenToOthers }
  }

  /// The problems so far.
  package private(set) var problems: [SettingsProblem] = []
  private var values: [String: String] = [:]
  /// Where values stand that are not in the environment.
  private var places: [String: String] = [:]

  /// Takes settings from the environment and the files that it names; `look` gives the state of a
  /// file, nil where there is none, and `readFile` its text.
  package init(
    environment: [String: String], look: (_ path: String) -> FileState? = LiveFiles.look,
    readFile: (_ path: String) throws(FileFailure) -> String = LiveFiles.text
  ) {
    let config = environment["CUBIST_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    var given = environment.filter { $0.key.hasPrefix("CUBIST_") }
    if let config {
      let lines = lines(of: config, readFile)
      if look(config)?.isOpenToOthers == true { refuse(config, with: lines) }
      for name in lines.keys where given[name] != nil { places[name] = nil }
      given.merge(lines) { environment, _ in environment }
    }
    values = given
    for (name, path) in given.sorted(by: { $0.key < $1.key }) where name.hasSuffix("_FILE") {
      let setting = String(name.dropLast("_FILE".count))
      guard given[setting] == nil, SettingName(rawValue: setting) != nil else { continue }
      do throws(FileFailure) {
        values[setting] = SettingsReader.trimmed(try readFile(path))
        places[setting] = path
      } catch {
        // The problem is reported once, with the file that holds the setting.
        values[setting] = ""
        add(name, SettingsReader.unreadable(path, error), "\(name)=/run/secrets/\(setting)")
      }
    }
    guard let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty else { return }
    for name in SettingName.allCases where values[name.rawValue] == nil {
      let path = "\(folder)/\(name.rawValue)"
      guard look(path) != nil else { continue }
      places[name.rawValue] = path
      do throws(FileFailure) {
        values[name.rawValue] = SettingsReader.trimmed(try readFile(path))
      } catch {
        report(name, "has a credential that cannot be read (\(error.reason))")
      }
    }
  }

  /// Everything that is wrong, if anything is.
  package func check() throws(SettingsProblems) {
    if !problems.isEmpty { throw SettingsProblems(problems) }
  }

  /// A setting's value; nil if it is not given or empty.
  package func optional(_ name: SettingName) -> String? {
    values[name.rawValue].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A setting's value; a problem and an empty text if it is not given.
  package mutating func required(_ name: SettingName) -> String {
    if let value = optional(name) { return value }
    let isReported = problems.contains { $0.name == name.rawValue + "_FILE" }
    if !isReported { report(name, "is not set") }
    return ""
  }

  /// A whole number within a range; `standard` if it is not given.
  package mutating func integer(
    _ name: SettingName, in range: ClosedRange<Int>, standard: Int
  ) -> Int {
    guard let text = optional(name) else { return standard }
    guard let value = Int(text), range.contains(value) else {
      report(
        name,
        "is \"\(SettingsReader.excerpt(text))\", not a number from "
          + "\(range.lowerBound) to \(range.upperBound)")
      return standard
    }
    return value
  }

  /// The same for a limit; 0 is no limit.
  mutating func limit(_ name: SettingName, upTo most: Int, standard: Int?) -> Int? {
    let number = integer(name, in: 0...most, standard: standard ?? 0)
    return number == 0 ? nil : number
  }

  /// A value that `parse` understands; `standard` if it is not given. `form` describes the allowed
  /// values.
  package mutating func value<Value>(
    _ name: SettingName, _ form: String, standard: Value, parse: (String) -> Value?
  ) -> Value {
    guard let text = optional(name) else { return standard }
    if let value = parse(text) { return value }
    report(name, "is \"\(SettingsReader.excerpt(text))\", not \(form)")
    return standard
  }

  /// Remembers a problem with a setting. The text must not hold a password.
  package mutating func report(_ name: SettingName, _ what: String) {
    add(name.rawValue, what, "\(name.rawValue)=\(name.example)")
  }

  private mutating func add(_ name: String, _ what: String, _ example: String) {
    problems.append(
      SettingsProblem(name: name, what: what, example: example, place: places[name]))
  }

  /// The settings of a file: `KEY=VALUE` lines, empty lines, and lines that begin with `#`.
  private mutating func lines(
    of path: String, _ readFile: (String) throws(FileFailure) -> String
  ) -> [String: String] {
    let example = "\(SettingName.queues.rawValue)=\(SettingName.queues.example)"
    var found: [String: String] = [:]
    do throws(FileFailure) {
      let text = try readFile(path)
      for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        .enumerated()
      {
        let line = SettingsReader.trimmed(line)
        if line.isEmpty || line.hasPrefix("#") { continue }
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = SettingsReader.trimmed(parts[0])
        let place = "names \(path), whose line \(index + 1)"
        guard parts.count == 2, SettingName.isKnown(name) else {
          let fault = SettingsReader.fault(parts.count == 2 ? name : "")
          add("CUBIST_CONFIG", "\(place) \(fault)", example)
          continue
        }
        if found.updateValue(SettingsReader.trimmed(parts[1]), forKey: name) != nil {
          add("CUBIST_CONFIG", "\(place) sets \(name) a second time", example)
        }
        places[name] = "\(path), line \(index + 1)"
      }
    } catch {
      add(
        "CUBIST_CONFIG", SettingsReader.unreadable(path, error),
        "CUBIST_CONFIG=/etc/cubist/cubistd.env")
    }
    return found
  }

  private static func unreadable(_ path: String, _ error: FileFailure) -> String {
    "names \(path), which cannot be read (\(error.reason))"
  }

  /// What is wrong with a line that sets no setting. It may hold a password, and shows nothing but a name
  /// of ours.
  private static func fault(_ name: String) -> String {
    let isOurs =
      name.hasPrefix("CUBIST_")
      && name.utf8.allSatisfy { byte in
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || byte == UInt8(ascii: "_")
          || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
      }
    guard isOurs else { return "is no setting that there is" }
    let unknown = UnknownSetting(named: name)
    return "sets \(excerpt(name, limit: 60)), which is no setting"
      + (unknown.meant.map { "; \($0) is one" } ?? "")
  }

  /// Reports a file that strangers may read, if it holds a secret.
  private mutating func refuse(_ path: String, with lines: [String: String]) {
    let secret = SettingName.allCases.first { name in
      lines[name.rawValue].map(name.holdsSecret) ?? false
    }
    guard let secret else { return }
    add(
      "CUBIST_CONFIG",
      "names a file that every user may read or write, and it holds a secret (\(secret.rawValue))",
      "chmod 640 \(path)")
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
    let start = text.drop(while: isSpace)
    return String(start.reversed().drop(while: isSpace).reversed())
  }

  static func excerpt(_ text: String, limit: Int = 40) -> String {
    text.count <= limit ? text : "\(text.prefix(limit))…"
  }
}
