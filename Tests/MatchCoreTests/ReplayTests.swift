import CubeLexicon
import CubistBasics
import Testing

@testable import MatchCore

@Suite("A record gives its match again, and a changed one does not")
struct ReplayTests {
  typealias Line = (entry: Entry, content: Replay.Content)

  @Test("Matches by chance: after every event the record folds to the state", arguments: 0..<40)
  func randomMatches(seed: UInt64) throws {
    var matches = RandomMatches(seed: seed)
    matches.run(steps: 60)
    for (id, record) in matches.lab.records {
      let match = try #require(matches.lab.matches[id])
      let lexicon = matches.lab.lexicon(of: id)
      let replay = try fold(id, record, lexicon)
      #expect(replay.isClosed == (match.outcome != nil), "seed \(seed)")
      #expect(replay.turns.map(\.number) == Array(1..<match.turnNumber), "seed \(seed)")
      #expect(
        match.seats.indices.map { seat in
          replay.turns.filter { $0.seat == seat }.flatMap(\.scores).reduce(0, +)
        } == match.points, "seed \(seed)")
      changedRecordsAreRefused(id, record, lexicon, seed, &matches.generator)
    }
  }

  @Test("Matches by chance are of every kind and end in every way")
  func coverage() {
    var kinds: Set<String> = []
    var reasons: Set<Outcome.Reason> = []
    var turnCount = 0
    for seed in 0..<100 {
      var matches = RandomMatches(seed: UInt64(seed))
      matches.run(steps: 60)
      turnCount += matches.turnCount
      for match in matches.lab.matches.values {
        kinds.insert("\(match.terms.kind)".prefix(4).description)
        if let outcome = match.outcome { reasons.insert(outcome.reason) }
      }
    }
    #expect(kinds == ["dail", "invi", "open", "rand", "rema", "solo"])
    // Mergers are proposed by the scheduler, and have tests of their own.
    #expect(reasons == Set(Outcome.Reason.allCases).subtracting([.mergedInto]))
    #expect(turnCount > 300)
  }

  private func fold(
    _ id: MatchID, _ record: [Line], _ lexicon: Lexicon
  ) throws(Match.RecordFault) -> Replay {
    var replay = Replay(id: id)
    for (entry, content) in record { try replay.take(entry, content, words: lexicon) }
    return replay
  }

  /// Whether a record folds to a match that is over.
  private func isWhole(_ id: MatchID, _ record: [Line], _ lexicon: Lexicon) -> Bool {
    (try? fold(id, record, lexicon))?.isClosed ?? false
  }

  private func changedRecordsAreRefused(
    _ id: MatchID, _ record: [Line], _ lexicon: Lexicon, _ seed: UInt64,
    _ generator: inout SplitMix64
  ) {
    for _ in 0..<4 {
      let index = Int.random(in: 0..<record.count, using: &generator)
      var changed = record
      changed[index].entry.acceptedAt = changed[index].entry.acceptedAt.adding(microseconds: 1)
      isRefused(changed, "its time")
      changed = record
      changed[index].entry.signed.payload[0] ^= 1
      isRefused(changed, "its payload")
      changed = record
      changed[index].entry.signed.signature[63] ^= 1
      isRefused(changed, "its signature")
      guard index + 1 < record.count else { continue }
      changed = record
      changed.remove(at: index)
      isRefused(changed, "dropped")
      #expect(
        !isWhole(id, chained(changed), lexicon), "seed \(seed): \(index) dropped, chained anew")
      changed = record
      changed.swapAt(index, index + 1)
      isRefused(changed, "swapped")
      #expect(
        !isWhole(id, chained(changed), lexicon), "seed \(seed): \(index) swapped, chained anew")
    }
    #expect(!isWhole(id, record.dropLast(), lexicon), "seed \(seed): the end cut off")

    func isRefused(_ changed: [Line], _ what: String) {
      #expect(throws: Match.RecordFault.self, "seed \(seed): \(what)") {
        try fold(id, changed, lexicon)
      }
    }
  }

  /// The same entries with positions and hashes made to fit, as only the service could.
  private func chained(_ record: [Line]) -> [Line] {
    var head = Hash.zero
    return record.enumerated().map { position, line in
      let entry = Entry(
        after: head, position: position, acceptedAt: line.entry.acceptedAt,
        signed: line.entry.signed)
      head = entry.hash
      return (entry, line.content)
    }
  }
}
