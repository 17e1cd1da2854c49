import Foundation
import Glibc
import MatchCore
import MatchInterfaces
import MatchLoad
import MatchService
import MatchWire

/// A gateway of the benchmark's site. All its clients come from one address, so limits of an
/// address do not hold.
struct GatewayUnderTest {
  let child: Child
  let address: GatewayAddress
  var port: UInt16 { address.port }

  static let settings = [
    "CUBIST_GATEWAY_ADDRESS_CONNECTIONS": "0", "CUBIST_GATEWAY_ADDRESS_REQUESTS": "0",
    "CUBIST_GATEWAY_KEY_REQUESTS": "0", "CUBIST_GATEWAY_REGISTRATIONS": "0",
    "CUBIST_GATEWAY_ADDRESS_STREAMS": "0", "CUBIST_GATEWAY_ADDRESS_WAITS": "0",
  ]

  /// Starts one, and waits until it serves.
  /// - Parameters:
  ///   - address: Where it listens; nil: on a free port of this machine.
  ///   - command: What runs the program, such as valgrind.
  init(
    _ site: Site, cubistd: String, name: String = "gateway", at address: GatewayAddress? = nil,
    _ more: [String: String] = [:], by command: ([String]) -> [String] = { $0 }
  ) throws {
    let address = try address ?? GatewayAddress(port: GatewayUnderTest.freePort())
    self.address = address
    child = try site.start(
      name, command([cubistd, "run", "gateway"]),
      GatewayUnderTest.settings.merging(
        ["CUBIST_GATEWAY_LISTEN": "\(address.host):\(address.port)"]
      ) { $1 }.merging(more) { $1 })
    let began = monotonic()
    while !serves {
      try Interruption.check()
      guard child.isRunning, seconds(from: began, to: monotonic()) < 120 else {
        throw BenchFailure("the gateway does not serve: \(child.said.suffix(2_000))")
      }
      usleep(50_000)
    }
  }

  /// Whether it knows the service already: it takes a query then, even a broken one.
  private var serves: Bool {
    guard let lines = try? HTTPLines(gateways: [address], count: 1) else { return false }
    defer { lines.close() }
    guard (try? lines.post([1], to: "/v1/queries", on: 0)) != nil else { return false }
    let answers = try? lines.answers(waitMilliseconds: 2_000)
    return answers?.first.map { $0.status < 500 } ?? false
  }

  private static func freePort() throws -> UInt16 {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
      }
    }
    guard result else { throw HTTPLines.failure("bind") }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Its own memory now, in bytes.
  var memory: Double {
    let text = String(
      decoding: FileManager.default.contents(atPath: "/proc/\(child.id)/status") ?? Data(),
      as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line.flatMap { Double($0.split { $0 == " " || $0 == "\t" }[1]) }.map { $0 * 1_024 } ?? 0
  }
}

extension Field {
  /// A gateway, and the reader that tells it which service this is.
  func startGateway(_ more: [String: String] = [:]) throws -> GatewayUnderTest {
    try cubist.start("reader")
    return try GatewayUnderTest(cubist, cubistd: cubistd, more)
  }

  /// Turns a second by HTTP, push jobs consumed.
  func saturate(_ gateway: GatewayUnderTest, lanes: Int, expected: Double) throws -> Sample {
    try cubist.saturate(
      stock, by: { try HTTPLines(port: gateway.port, count: $0) }, lanes: lanes,
      expected: expected, durations, seed: nextSeed())
  }

  /// Turns a second over AMQP, where each match has a connection of its own, as at a gateway.
  func saturateConnected(lanes: Int, expected: Double) throws -> Sample {
    try cubist.saturate(
      stock, by: { [cubist] in try AMQPLines(count: $0, connect: cubist.connectAsPlayer) },
      lanes: lanes, expected: expected, durations, seed: nextSeed())
  }

  /// What a gateway alone takes for a turn: processor time, allocations and instructions. Each is
  /// the difference of a long and a short run, so that its beginning and its end do not count.
  func gatewaysOwn(isQuick: Bool) throws -> [String: Double] {
    try startCubist()
    try cubist.start("reader")
    defer { cubist.end() }
    var figures: [String: Double] = [:]
    let totals = "\(cubist.folder)/gateway.totals"
    let library = ["LD_PRELOAD": countingLibrary, "COUNTING_TOTALS": totals]
    let runs = try [1_000, 5_000].map { turns in
      let (played, cpu) = try own(turns, lanes: 64, library)
      let text = String(
        decoding: FileManager.default.contents(atPath: totals) ?? Data(), as: UTF8.self)
      let counts = text.split(separator: "\n").compactMap { Double($0) }
      guard counts.count == WorkerTotals.preloaded.count else {
        throw BenchFailure("the gateway left no totals")
      }
      return (Double(played), cpu, counts)
    }
    let more = runs[1].0 - runs[0].0
    figures["microseconds"] = (runs[1].1 - runs[0].1) * 1_000_000 / more
    for (index, name) in WorkerTotals.preloaded.enumerated() {
      figures[name] = (runs[1].2[index] - runs[0].2[index]) / more
    }
    guard !isQuick, let valgrind = Programs.find("valgrind"), let strip = Programs.find("strip")
    else { return figures }
    // Valgrind gives up on some debug information; the names of functions stay.
    let stripped = "\(cubist.folder)/cubistd"
    _ = try Child.run(
      [strip, "--strip-debug", "-o", stripped, cubistd], environment: cubist.environment,
      log: "\(cubist.folder)/strip.log")
    let profile = "\(cubist.folder)/gateway.callgrind"
    let counted = try [200, 800].map { turns in
      let (played, _) = try own(turns, lanes: 16, Callgrind.environment, of: stripped) {
        Callgrind.command(valgrind, $0, counting: nil, to: profile)
      }
      let text = String(
        decoding: FileManager.default.contents(atPath: profile) ?? Data(), as: UTF8.self)
      guard let total = Callgrind.instructions(in: text) else {
        throw BenchFailure("callgrind has counted nothing")
      }
      return (Double(played), total)
    }
    figures["instructions"] = (counted[1].1 - counted[0].1) / (counted[1].0 - counted[0].0)
    return figures
  }

  /// Plays turns through a gateway that is started and ended for them; gives their number, and the
  /// gateway's seconds of processor time.
  private func own(
    _ turns: Int, lanes: Int, _ environment: [String: String], of program: String? = nil,
    by command: ([String]) -> [String] = { $0 }
  ) throws -> (turns: Int, cpu: Double) {
    try stock.fill(to: lanes + turns / 12)
    let gateway = try GatewayUnderTest(
      cubist, cubistd: program ?? cubistd, environment, by: command)
    defer { cubist.end("gateway") }
    let traffic = try TurnTraffic(
      stock, service: cubist.identity.service, lanes: lanes, seed: nextSeed())
    let before = CPUTimes.of(gateway.child.id)
    let played = try LinesGenerator(
      connect: { try HTTPLines(port: gateway.port, count: $0) }, traffic: traffic
    ).play(turns, lanes: lanes)
    return (played, CPUTimes.of(gateway.child.id) - before)
  }
}
