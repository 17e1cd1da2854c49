/// Connections of players, one a lane.
protocol Lines: AnyObject {
  /// Sends an event. There is never more than one under way on a line.
  func send(_ event: Outgoing, on line: Int) throws
  /// Waits for replies of the service.
  func replies(waitMilliseconds: Int32) throws -> [(line: Int, body: [UInt8])]
  func close()
}

/// Sends events and takes their replies, a connection a lane.
struct LinesGenerator {
  /// Makes so many connections.
  let connect: (Int) throws -> any Lines
  let traffic: any Traffic

  /// The same as ``Generator/saturate(lanes:warmUp:seconds:before:)``.
  func saturate(
    lanes: Int, warmUp: Double, seconds duration: Double, before: () throws -> Void = {}
  ) throws -> Generator.Saturated {
    let lines = try connect(lanes)
    defer { lines.close() }
    var open = 0
    for lane in 0..<lanes where try send(lane, lines) { open += 1 }
    var began = monotonic()
    var isWarm = false
    var turns = 0
    while true {
      for (line, reply) in try lines.replies(waitMilliseconds: 20) {
        try traffic.took(reply, line)
        turns += 1
        if try !send(line, lines) { open -= 1 }
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
    let lines = try connect(lanes)
    defer { lines.close() }
    var open = 0
    for lane in 0..<lanes where try send(lane, lines) { open += 1 }
    var turns = 0
    while open > 0 {
      for (line, reply) in try lines.replies(waitMilliseconds: 20) {
        try traffic.took(reply, line)
        turns += 1
        if try turns > count - open || !send(line, lines) { open -= 1 }
      }
      try Interruption.check()
    }
    return turns
  }

  private func send(_ lane: Int, _ lines: any Lines) throws -> Bool {
    guard let message = try traffic.next(lane) else { return false }
    try lines.send(message, on: lane)
    return true
  }

  /// Takes the answers still under way, so that no match is left in the middle of a turn.
  private func finish(_ open: Int, _ lines: any Lines) throws {
    let began = monotonic()
    var open = open
    while open > 0 {
      for (line, reply) in try lines.replies(waitMilliseconds: 20) {
        try traffic.took(reply, line)
        open -= 1
      }
      guard seconds(from: began, to: monotonic()) < 30 else {
        throw BenchFailure("\(open) turns were never answered")
      }
    }
  }
}
