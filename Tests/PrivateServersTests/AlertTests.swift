import Foundation
import Testing

@Suite("Alert rules")
struct AlertTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "deploy/observe")

  /// Runs promtool beside the rules.
  /// - Returns: its status and everything that it wrote.
  private static func promtool(_ arguments: String...) throws -> (status: Int32, said: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/promtool")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    let pipe = Pipe()
    (process.standardOutput, process.standardError) = (pipe, pipe)
    try process.run()
    let said = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: said, as: UTF8.self))
  }

  @Test("Prometheus reads the rules and the sample of settings")
  func check() throws {
    for arguments in [("rules", "alerts.yml"), ("config", "prometheus.yml")] {
      let (status, said) = try Self.promtool("check", arguments.0, arguments.1)
      #expect(status == 0, "\(said)")
    }
  }

  @Test("Each alert is quiet before its trouble, fires after some minutes of it, and is resolved")
  func stories() throws {
    let (status, said) = try Self.promtool("test", "rules", "alerts-test.yml")
    #expect(status == 0, "\(said)")
  }
}
