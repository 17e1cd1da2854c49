import MatchWire

/// Sends events to a gateway and takes their replies, a connection a lane.
struct HTTPGenerator {
  let port: UInt16
  let traffic: any Traffic

  /// The same as ``Generator/saturate(lanes:warmUp:seconds:before:)``, by HTTP.
  func saturate(
    lanes: Int, warmUp: Double, seconds duration: Double, before: () throws -> Void = {}
  ) throws -> Generator.Saturated {
    let lines = try HTTPLines(port: port, count: lanes)
    defer { lines.close() }
    var open = 0
    for lane in 0..<lanes where try send(lane, lines) { open += 1 }
    var began = monotonic()
    var isWarm = false
    var turns = 0
    while true {
      for answer in try lines.answers(waitMilliseconds: 20) {
        try took(answer)
        turns += 1
        if try !send(answer.line, lines) { open -= 1 }
      }
      try Interruption.check()
      let passed = seconds(from: began, to: monotonic())
      if !isWarm, passed >= warmUp {
        try before()
        (isWarm, began, turns) = (true, monotonic(), 0)
      } else if isWarm, passed >= duration {
        try finish(open, lines)
        return Generator.Saturated(turns: turns, seconds: passed)
      }
      if open == 0 { throw BenchFailure("no matches are left after \(turns) turns") }
    }
  }

  /// Plays a number of turns, and gives how many there were in the end.
  func play(_ count: Int, lanes: Int) throws -> Int {
    let lines = try HTTPLines(port: port, count: lanes)
    defer { lines.close() }
    var open = 0
    for lane in 0..<lanes where try send(lane, lines) { open += 1 }
    var turns = 0
    while open > 0 {
      for answer in try lines.answers(waitMilliseconds: 20) {
        try took(answer)
        turns += 1
        if try turns > count - open || !send(answer.line, lines) { open -= 1 }
      }
      try Interruption.check()
    }
    return turns
  }

  private func send(_ lane: Int, _ lines: HTTPLines) throws -> Bool {
    guard let message = try traffic.next(lane) else { return false }
    try lines.post(message.body, to: "/v1/events", on: lane)
    return true
  }

  private func took(_ answer: HTTPLines.Answer) throws {
    guard answer.status == 200 else {
      throw BenchFailure("\(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
    }
    try traffic.took(answer.body, answer.line)
  }

  /// Takes the answers still under way, so that no match is left in the middle of a turn.
  private func finish(_ open: Int, _ lines: HTTPLines) throws {
    let began = monotonic()
    var open = open
    while open > 0 {
      for answer in try lines.answers(waitMilliseconds: 20) {
        try took(answer)
        open -= 1
      }
      guard seconds(from: began, to: monotonic()) < 30 else {
        throw BenchFailure("\(open) turns were never answered")
      }
    }
  }
}
