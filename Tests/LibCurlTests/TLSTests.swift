import Foundation
import LibCurl
import RealServers
import Testing

@Suite("HTTPS")
struct TLSTests {
  /// `openssl s_server` with a certificate of its own for `localhost`.
  private final class SecureServer {
    let port: UInt16
    let certificate: String
    let key: String
    private let folder: URL
    private let process = Process()
    private let input = Pipe()

    init(_ options: [String] = [], key kind: String = "ec") throws {
      folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("cubist-tls-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      certificate = folder.appendingPathComponent("certificate.pem").path
      key = folder.appendingPathComponent("key.pem").path
      // A port that was free a moment ago.
      let finder = try HTTPReceiver { _, _ in .nothing }
      port = finder.port
      finder.close()
      let maker = try Self.openssl([
        "req", "-x509", "-newkey", kind, "-pkeyopt",
        kind == "ec" ? "ec_paramgen_curve:prime256v1" : "rsa_keygen_bits:2048", "-nodes",
        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
        "-keyout", key, "-out", certificate,
      ])
      maker.waitUntilExit()
      try #require(maker.terminationStatus == 0)
      _ = try Self.openssl(
        [
          "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", certificate, "-key", key,
        ] + options, process, input)
    }

    /// Sends 204 again and again until `body` has ended, to any connected client. A single answer
    /// could go to a former connection whose end has not been read yet.
    func answering<Value>(_ body: () throws -> Value) throws -> Value {
      let answers = DispatchSource.makeTimerSource()
      let handle = input.fileHandleForWriting
      answers.setEventHandler {
        try? handle.write(contentsOf: Data("HTTP/1.1 204 Taken\r\n\r\n".utf8))
      }
      answers.schedule(deadline: .now(), repeating: .milliseconds(20))
      answers.activate()
      defer { answers.cancel() }
      return try body()
    }

    deinit {
      // Threads of the pool block signals, and their child processes inherit that.
      kill(process.processIdentifier, SIGKILL)
      try? FileManager.default.removeItem(at: folder)
    }

    @discardableResult
    private static func openssl(
      _ arguments: [String], _ process: Process = Process(), _ input: Pipe? = nil
    ) throws -> Process {
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["openssl"] + arguments
      process.standardInput = input ?? FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      return process
    }
  }

  /// A server of `PushPeers`, which floods its client.
  private final class FloodingServer {
    private let process = Process()
    private let output = Pipe()
    private var text = ""

    init(_ peer: String, _ server: SecureServer, _ argument: String) throws {
      let peer = #filePath.replacing("LibCurlTests/TLSTests.swift", with: "PushPeers/\(peer)")
      process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
      process.arguments = [peer, server.certificate, server.key, argument]
      process.standardOutput = output
      try process.run()
      _ = fcntl(output.fileHandleForReading.fileDescriptor, F_SETFL, O_NONBLOCK)
    }

    /// A line of its output, if it is there.
    func line(_ number: Int) -> String? {
      var chunk = [UInt8](repeating: 0, count: 256)
      let count = read(output.fileHandleForReading.fileDescriptor, &chunk, chunk.count)
      if count > 0 { text += String(decoding: chunk[..<count], as: UTF8.self) }
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      return lines.dropFirst(number).first.map(String.init)
    }

    /// Waits until a line of its output is there. The test's time limit ends the wait.
    func awaitLine(_ number: Int) throws -> String {
      try Patience.wait(for: "line \(number)") { line(number) != nil }
      return line(number) ?? ""
    }

    deinit { kill(process.processIdentifier, SIGKILL) }
  }

  private func outcome(_ url: String, _ authority: String?) throws -> Result<Int, CurlError> {
    let client = try CurlClientTests.client {
      $0.certificateAuthority = authority
      $0.timeout = .seconds(20)
    }
    do {
      return .success(try client.post(url, headers: [], body: [1]).status)
    } catch {
      return .failure(error)
    }
  }

  /// The outcome of the first request that meets a server. It may not have begun to listen yet.
  private func firstOutcome(_ url: String, _ authority: String?) throws -> Result<Int, CurlError> {
    var found: Result<Int, CurlError>?
    try Patience.wait(for: "the server listens") {
      found = try outcome(url, authority)
      if case .failure(let error)? = found { return error.code != .unreachable }
      return true
    }
    return try #require(found)
  }

