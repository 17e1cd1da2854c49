import Foundation

/// The project's files.
enum Tree {
  /// The folder of Package.swift, found from the path of this file.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Paths of files below a folder of the project, relative to the project.
  static func files(in folder: String, endingIn endings: [String]) -> [String] {
    let base = root.appending(path: folder)
    guard let walker = FileManager.default.enumerator(atPath: base.path) else { return [] }
    return walker.compactMap { $0 as? String }
      .filter { path in
        endings.contains { path.hasSuffix($0) } && !path.split(separator: "/").contains(".build")
      }
      .map { "\(folder)/\($0)" }
      .sorted()
  }

  static func folders(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { isFolder("\(folder)/\($0)") }
      .sorted()
  }

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(
      atPath: root.appending(path: path).path, isDirectory: &isFolder)
    return exists && isFolder.boolValue
  }

  /// Runs a program of the project, and gives its status and all that it printed.
  static func run(
    _ program: String, _ arguments: String...
  ) throws -> (status: Int32, output: String) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = root.appending(path: program)
    process.arguments = arguments
    process.currentDirectoryURL = root
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let printed = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: printed, as: UTF8.self))
  }
}
