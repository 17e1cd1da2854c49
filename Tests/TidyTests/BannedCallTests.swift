import CustomDump
import Foundation
import Testing

@Suite("Banned calls")
struct BannedCallTests {
  struct Ban {
    let name: String
    /// A part of each call.
    let word: String
    let pattern: Regex<Substring>
    /// Modules whose purpose is the call.
    let free: Set<String>
  }

  /// Executables wire the live world; the Live modules are it.
  static let world: Set = [
    "EventBusLive", "MatchStoreLive", "PrivateServers", "cubist", "cubist-demo", "cubistd",
  ]

  static var bans: [Ban] {
    [
      Ban(name: "try!", word: "try!", pattern: /\btry!/, free: []),
      Ban(name: "as!", word: "as!", pattern: /\bas!/, free: []),
      Ban(name: "fatalError", word: "fatalError(", pattern: /\bfatalError\(/, free: []),
      Ban(
        name: "print", word: "print(", pattern: /(?:^|[^.\w])print\(/,
        free: ["cubist", "cubist-simulate", "cubistd"]),
      Ban(name: "Date()", word: "Date", pattern: /\bDate(?:\.now\b|\(\))/, free: world),
      Ban(name: "UUID()", word: "UUID()", pattern: /\bUUID\(\)/, free: world),
      Ban(name: "random", word: ".random(", pattern: /\.random\((?!.*\busing:)/, free: world),
      Ban(
        name: "SystemRandomNumberGenerator", word: "SystemRandomNumberGenerator",
        pattern: /\bSystemRandomNumberGenerator\(/,
        free: world),
      Ban(name: "Task.sleep", word: "Task.sleep", pattern: /\bTask\.sleep\b/, free: world),
    ]
  }

  struct Exemption: Hashable {
    let path: String
    let call: String
    let reason: String
  }

  static let exemptions: [Exemption] = [
    Exemption(
      path: "Sources/MatchInterfaces/World/Randomness.swift",
      call: "SystemRandomNumberGenerator",
      reason: "it is the live value of the interface that all others take"),
    Exemption(
      path: "Sources/GameScreens/Running/GameLoop.swift", call: "Task.sleep",
      reason: "it is the live value of what a test replaces"),
  ]

  static func calls(in code: [String], module: String) -> [(line: Int, name: String)] {
    // Most files have none of the words, and a regex takes long.
    let text = code.joined(separator: "\n")
    let banned = bans.filter { !$0.free.contains(module) && text.contains($0.word) }
      .map { ($0.name, $0.pattern.wordBoundaryKind(.simple)) }
    return code.enumerated().flatMap { index, line in
      banned.filter { line.contains($0.1) }.map { (index + 1, $0.0) }
    }
  }

  @Test("Sources hold no banned call except the exempted ones, and every exemption is needed")
  func sources() throws {
    var unused = Set(Self.exemptions.map { "\($0.path): \($0.call)" })
    let exempt = unused
    var wrong: [String] = []
    for (path, source) in try SourceText.all.get() where path.hasPrefix("Sources/") {
      let module = String(path.split(separator: "/")[1])
      for call in Self.calls(in: source.code, module: module) {
        let key = "\(path): \(call.name)"
        unused.remove(key)
        if !exempt.contains(key) { wrong.append("\(path):\(call.line): \(call.name)") }
      }
    }
    expectNoDifference(wrong.sorted(), [])
    expectNoDifference(unused.sorted(), [])
  }

  @Test(
    "A banned call is found",
    arguments: [
      "let a = try! b()", "a as! B", "fatalError(\"x\")", "print(a)", "Date()", "Date.now",
      "UUID()", "Int.random(in: 0..<3)", "a.random()", "try await Task.sleep(for: .seconds(1))",
      "var g = SystemRandomNumberGenerator()", "Foundation.Date()",
    ])
  func found(code: String) {
    #expect(Self.calls(in: [code], module: "MatchCore").count == 1)
  }

  @Test(
    "A text that only looks like a banned call is left alone",
    arguments: [
      "Int.random(in: 0..<3, using: &generator)", "try b()", "a as B", "debugPrint(a)",
      "output.print(a)", "UUID(uuidString: a)", "Date(timeIntervalSince1970: 0)",
    ])
  func leftAlone(code: String) {
    #expect(Self.calls(in: [code], module: "MatchCore").isEmpty)
  }

  @Test("The command lines may print and the Live modules may look at a clock")
  func freedom() {
    #expect(Self.calls(in: ["print(Date())"], module: "cubist").isEmpty)
    #expect(Self.calls(in: ["Date()"], module: "MatchStoreLive").isEmpty)
    #expect(Self.calls(in: ["print(a)"], module: "MatchStoreLive").count == 1)
  }
}
