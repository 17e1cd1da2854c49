import Chaos
import Foundation
import MatchCore
import MatchWire
import PlayerClient
import RealServers
import TestedService
import Testing

@Suite("Debian's nginx with the shipped configuration, before two gateways")
struct NginxTests {
  @Test("A turn, a stream, a gateway that dies, and a client that lies about its address")
  func before() async throws {
    try await ServiceLab.run { lab in
      let gateways = try Gateways(
        of: lab,
        ["CUBIST_GATEWAY_PROXIES": "127.0.0.1", "CUBIST_GATEWAY_REGISTRATIONS": "2"])
      defer { gateways.end() }
      let first = try gateways.start()
      let second = try gateways.start()
      let programs = try Programs("nginx")
      defer { programs.end() }
      let nginx = try Nginx(programs, gateways: [first.port, second.port])
      var curl = Curl(programs: programs)
      curl.options = ["--http2", "--cacert", programs.path("certificate.pem")]

      let service = try curl.send(nginx.url + "/v1/service")
      #expect(service.status == 200 && service.version == "2")
      #expect(service.transportSecurity == "max-age=31536000")

      // Streams of both players, perhaps by different gateways, see a turn.
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let streams = try [ann, bob].map { player in
        try curl.start(nginx.url + "/v1/changes", body: player.envelope(.overview))
      }
      for stream in streams {
        try waitUntil("a stream has begun", found: stream.body) {
          stream.body.contains("event: overview\n")
        }
      }
      try await play(ann, match, by: curl, at: nginx, in: lab)
      let version = try lab.match(match).version
      let change = #""version":\#(version)}"#
      for stream in streams {
        try waitUntil("the stream tells version \(version)", found: stream.body) {
          stream.body.contains("event: match\n") && stream.body.contains(change)
        }
      }

      // Each gateway has one of these: one gateway dies, and the other answers both.
      let waiting = try (0..<2).map { _ in
        let query = Query.Match(match, newerThan: version)
        return try curl.start(nginx.url + "/v1/queries", body: bob.envelope(.match(query)))
      }
      #expect(Patience.holds(for: .seconds(1)) { waiting.allSatisfy { $0.process.isRunning } })
      first.process.kill()
      try await play(bob, match, by: curl, at: nginx, in: lab)
      for query in waiting {
        let answer = try query.answer()
        #expect(answer.status == 200, "\(answer.body)")
        #expect(answer.body.contains(#""version":\#(version + 1)"#), "\(answer.body)")
      }

      try lie(to: nginx, by: curl, past: second, in: lab)
    }
  }

  /// Plays a turn through nginx.
  private func play(
    _ player: LabPlayer, _ match: MatchID, by curl: Curl, at nginx: Nginx, in lab: ServiceLab
  ) async throws {
    let sent = try player.sign(.turnPlayed(match, lab.turn(lab.match(match))))
    let answer = try curl.send(
      nginx.url + "/v1/events", body: sent.envelope, headers: ["Prefer: wait=25"])
    #expect(answer.status == 200 && answer.version == "2", "\(answer.body)")
    let reply = try ReplyCodec.decode(Array(answer.body.utf8))
    #expect(reply.event == sent.event.id)
    #expect(reply.reply.receipt?.match == match)
  }

  /// Registers again and again, each time from another address by the client's own word.
  private func lie(
    to nginx: Nginx, by curl: Curl, past gateway: Gateways.Running, in lab: ServiceLab
  ) throws {
    func statuses(_ url: String, _ name: String, _ more: [String] = []) throws -> [Int] {
      try (1...5).map { number in
        let player = try LabPlayer("\(name)-\(number)", in: lab)
        let body = try player.sign(.playerRegistered(name: player.name, code: nil)).envelope
        return try curl.send(
          url + "/v1/events", body: body,
          headers: ["X-Forwarded-For: 10.1.\(number).1", "Prefer: wait=25"] + more
        ).status
      }
    }
    #expect(try statuses(nginx.url, "Liar") == [200, 200, 429, 429, 429])
    #expect(try statuses(nginx.url, "Both", ["Forwarded: for=10.2.1.1"]).allSatisfy { $0 == 429 })
    // Without nginx the gateway would believe it: a proxy's word is what counts.
    #expect(try statuses(gateway.url, "Proxied") == [200, 200, 200, 200, 200])
  }

