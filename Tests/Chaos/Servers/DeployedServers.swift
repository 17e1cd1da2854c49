import Foundation

/// Servers of one run alone, kept by `deploy/servers` in a folder.
public final class DeployedServers: Sendable {
  private let script: String
  /// The folder that the servers and their logs are in.
  public let folder: String

  /// The servers in a folder.
  public init(root: String, folder: String) throws {
    script = "\(root)/deploy/servers"
    guard FileManager.default.isExecutableFile(atPath: script) else {
      throw ChaosFailure("\(script) is missing: run this from the root of the project")
    }
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// The command line that stops both.
  public var stopCommand: [String] { ["/bin/bash", script, "stop", folder] }

  /// Runs a command of the script to its end.
  ///
  /// It is in a process group of its own, so that Ctrl-C does not stop it half-way.
  /// - Throws: ``ChaosFailure`` with what it said, unless it succeeds.
  public func run(_ command: String, _ options: String...) throws {
    try run(command, options)
  }

  func run(_ command: String, _ options: [String]) throws {
    try finish(start(command, options), command)
  }

  /// Begins a command of the script.
  func start(_ command: String, _ options: [String]) throws -> ChildProcess {
    try? FileManager.default.removeItem(atPath: said(command))
    return try ChildProcess(
      Spawn(
        command: ["/bin/bash", script, command, folder] + options, errors: said(command)))
  }

  private func said(_ command: String) -> String { "\(folder)/\(command).said" }

  /// Waits for a command that was begun.
  func finish(_ process: ChildProcess, _ command: String) throws {
    let status = process.wait()
    guard status == 0 else {
      let said = String(
        decoding: FileManager.default.contents(atPath: said(command)) ?? Data(), as: UTF8.self)
      throw ChaosFailure(
        "deploy/servers \(command) ended with \(status): \(said)", isAboutServers: true)
    }
  }

  /// Where the servers are, by the names that `deploy/servers` gives.
  public func variables() throws -> [String: String] {
    guard let data = FileManager.default.contents(atPath: "\(folder)/env") else {
      throw ChaosFailure("\(folder)/env is missing: the servers were not started")
    }
    var values: [String: String] = [:]
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix("export ") {
      let parts = line.dropFirst(7).split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      // As a shell reads it: a backslash before every special character.
      var value = ""
      var isEscaped = false
      for character in parts[1] {
        isEscaped = !isEscaped && character == "\\"
        if !isEscaped { value.append(character) }
      }
      values[String(parts[0])] = value
    }
    return values
  }
}
