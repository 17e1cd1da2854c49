import CubistBasics
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchLoad
import MatchService
import MatchWire

extension Field {
  /// What a stranger's garbage costs a gateway: microseconds of its processor time a request, by the
  /// kind of garbage. Nothing of it may come to the broker.
  func garbage(_ count: Int) throws -> [String: Double] {
    try startCubist()
    defer { cubist.end() }
    let gateway = try startGateway()
    var random = SplitMix64(state: 99)
    let stranger = try LoadPlayer(name: "stranger", &random)
    func event(_ name: String) throws -> [UInt8] {
      guard let name = PlayerName(name) else { throw BenchFailure("nobody is named \(name)") }
      return try stranger.event(
        of: cubist.identity.service, .playerRegistered(name: name, code: nil), &random
      ).envelope()
    }
    var badSignature = try event("stranger")
    badSignature[badSignature.count - 3] ^= 1
    let malformed = Envelope.encode(stranger.signer.signed(Array("{}".utf8), as: .event))
    let kinds: [(name: String, body: [UInt8])] = [
      ("randomBytes", (0..<300).map { _ in UInt8(truncatingIfNeeded: random.next()) }),
      ("tooLong", [UInt8](repeating: 1, count: 60_000)), ("badSignature", badSignature),
      ("signedNonsense", malformed),
    ]
    var figures: [String: Double] = [:]
    let connection = try cubist.connectAsService()
    defer { connection.close() }
    for (name, body) in kinds {
      Progress.say("garbage: \(name)")
      let workers = cubist.running.first { $0.name == "worker" }?.id ?? 0
      let (cpu, worker) = (CPUTimes.of(gateway.child.id), CPUTimes.of(workers))
      let began = monotonic()
      try throwAt(gateway, body, count)
      let passed = seconds(from: began, to: monotonic())
      figures["\(name)Microseconds"] =
        (CPUTimes.of(gateway.child.id) - cpu) * 1_000_000 / Double(count)
      figures["\(name)PerSecond"] = Double(count) / passed
      figures["workerMillisecondsASecondAt \(name)"] =
        (CPUTimes.of(workers) - worker) * 1_000 / passed
      for queue in 0..<cubist.layout.queueCount {
        let waiting = try connection.inspectQueue(Names().events(queue: queue)).messageCount
        guard waiting == 0 else { throw BenchFailure("garbage is in queue \(queue)") }
      }
    }
    return figures
  }

  /// Sends the same again and again by 16 connections, as fast as it is refused.
  private func throwAt(_ gateway: GatewayUnderTest, _ body: [UInt8], _ count: Int) throws {
    let lines = try HTTPLines(port: gateway.port, count: 16)
    defer { lines.close() }
    for line in 0..<16 { try lines.post(body, to: "/v1/events", on: line) }
    var (sent, answered) = (16, 0)
    var heard = monotonic()
    while answered < count {
      for answer in try lines.answers(waitMilliseconds: 1_000) {
        guard 400..<500 ~= answer.status else {
          throw BenchFailure(
            "garbage got \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        answered += 1
        heard = monotonic()
        guard sent < count else { continue }
        // The gateway reads nothing more of a connection with too long a body.
        if answer.status == 413 { lines.end(answer.line) }
        try lines.post(body, to: "/v1/events", on: answer.line)
        sent += 1
      }
      try Interruption.check()
      guard seconds(from: heard, to: monotonic()) < 30 else {
        throw BenchFailure("\(answered) of \(count) requests with garbage were answered")
      }
    }
  }
}
