import CustomDump
import Foundation
import Testing

/// A mistake of `deploy/mistakes.d`: a patch under two lines that name the broken promise and the
/// tests that find it.
struct Mistake {
  var name: String
  /// The promise that it breaks, at least its first words.
  var promise: String
  /// The tests that `deploy/mistakes` has to run: suites as `Target.Suite`, with `|` between them.
  var suites: [String]
  /// The files that it changes.
  var files: [String]

  init?(_ name: String, _ text: String) {
    func header(_ key: String) -> String? {
      text.split(separator: "\n").prefix { !$0.hasPrefix("diff ") }
        .first { $0.hasPrefix("\(key): ") }.map { String($0.dropFirst(key.count + 2)) }
    }
    guard let promise = header("Promise"), let tests = header("Tests") else { return nil }
    self.name = name
    self.promise = promise
    suites = tests.split(separator: "|").map { String($0) }
    files = text.split(separator: "\n").filter { $0.hasPrefix("+++ b/") }
      .map { String($0.dropFirst(6)) }
  }

  static func all() throws -> [Mistake?] {
    try Tree.files(in: "deploy/mistakes.d", endingIn: [".patch"]).map {
      Mistake($0, try Tree.text($0))
    }
  }
}

@Suite("Planted mistakes: deploy/mistakes.d")
struct MistakeTests {
  /// The promises of docs/promises.md.
  private static func promises() throws -> [String] {
    let lines = try Tree.text("docs/promises.md").split(
      separator: "\n", omittingEmptySubsequences: false)
    return lines.drop { $0 != "| promise | test |" }.dropFirst(2).prefix { $0.hasPrefix("| ") }
      .compactMap { $0.dropFirst(2).split(separator: " | ").first.map { String($0) } }
  }

  @Test("Each promise has a planted mistake that breaks it, by its first words")
  func everyPromise() throws {
    let promises = try Self.promises()
    #expect(promises.count > 10)
    let broken = try Mistake.all().compactMap { $0?.promise }
    let unbroken = promises.filter { promise in
      !broken.contains { $0.count >= 20 && promise.hasPrefix($0) }
    }
    expectNoDifference(unbroken, [])
  }

  @Test("Each planted mistake can still be made in the sources as they are")
  func applies() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.currentDirectoryURL = Tree.root
    let patches = Tree.files(in: "deploy/mistakes.d", endingIn: [".patch"])
    let script = #"for patch; do git apply --check "$patch" || echo "$patch"; done"#
    process.arguments = ["bash", "-c", script, "-"] + patches
    let (said, errors) = (Pipe(), FileHandle.nullDevice)
    (process.standardOutput, process.standardError) = (said, errors)
    try process.run()
    let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    expectNoDifference(text, "")
    #expect(patches.count > 10 && process.terminationStatus == 0)
  }

  @Test("Each planted mistake names the promise that it breaks, and existing suites and files")
  func everyMistake() throws {
    let declared = try Tree.files(in: "Tests", endingIn: [".swift"]).reduce(into: Set<String>()) {
      names, path in
      let target = path.split(separator: "/")[1]
      for match in try Tree.text(path).matches(of: /\b(?:struct|class|extension) (\w+)/) {
        names.insert("\(target).\(match.1)")
      }
    }
    var wrong: [String] = []
    for (mistake, path) in zip(
      try Mistake.all(), Tree.files(in: "deploy/mistakes.d", endingIn: [".patch"]))
    {
      guard let mistake else {
        wrong.append("\(path) has no line Promise: or none Tests:")
        continue
      }
      // A suite within another is named by the outer one as well.
      for suite in mistake.suites where !declared.contains(suite) {
        wrong.append("\(path): there is no suite \(suite)")
      }
      for file in mistake.files where !Tree.exists(file) {
        wrong.append("\(path): there is no \(file)")
      }
      if mistake.files.isEmpty || mistake.suites.isEmpty { wrong.append("\(path) does nothing") }
    }
    expectNoDifference(wrong, [])
  }
}
