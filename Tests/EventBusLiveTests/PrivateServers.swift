import Foundation
import RealServers

/// Servers of a test's own, for what would disturb others.
struct PrivateServers: Sendable {
  private let folder: String
  /// Where they are.
  let environment: ServerEnvironment

  /// Starts servers, which takes some seconds, runs a body, and stops them.
  static func with(_ body: (PrivateServers) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("cubist-\(UUID().uuidString)").path
    let servers = try await onThread { try PrivateServers(in: folder) }
    let result: Result<Void, any Error>
    do { result = .success(try await body(servers)) } catch { result = .failure(error) }
    try await onThread { try servers.run("stop") }
    try FileManager.default.removeItem(atPath: folder)
    try result.get()
  }

  private init(in folder: String) throws {
    self.folder = folder
    _ = try Self.output(of: [Self.script, "start", folder])
    let lines = try Self.output(of: ["-c", ". \"$0\" && env -0", "\(folder)/env"])
    var variables: [String: String] = [:]
    for line in lines.split(separator: "\0") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      variables[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
    }
    environment = try ServerEnvironment(variables)
  }

  /// Runs a command of `deploy/servers`.
  func run(_ command: String, _ options: String...) throws {
    _ = try Self.output(of: [Self.script, command, folder] + options)
  }

  /// Why something did not go as a test needs it.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("deploy/servers").path

  private static func output(of arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure("\(arguments) ended with \(process.terminationStatus)")
    }
    return String(decoding: output, as: UTF8.self)
  }
}