  @Test("The end of a certificate is read whoever vouches for it, and plain HTTP has none")
  func certificateEnd() throws {
    let server = try SecureServer()
    _ = try firstOutcome("https://localhost:\(server.port)/", nil)
    let end = try CurlClientTests.client().certificateEnd(of: "localhost:\(server.port)")
    let days = (Double(try #require(end)) - Date().timeIntervalSince1970) / 86_400
    #expect((1...2).contains(days.rounded()))
    let plain = try HTTPReceiver { _, _ in .nothing }
    defer { plain.close() }
    #expect(throws: CurlError.self) {
      try CurlClientTests.client().certificateEnd(of: "127.0.0.1:\(plain.port)")
    }
  }

  @Test("An unknown authority and another host's certificate are refused, the right ones are not")
  func verified() throws {
    let server = try SecureServer()
    let url = "https://localhost:\(server.port)/"
    let unknown = try firstOutcome(url, nil)
    #expect(unknown.failure?.code == .tlsRefused)
    let otherHost = try outcome("https://127.0.0.1:\(server.port)/", server.certificate)
    #expect(otherHost.failure?.code == .tlsRefused)
    #expect(try outcome(url, "/nowhere/ca.pem").failure?.code == .unusable)
    #expect(try server.answering { try outcome(url, server.certificate) } == .success(204))
  }

  @Test(
    "A server that wants a slow exchange of keys over a finite field is refused",
    arguments: [
      ["-tls1_2", "-cipher", "DHE"],
      ["-tls1_3", "-groups", "ffdhe8192"],
    ])
  func slowKeys(options: [String]) throws {
    let server = try SecureServer(options, key: "rsa")
    let url = "https://localhost:\(server.port)/"
    let refused = try firstOutcome(url, server.certificate)
    #expect(refused.failure?.code == .tlsRefused)
  }

  @Test("A server that floods a client with new keys gets a little of each call, and no more")
  func keyFlood() throws {
    let server = try SecureServer()
    let flood = try FloodingServer("flood.py", server, "5000")
    let port = try flood.awaitLine(0)
    var settings = CurlSettings()
    settings.connectTimeout = .seconds(600)
    settings.certificateAuthority = server.certificate
    let multi = try CurlMulti(settings, uptime: { 0 })
    multi.begin(1, CurlRequest(.post, "https://localhost:\(port)/"))
    while flood.line(1) == nil { #expect(multi.poll(.zero).isEmpty) }
    _ = try flood.awaitLine(2)
    // Everything is here, and its end too: a call that read on would find that.
    for _ in 0..<100 { #expect(multi.poll(.zero).isEmpty) }
    #expect(multi.count == 1)
  }

  @Test(
    "A server that floods a client with frames of HTTP/2 has its bytes of each second, and no more")
  func frameFlood() throws {
    let server = try SecureServer()
    let table = server.certificate.replacing("certificate.pem", with: "table.json")
    try Data(#"{"1": {"flood": 3000000}, "2": {"flood": 64000000}}"#.utf8)
      .write(to: URL(fileURLWithPath: table))
    let flood = try FloodingServer("apns.py", server, table)
    let port = try flood.awaitLine(0)
    var settings = CurlSettings()
    settings.connectTimeout = .seconds(600)
    settings.timeout = nil
    settings.certificateAuthority = server.certificate
    var now: UInt64 = 0
    let multi = try CurlMulti(settings, uptime: { now })
    func outcome(_ path: Int) -> Result<CurlResponse, CurlError> {
      var request = CurlRequest(.post, "https://localhost:\(port)/\(path)")
      request.isHTTP2 = true
      multi.begin(1, request)
      while true {
        if let answer = multi.poll(.seconds(1)).first { return answer.result }
      }
    }
    for _ in 0..<4 {
      #expect(try outcome(1).get().status == 200)
      now += 1_000_000_000
    }
    // An answer is behind these, and is not waited for.
    let failure = outcome(2).failure
    #expect(failure?.code == .cutOff)
    #expect(
      failure?.description == "the server sent more than 4000000 bytes in a second by HTTP/2")
    now += 1_000_000_000
    #expect(try outcome(1).get().status == 200)
  }

  @Test("A server that speaks no TLS is refused")
  func plain() throws {
    let receiver = try HTTPReceiver { _, _ in .status(204) }
    defer { receiver.close() }
    let outcome = try outcome("https://127.0.0.1:\(receiver.port)/", nil)
    receiver.close()
    #expect(outcome.failure != nil)
    #expect(receiver.requests.isEmpty)
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
