import CubeRules
import CubistBasics
import Foundation
import Glibc
import MatchCore
import MatchLoad
import MatchService

/// The memory that a turn worker uses for matches it has seen.
struct WorkerMemory {
  let site: Site

  /// Makes so many matches with a first turn in each, and gives the peak memory of the one worker:
  /// it forgets half of its matches at once, and has little just afterwards.
  func figures(matches count: Int) throws -> [String: Double] {
    try site.startService()
    defer { site.end() }
    guard let worker = site.running.first(where: { $0.name == "worker" }) else {
      throw BenchFailure("there is no worker")
    }
    let before = try MemoryUse(of: worker)
    Progress.say("a worker is shown \(count) matches")
    var most = before.own
    try touch(count) {
      most = max(most, try MemoryUse(of: worker).own)
    }
    try site.drainPushes()
    let after = try MemoryUse(of: worker)
    return [
      "workerMegabytesAtStart": before.own, "workerMegabytes": max(most, after.own),
      "workerMegabytesAfterwards": after.own, "workerPeakMegabytes": after.peak,
      "matchesTouched": Double(count),
    ]
  }

  /// Each player has ten of the matches.
  /// - Parameter look: Called again and again meanwhile.
  private func touch(_ count: Int, look: () throws -> Void) throws {
    let exchange = try Exchange(site)
    defer { exchange.close() }
    var random = SplitMix64(state: .random(in: 0...UInt64.max))
    let players = try LoadPlayer.register(max(12, count / 5), site, exchange, &random)
    func pair(_ index: Int) -> (LoadPlayer, LoadPlayer) {
      let (first, distance) = (index % players.count, 1 + index / players.count)
      return (players[first], players[(first + distance) % players.count])
    }
    func event(_ action: Event.Action, _ player: LoadPlayer) -> SentEvent {
      player.event(of: site.identity.service, action, &random)
    }
    var played = 0
    try exchange.run(count: count) { index in
      let (asking, asked) = pair(index)
      let request = MatchRequest(opponent: .player(asked.id), turnLimitSeconds: 86_400)
      return event(.matchRequested(request), asking)
    } then: { index, acceptance in
      switch acceptance {
      case .matchStarted(let ticket):
        return event(.invitationAccepted(ticket.match, code: nil), pair(index).1)
      case .matchJoined(let ticket):
        guard let puzzle = Puzzle(ticket.letters) else {
          throw BenchFailure("no puzzle: \(ticket.letters)")
        }
        let moves = try Strategy.turn(in: CubeGame(puzzle: puzzle), &random)
        let turn = Turn(number: 1, previous: ticket.previous, moves: moves)
        return event(.turnPlayed(ticket.match, turn), pair(index).0)
      case .turnAccepted:
        played += 1
        if played.isMultiple(of: 200) { try look() }
        return nil
      default: throw BenchFailure("no turn: \(acceptance)")
      }
    }
  }
}

/// The memory of a process in megabytes.
private struct MemoryUse {
  /// Its private memory, without the pages of files.
  var own: Double
  /// The most that it ever had, pages of files and short-lived memory included.
  var peak: Double

  init(of child: Child) throws {
    let path = "/proc/\(child.id)/status"
    let text = String(
      decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    func megabytes(_ name: String) throws -> Double {
      guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("\(name):") }),
        let number = line.split(whereSeparator: \.isWhitespace).dropFirst().first,
        let kilobytes = Double(number)
      else { throw BenchFailure("\(path) does not say \(name): \(child.said.suffix(2_000))") }
      return kilobytes * 1_024 / 1e6
    }
    own = try megabytes("RssAnon")
    peak = try megabytes("VmHWM")
  }
}
