import Chaos
import Foundation
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import RealServers
import TestedService
import Testing

/// Gateways in processes of their own before a lab's service.
struct Gateways {
  let processes: RoleProcesses
  private let broker: String

  init(of lab: ServiceLab, _ settings: [String: String] = [:]) throws {
    broker = try lab.gatewayURL()
    processes = try RoleProcesses(of: lab, settings)
  }

  /// A gateway that runs.
  struct Running {
    let process: RoleProcess
    let port: UInt16
    var url: String { "http://127.0.0.1:\(port)" }
  }

  /// Starts one, and waits until it serves.
  func start(_ settings: [String: String] = [:]) throws -> Running {
    let port = try FreePort.take()
    let process = try processes.start(
      "gateway",
      ["CUBIST_GATEWAY_BROKER": broker, "CUBIST_GATEWAY_LISTEN": "127.0.0.1:\(port)"]
        .merging(settings) { $1 })
    let gateway = Running(process: process, port: port)
    try waitUntil("a gateway serves", found: process.logText) {
      guard process.isRunning else { throw LabFailure("a gateway ended:\n\(process.logText)") }
      return OneRequest.get("/v1/service", port: port) == 200
    }
    return gateway
  }

  func end() { processes.end() }
}

/// Programs of the system in a folder of their own. They end with the test.
struct Programs {
  let folder: String
  private let group: ProcessGroup

  init(_ name: String) throws {
    folder =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("cubist-\(name)-\(UInt64.random(in: .min ... .max))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    group = try ProcessGroup()
  }

  /// Starts one; its output goes to a file of the folder.
  func start(_ command: [String], log: String) throws -> ChildProcess {
    try group.start(
      command, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"],
      log: path(log))
  }

  /// Runs one to its end, which has to be a good one.
  func run(_ command: [String], log: String) throws {
    let status = try start(command, log: log).wait()
    guard status == 0 else {
      throw LabFailure("\(command[0]) ended with \(status):\n\(text(log))")
    }
  }

  /// Writes `key.pem`, and `certificate.pem` for a server's name as openssl takes it, such as
  /// `DNS:localhost`.
  func certify(_ name: String) throws {
    try run(
      [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=\(name)",
        "-keyout", path("key.pem"), "-out", path("certificate.pem"),
      ], log: "openssl")
  }

  func path(_ file: String) -> String { "\(folder)/\(file)" }

  func text(_ file: String) -> String {
    String(decoding: FileManager.default.contents(atPath: path(file)) ?? Data(), as: UTF8.self)
  }

  func end() {
    group.end()
    try? FileManager.default.removeItem(atPath: folder)
  }
}

/// The program `curl`: a client that nobody here has written.
struct Curl {
  let programs: Programs
  /// Options of every request.
  var options: [String] = []

  /// A request on its way, or answered.
  struct Exchange {
    fileprivate let programs: Programs
    fileprivate let name: String
    let process: ChildProcess

    /// Waits for the end of the answer.
    func answer() throws -> Answer {
      let status = process.wait()
      let words = programs.text("\(name).said").split(separator: " ", maxSplits: 2)
      guard status == 0, words.count >= 2, let code = Int(words[0]) else {
        throw LabFailure("curl ended with \(status): \(programs.text("\(name).said"))")
      }
      return Answer(
        status: code, version: String(words[1]), body: body,
        transportSecurity: words.count > 2 ? String(words[2]) : nil)
    }

    /// The body as far as it has come.
    var body: String { programs.text("\(name).body") }
  }

  struct Answer {
    var status: Int
    /// The version of HTTP.
    var version: String
    var body: String
    /// The field `Strict-Transport-Security`.
    var transportSecurity: String?
  }

  func start(
    _ url: String, body: [UInt8]? = nil, headers: [String] = []
  ) throws -> Exchange {
    let name = "curl-\(UInt64.random(in: .min ... .max))"
    var command =
      ["curl", "--silent", "--show-error", "--no-buffer", "--max-time", "120"] + options + [
        "--output", programs.path("\(name).body"),
        "--write-out", "%{http_code} %{http_version} %header{strict-transport-security}",
      ]
    for header in headers { command += ["--header", header] }
    if let body {
      try Data(body).write(to: URL(fileURLWithPath: programs.path("\(name).sent")))
      command += [
        "--header", "Content-Type: application/octet-stream",
        "--data-binary", "@\(programs.path("\(name).sent"))",
      ]
    }
    let process = try programs.start(command + [url], log: "\(name).said")
    return Exchange(programs: programs, name: name, process: process)
  }

  func send(
    _ url: String, body: [UInt8]? = nil, headers: [String] = []
  ) throws -> Answer {
    try start(url, body: body, headers: headers).answer()
  }
}

extension LabPlayer {
  /// The envelope of a query that is made now.
  func envelope(_ kind: Query.Kind) -> [UInt8] {
    let query = Query(
      service: service, id: EventID(at: WallClock.live.now(), random: Randomness.live.next128()),
      player: id, kind: kind)
    return Envelope.encode(key.signer.sign(query))
  }
}
