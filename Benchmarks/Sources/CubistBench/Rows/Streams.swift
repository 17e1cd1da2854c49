import CubistBasics
import Glibc
import MatchCore
import MatchInterfaces
import MatchLoad
import MatchService
import MatchWire

extension Field {
  /// Streams that wait, each of another player, and how long one change takes to reach the two
  /// players whom it concerns.
  func streams(_ count: Int, changes: Int) throws -> [String: Double] {
    try HTTPLines.allowDescriptors(count + 500)
    try startCubist()
    defer { cubist.end() }
    let gateway = try startGateway([
      "CUBIST_GATEWAY_STREAMS": "0", "CUBIST_GATEWAY_CONNECTIONS": "0",
    ])
    var random = SplitMix64(state: 77)
    let exchange = try Exchange(cubist)
    defer { exchange.close() }
    Progress.say("streams: registering \(count) players")
    let players = try LoadPlayer.register(count, cubist, exchange, &random)
    Progress.say("streams: opening")
    let lines = try HTTPLines(port: gateway.port, count: 0)
    defer { lines.close() }
    let (memory, began) = (gateway.memory, monotonic())
    var listening = 0
    while listening < count {
      // A window of some at once: the readers answer each with an overview.
      while lines.count < min(count, listening + 64) {
        try lines.add()
        try lines.post(
          overview(of: players[lines.count - 1], &random), to: "/v1/changes", on: lines.count - 1)
      }
      for (_, text) in try lines.texts(waitMilliseconds: 1_000) {
        guard !text.hasPrefix("HTTP/1.1 ") || text.hasPrefix("HTTP/1.1 200") else {
          throw BenchFailure("no stream: \(text)")
        }
        if text.contains("event: overview") { listening += 1 }
      }
      try Interruption.check()
      guard gateway.child.isRunning, seconds(from: began, to: monotonic()) < 300 else {
        throw BenchFailure("\(listening) streams of \(count): \(gateway.child.said.suffix(2_000))")
      }
    }
    let opening = seconds(from: began, to: monotonic())
    var figures = [
      "streams": Double(count), "openedPerSecond": Double(count) / opening,
      "kilobytesEach": (gateway.memory - memory) / Double(count) / 1_024,
    ]
    Progress.say("streams: \(changes) changes")
    let cpu = CPUTimes.of(gateway.child.id)
    let idle = monotonic()
    while seconds(from: idle, to: monotonic()) < 5 { _ = try lines.texts(waitMilliseconds: 100) }
    figures["millisecondsOfProcessorEachSecondIdle"] =
      (CPUTimes.of(gateway.child.id) - cpu) * 1_000 / seconds(from: idle, to: monotonic())
    var waits: [Double] = []
    for number in 0..<changes {
      let pair = (number * 2 % count, (number * 2 + 1) % count)
      waits.append(try change(between: pair, players, lines, exchange, &random))
    }
    figures["changeMsMedian"] = waits.median
    figures["changeMsLongest"] = waits.max()
    return figures
  }

  private func overview(of player: LoadPlayer, _ random: inout SplitMix64) throws -> [UInt8] {
    let bits = UInt128(random.next()) << 64 | UInt128(random.next())
    let query = Query(
      service: cubist.identity.service, id: EventID(at: WallClock.live.now(), random: bits),
      player: player.id, kind: .overview)
    return Envelope.encode(player.signer.sign(query))
  }

  /// One player invites another: milliseconds from sending the request until both streams name the
  /// match.
  private func change(
    between pair: (Int, Int), _ players: [LoadPlayer], _ lines: HTTPLines, _ exchange: Exchange,
    _ random: inout SplitMix64
  ) throws -> Double {
    let request = MatchRequest(opponent: .player(players[pair.1].id), turnLimitSeconds: 86_400)
    let event = players[pair.0].event(
      of: cubist.identity.service, .matchRequested(request), &random)
    let match = "\(MatchID(askedBy: event.event.player, event: event.event.id))"
    let began = monotonic()
    try exchange.run(count: 1) { _ in
      event
    } then: { _, _ in
      nil
    }
    var told: Set<Int> = []
    while told.count < 2 {
      for (line, text) in try lines.texts(waitMilliseconds: 1_000) where text.contains(match) {
        told.insert(line)
      }
      try Interruption.check()
      guard seconds(from: began, to: monotonic()) < 60 else {
        throw BenchFailure("only \(told) of \(pair) were told of \(match)")
      }
    }
    guard told == [pair.0, pair.1] else { throw BenchFailure("others were told: \(told)") }
    return seconds(from: began, to: monotonic()) * 1_000
  }
}

extension HTTPLines {
  /// Raises the limit of open files of this process, and of those that it starts, as far as needed.
  static func allowDescriptors(_ count: Int) throws {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      throw failure("getrlimit")
    }
    guard limit.rlim_cur < rlim_t(count) else { return }
    limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
    guard limit.rlim_cur == rlim_t(count),
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    else { throw BenchFailure("only \(limit.rlim_max) files may be open; `ulimit -n` says so") }
  }
}