  @Test("While gateways of two builds run, a file of the page is found at the one that has it")
  func builds() throws {
    let programs = try Programs("builds")
    defer { programs.end() }
    let folders = ["a", "b"].map { String(repeating: $0, count: 32) }
    // Servers of files do for gateways: each knows one folder.
    let ports = try folders.map { folder in
      let port = try FreePort.take()
      let content = programs.path("\(folder)/\(folder)")
      try FileManager.default.createDirectory(
        atPath: content, withIntermediateDirectories: true)
      try folder.write(toFile: "\(content)/main.js", atomically: true, encoding: .utf8)
      _ = try programs.start(
        [
          "python3", "-m", "http.server", "\(port)", "--bind", "127.0.0.1", "--directory",
          programs.path(folder),
        ], log: "\(folder).said")
      try waitUntil("it listens", found: programs.text("\(folder).said")) {
        OneRequest.get("/", port: port) == 200
      }
      return port
    }
    let nginx = try Nginx(programs, gateways: ports)
    let curl = Curl(programs: programs, options: ["--cacert", programs.path("certificate.pem")])
    for folder in folders + folders + folders {
      let answer = try curl.send("\(nginx.url)/\(folder)/main.js")
      #expect(answer.status == 200 && answer.body == folder)
    }
    let unknown = String(repeating: "c", count: 32)
    let absent = try curl.send("\(nginx.url)/\(unknown)/main.js")
    #expect(absent.status == 404 && absent.transportSecurity == "max-age=31536000")
  }

  @Test("One address takes so many requests at a time and so many a second, and nobody else's")
  func crowd() throws {
    let programs = try Programs("crowd")
    defer { programs.end() }
    let port = try FreePort.take()
    try Crowd.gateway.write(
      toFile: programs.path("gateway.py"), atomically: true, encoding: .utf8)
    try Crowd.clients.write(
      toFile: programs.path("clients.py"), atomically: true, encoding: .utf8)
    _ = try programs.start(
      ["python3", programs.path("gateway.py"), "\(port)"], log: "gateway.said")
    try waitUntil("it listens", found: programs.text("gateway.said")) {
      OneRequest.get("/", port: port) == 200
    }
    let nginx = try Nginx(programs, gateways: [port])
    let address = try #require(nginx.url.split(separator: ":").last)
    try programs.run(["python3", programs.path("clients.py"), String(address)], log: "said")
    let counts = programs.text("said").split { !$0.isNumber }.compactMap { Int($0) }
    #expect(counts.count == 5, "\(programs.text("said"))")
    // Of 310 held requests, and another address's one meanwhile.
    #expect(counts.prefix(2) == [10, 200])
    // Of quick ones, which are sent until they come fast enough, 400 are served and some are too
    // many, and another address's one meanwhile.
    #expect(counts[2] > 400 && counts[3] > 0 && counts[4] == 200, "\(counts)")
    let log = programs.text("access.log")
    #expect(log.contains("GET /held") && !log.contains("\" 429 "))
  }

  @Test("The shipped configuration is one that nginx takes without a warning")
  func syntax() throws {
    let programs = try Programs("nginx")
    defer { programs.end() }
    _ = try Nginx.write(to: programs, port: FreePort.take(), gateways: [1, 2])
    try programs.run(Nginx.command(programs) + ["-t"], log: "syntax")
    let said = programs.text("syntax")
    #expect(said.contains("test is successful") && !said.contains("[warn]"), "\(said)")
  }
}

/// Programs in Python that need more sockets at once than a test has threads.
private enum Crowd {
  /// In place of a gateway: what is asked at /held is answered after somebody has asked for /release.
  static let gateway = """
    import http.server, sys, threading

    released = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            if self.path == "/held":
                released.wait()
            if self.path == "/release":
                released.set()
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    class Server(http.server.ThreadingHTTPServer):
        request_queue_size = 512

    Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
    """

