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
    private let folder: URL
    private let process = Process()
    private let input = Pipe()

    init() throws {
      folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("cubist-tls-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      certificate = folder.appendingPathComponent("certificate.pem").path
      let key = folder.appendingPathComponent("key.pem").path
      // A port that was free a moment ago.
      let finder = try HTTPReceiver { _, _ in .nothing }
      port = finder.port
      finder.close()
      let maker = try Self.openssl([
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
        "-keyout", key, "-out", certificate,
      ])
      maker.waitUntilExit()
      try #require(maker.terminationStatus == 0)
      _ = try Self.openssl(
        [
          "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", certificate, "-key", key,
        ], process, input)
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

  @Test(
    "An unknown authority and another host's certificate are refused, the right ones are not",
    .timeLimit(.minutes(15)))
  func verified() throws {
    let server = try SecureServer()
    let url = "https://localhost:\(server.port)/"
    var unknown = try outcome(url, nil)
    while case .failure(let error) = unknown, error.code == .unreachable {
      // It has not begun to listen yet.
      Thread.sleep(forTimeInterval: 0.01)
      unknown = try outcome(url, nil)
    }
    #expect(unknown.failure?.code == .tlsRefused)
    let otherHost = try outcome("https://127.0.0.1:\(server.port)/", server.certificate)
    #expect(otherHost.failure?.code == .tlsRefused)
    #expect(try outcome(url, "/nowhere/ca.pem").failure?.code == .unusable)
    #expect(try server.answering { try outcome(url, server.certificate) } == .success(204))
  }

  @Test("A server that speaks no TLS is refused", .timeLimit(.minutes(15)))
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
