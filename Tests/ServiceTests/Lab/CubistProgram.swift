import Foundation

/// The player's program, with its profiles in a folder.
struct CubistProgram {
  /// Where the test's programs and libraries are.
  static let binaries = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path

  struct Run {
    var status: Int32
    var wasKilled: Bool
    var output: String
    var errors: String
  }

  /// In the place of a file: a standard output that is closed.
  static let closed = "closed"

  var folder: String
  /// Where the program finds the service.
  var url: String

  /// Runs a command, whose arguments stand apart by single spaces. It waits long for answers, unless
  /// it says how long.
  ///
  /// - Parameters:
  ///   - input: The file that is its standard input; nil: that of the test.
  ///   - file: The file or device that is its standard output, which is not read then, or
  ///     ``closed``.
  func run(
    _ line: String, as profile: String, _ more: [String: String] = [:], input: String? = nil,
    outputTo file: String? = nil
  ) throws -> Run {
    let (process, output, errors) = (Process(), Pipe(), "\(folder)/\(profile).errors")
    process.executableURL = URL(fileURLWithPath: "\(Self.binaries)/cubist")
    let patience = line.contains("--timeout") ? "" : " --timeout 60s"
    process.arguments = "\(line)\(patience)".split(separator: " ").map { String($0) }
    let isClosed = file == Self.closed
    if isClosed, let program = process.executableURL?.path {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments =
        ["-c", "exec \"$0\" \"$@\" >&-", program] + (process.arguments ?? [])
    }
    process.environment = [
      "XDG_STATE_HOME": folder, "CUBIST_PROFILE": profile, "LC_ALL": "C", "CUBIST_URL": url,
    ].merging(more) { $1 }
    try Data().write(to: URL(fileURLWithPath: errors))
    if let input {
      process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: input))
    }
    let target = isClosed ? "/dev/null" : file
    process.standardOutput = try target.map {
      try FileHandle(forWritingTo: URL(fileURLWithPath: $0))
    }
    if file == nil { process.standardOutput = output }
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
    try process.run()
    if file != nil { try output.fileHandleForWriting.close() }
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Run(
      status: process.terminationStatus, wasKilled: process.terminationReason != .exit,
      output: String(decoding: said, as: UTF8.self),
      errors: try String(contentsOfFile: errors, encoding: .utf8))
  }
}