  /// Prints the refused requests of one address, and the answer to another one's, twice.
  static let clients = """
    import socket, ssl, sys

    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    def connect(address):
        raw = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 120, (address, 0))
        return context.wrap_socket(raw)

    def get(path):
        return f"GET {path} HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n".encode()

    def status(connection):
        return int(connection.recv(4096).split()[1])

    def other(path="/"):
        with connect("127.0.0.3") as connection:
            connection.sendall(get(path))
            return status(connection)

    def hold():
        # At once: nginx closes a connection that sends nothing for five seconds.
        connection = connect("127.0.0.2")
        connection.sendall(get("/held"))
        return connection

    many = [hold() for _ in range(310)]
    during = other()
    other("/release")
    print(sum(status(connection) == 429 for connection in many), during)

    def refused(connection):
        connection.sendall(get("/") * 900)
        answers = b""
        while answers.count(b"HTTP/1.1 ") < 900:
            part = connection.recv(65536)
            if not part:
                break
            answers += part
        return answers.count(b"HTTP/1.1 429")

    served = count = 0
    # Somebody who has not sent any. nginx closes a connection after a thousand requests.
    while not count:
        with connect("127.0.0.4") as connection:
            count = refused(connection)
        served += 900 - count
    print(served, count, other())
    """
}

/// nginx on a port of its own, with the shipped configuration and a certificate of its own.
struct Nginx {
  let url: String

  init(_ programs: Programs, gateways: [UInt16]) throws {
    let port = try FreePort.take()
    try Nginx.write(to: programs, port: port, gateways: gateways)
    url = "https://localhost:\(port)"
    let process = try programs.start(Nginx.command(programs), log: "nginx.said")
    let curl = Curl(programs: programs, options: ["--insecure"])
    try waitUntil("nginx listens", found: programs.text("nginx.said")) {
      guard process.isRunning else {
        throw LabFailure("nginx ended:\n\(programs.text("nginx.said"))")
      }
      return (try? curl.send(url + "/")) != nil
    }
  }

  static func command(_ programs: Programs) -> [String] {
    ["nginx", "-p", programs.folder, "-c", programs.path("nginx.conf"), "-g", "daemon off;"]
  }

  /// Writes the shipped configuration with its marked lines changed, the frame around it, and a
  /// certificate.
  static func write(to programs: Programs, port: UInt16, gateways: [UInt16]) throws {
    try programs.certify("DNS:localhost")
    let shipped = try String(
      contentsOfFile: #filePath.replacing(
        "Tests/ServiceTests/Gateway/NginxTests.swift", with: "deploy/nginx/cubist.conf"),
      encoding: .utf8)
    let lines = shipped.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line.hasSuffix("<-") || line.hasSuffix("<- each gateway") else { return String(line) }
      let words = line.split { $0 == " " || $0 == ";" }
      switch words[0] {
      case "server":
        return gateways.map { "  server 127.0.0.1:\($0) max_fails=0;" }.joined(separator: "\n")
      case "listen" where words.contains("443"): return "  listen 127.0.0.1:\(port) ssl http2;"
      case "server_name": return "  server_name localhost;"
      case "ssl_certificate": return "  ssl_certificate \(programs.path("certificate.pem"));"
      case "ssl_certificate_key": return "  ssl_certificate_key \(programs.path("key.pem"));"
      case "access_log":
        return "  access_log \(programs.path("access.log")) cubist if=$cubist_logged;"
      case "listen" where words.contains("80"): return "  listen unix:\(programs.path("redirect"));"
      // No second address in a test.
      case "listen": return ""
      default: return String(line)
      }
    }
    try lines.joined(separator: "\n").write(
      toFile: programs.path("cubist.conf"), atomically: true, encoding: .utf8)
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(programs.path($0));" }
    try """
    worker_processes 1;
    pid \(programs.path("nginx.pid"));
    error_log stderr;
    worker_rlimit_nofile 4096;
    events { worker_connections 2048; }
    http {
      \(folders.joined(separator: "\n  "))
      include \(programs.path("cubist.conf"));
    }
    """.write(toFile: programs.path("nginx.conf"), atomically: true, encoding: .utf8)
  }
}
