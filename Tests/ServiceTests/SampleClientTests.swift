import Chaos
import Foundation
import GatewayLab
import MatchCore
import RealServers
import TestedService
import Testing

@testable import cubistd

/// A maker's program, `Tests/SampleClient`, built outside of this package.
///
/// It compiles swift-crypto, which nothing else here needs. So `deploy/nightly` does it.
@Suite(
  "A program outside of the package", .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["CUBIST_TEST_SAMPLE"] == "1",
    "set CUBIST_TEST_SAMPLE=1, as deploy/nightly does"))
struct SampleClientTests {
  /// Builds the program as on a machine where no header of a C library is installed.
  ///
  /// What it needs of this package is kept between runs. The first build takes some minutes.
  static func build() throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "cubist-sample-\(UUID().uuidString)")
    try FileManager.default.copyItem(
      at: root.appending(path: "Tests/SampleClient"), to: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    let manifest = folder.appending(path: "Package.swift")
    let text = try String(contentsOf: manifest, encoding: .utf8)
    let pathed = text.replacing("path: \"../..\"", with: "path: \"\(root.path)\"")
    #expect(pathed != text)
    try pathed.write(to: manifest, atomically: true, encoding: .utf8)
    // The versions of everything else are those of this package.
    try FileManager.default.copyItem(
      at: root.appending(path: "Package.resolved"), to: folder.appending(path: "Package.resolved"))
    let built = root.appending(path: ".build-sample").path
    let (status, said) = try run(
      "/usr/bin/env",
      [
        "nice", "-n", "19", "swift", "build", "--package-path", folder.path, "--scratch-path",
        built,
        "-debug-info-format", "none",
      ],
      environment: [
        "PKG_CONFIG_PATH": "", "PKG_CONFIG_LIBDIR": "/nonexistent", "CPATH": "",
      ])
    #expect(status == 0, "\(said.suffix(4_000))")
    return "\(built)/debug/SampleClient"
  }

  static func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> (status: Int32, said: String) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    var all = ProcessInfo.processInfo.environment
    all["CUBIST_TEST_BUILD"] = nil
    process.environment = all.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: said, as: UTF8.self))
  }

  @Test("It is built without a C library, and links none but the toolchain's")
  func links() throws {
    let program = try Self.build()
    let (status, said) = try Self.run("/usr/bin/env", ["readelf", "--dynamic", program])
    #expect(status == 0)
    let needed = said.split(separator: "\n").filter { $0.contains("(NEEDED)") }
    #expect(!needed.isEmpty)
    for library in ["rabbitmq", "libpq", "libcurl", "sodium", "libcrypto", "libssl"] {
      #expect(!needed.contains { $0.contains(library) }, "\(library)")
    }
    #expect(try Self.run(program, []).said.hasPrefix("SampleClient ADDRESS NAME"))
  }
}

extension SampleClientTests {
  @Test("Two of them play a match through a running gateway")
  func plays() async throws {
    let program = try Self.build()
    try await ServiceLab.run(.clients(.standard)) { lab in
      try await lab.withGateway { gateway in
        let folder = FileManager.default.temporaryDirectory
          .appending(path: "cubist-sample-\(lab.database.name)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = gateway.url
        @Sendable func play(_ name: String, _ other: String) throws -> (status: Int32, said: String)
        {
          // If one fails, the other waits in vain.
          try Self.run(
            "/usr/bin/timeout",
            ["180", program, url, name, other, folder.appending(path: name).path])
        }
        async let first = onThreads { try play("sampleA", "sampleB") }
        try await onThreads {
          try waitUntil("the first is there") {
            let desk = try OperatorDesk(lab)
            defer { desk.close() }
            return (try? desk.players.find("sampleA")) != nil
          }
        }
        async let second = onThreads { try play("sampleB", "sampleA") }
        for (status, said) in try await [first, second] {
          #expect(status == 0, "\(said)")
          #expect(
            said.contains("The match is over") && said.contains("The record holds"), "\(said)")
        }
      }
    }
  }
}
