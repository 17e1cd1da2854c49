// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry

import CubeLexicon
import CubeRules
import CustomDump
import MatchCore
import Testing

@testable import MatchWire

@Suite("How two players did against each other")
struct HeadToHeadTests {
  @Test("A match tells the turn of every word, with any removals between", arguments: 1...20)
  func words(seed: UInt64) throws {
    var table = Table(seed: seed)
    let id = table.start()
    while table.matches[id]!.outcome == nil {
      let removals = table.removals(in: id)
      var moves: [Move] = []
      switch Int.random(in: 0..<3, using: &table.random) {
      case 0: moves = table.word(in: id).map { [$0] } ?? []
      case 1: moves = table.word(in: id, after: removals[0]).map { [removals[0], $0] } ?? []
      default: break
      }
      table.play(moves.isEmpty ? removals : moves, in: id)
    }
    let (match, replay) = (table.matches[id]!, try table.replay(of: id))
    let expected = replay.turns.flatMap { turn in
      zip(turn.moves, turn.scores).compactMap { move, score -> String? in
        guard case .word(let faces) = move else { return nil }
        return "\(turn.number) \(match.game.spelling(of: faces)) \(score)"
      }
    }
    let found = try #require(match.wordsByTurn)
    #expect(found.map { "\($0.turn) \($0.word) \($0.points)" } == expected)
    #expect(expected.count > 3 && expected.count < replay.turns.count, "seed \(seed)")
  }

  @Test("A match by rules that this build does not have tells no word")
  func unknownRules() throws {
    let (table, id) = Game.cleared.played()
    let match = table.matches[id]!
    let other = try #require(
      Match(
        id: id, version: 1, encodedState: match.encodedState(),
        rules: Rulebook(current: Rules(name: "other"))))
    #expect(match.wordsByTurn?.count == 4 && other.wordsByTurn == nil)
  }

  @Test("A series is counted from both sides, with its run and with the best word of each")
  func series() throws {
    var table = Table()
    var ids = [table.start()]
    // Nobody has played in the third, which counts for nobody.
    for (number, loser) in [1, 1, 0, 1, 1].enumerated() {
      if number != 2 {
        for _ in 0..<(2 + number) { table.word(in: ids[0]).map { table.play([$0], in: ids[0]) } }
      }
      table.act(.matchForfeited(ids[0]), by: loser)
      for player in 0..<2 { table.act(.rematchRequested(ids[0]), by: player) }
      ids.insert(MatchID(successorOf: ids[0]), at: 0)
    }
    let (running, first) = (ids.removeFirst(), ids.last!)
    let own = Self.summary(of: 0, ids, table)
    let other = Self.summary(of: 1, ids, table)
    #expect(own.opponentName.text == "Bert" && own.hasOlder == nil && own.wordMatches == 5)
    #expect(own.score == .init(won: 4) && own.notCounted == 1)
    #expect(own.run == .init(result: .won, count: 4) && other.run == .init(result: .lost, count: 4))
    expectNoDifference(
      own.series,
      .init(score: .init(won: 4), startedAt: table.matches[first]!.dealtAt, running: running))
    #expect(other.score == .init(lost: 4) && other.series?.score == other.score)
    // Games that ended at the same time come in any order.
    for shift in ids.indices {
      let shifted = Array(ids[shift...] + ids[..<shift])
      expectNoDifference(Self.summary(of: 0, shifted, table).series, own.series)
    }
    for player in 0..<2 {
      let best = try #require(player == 0 ? own.bestWord : own.opponentBestWord)
      #expect(best == (player == 0 ? other.opponentBestWord : other.bestWord))
      #expect(best.points == (try Self.scores(of: player, ids, table)).max())
      let turn = try table.replay(of: best.match).turns[best.turn - 1]
      #expect(turn.scores == [best.points])
      #expect(table.matches[best.match]!.seats[turn.seat].player == table.id(player))
    }
  }

  @Test("A run ends with another result, and a match that is no rematch ends the series")
  func run() {
    let first = Game.forfeited.played()
    var table = first.table
    let second = Game.timedOut.played(seed: 2)
    table.matches[second.match] = second.table.matches[second.match]
    let ids = [second.match, first.match]
    let results = ids.map { Self.result(of: 0, $0, table) }
    #expect(Set(results).count == 2)
    let summary = Self.summary(of: 0, ids, table)
    #expect(summary.score == .init(won: 1, lost: 1))
    #expect(summary.run == .init(result: results[0], count: 1) && summary.series == nil)
    // A rematch whose match is among the older ones has a series that began before it.
    let rematch = Game.rematch.played()
    let last = Self.summary(of: 0, [rematch.match], rematch.table)
    #expect(last.series?.score.matches == 1 && last.series?.hasOlder == true)
  }

  @Test("Two without a common match have nothing, and of too many matches the newest count")
  func limits() {
    let name = PlayerName("Bert")!
    let none = HeadToHead(against: PlayerID(rawValue: 1), named: name, games: [], matches: [])
    expectNoDifference(
      none, HeadToHead(opponent: PlayerID(rawValue: 1), opponentName: name, score: .init()))
    let ids = (1...1_001).map { MatchID(rawValue: $0) }
    let many = HeadToHead(
      against: PlayerID(rawValue: 1), named: name,
      games: ids.map { ($0, $0.rawValue == 1_001 ? .lost : .tied) }, matches: [])
    #expect(many.score == .init(tied: 1_000) && many.hasOlder == true)
    #expect(many.run == .init(result: .tied, count: 1_000) && many.wordMatches == 100)
    #expect(many.series == nil && many.bestWord == nil)
  }

  @Test("A summary comes back as it was sent")
  func roundTrip() throws {
    let word = HeadToHead.BestWord(
      word: "QUIZ", points: 100, match: MatchID(rawValue: 5), turn: 3)
    let sent = HeadToHead(
      opponent: PlayerID(rawValue: 7), opponentName: PlayerName("Bert")!,
      score: .init(won: 1, lost: 2, tied: 3), notCounted: 4, hasOlder: true,
      run: .init(result: .lost, count: 2), wordMatches: 9, bestWord: word, opponentBestWord: nil,
      series: .init(
        score: .init(won: 1), startedAt: Instant(microseconds: 9), hasOlder: true,
        running: MatchID(rawValue: 6)))
    let (_, answer) = try AnswerCodec.decode(
      AnswerCodec.encode(sent, query: nil), as: HeadToHead.self)
    guard case .ok(let received) = answer else {
      Issue.record("\(answer)")
      return
    }
    expectNoDifference(received, sent)
  }

  private static func summary(of player: Int, _ ids: [MatchID], _ table: Table) -> HeadToHead {
    let opponent = table.id(1 - player)
    return HeadToHead(
      against: opponent, named: table.names[opponent]!,
      games: ids.map { ($0, result(of: player, $0, table)) },
      matches: ids.map { table.matches[$0]! })
  }

  private static func result(of player: Int, _ id: MatchID, _ table: Table) -> Outcome.Result {
    Listing(of: table.matches[id]!).pastGames.first { $0.player == table.id(player) }!.result
  }

  private static func scores(of player: Int, _ ids: [MatchID], _ table: Table) throws -> [Int] {
    try ids.flatMap { id in
      try table.replay(of: id).turns.filter {
        table.matches[id]!.seats[$0.seat].player == table.id(player)
      }.flatMap(\.scores)
    }
  }
}
