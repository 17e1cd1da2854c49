import CubeLexicon
import CubeRules
import Testing

@testable import MatchCore

@Suite("The stored form of a match")
struct CodingTests {
  /// One match of every stage and every kind of wish for a rematch.
  private func samples() -> (MatchLab, [Match]) {
    let lab = MatchLab()
    let key = DailyKey(day: .first)
    lab.dailies[key] = Dealer.daily(key, lexicon: .everyWord, secret: .test)
    lab.act(.dailyStarted(key), by: .ann)
    _ = lab.request(.invite(.bob), by: .ann)
    lab.act(.matchForfeited(lab.request(.solo, by: .ann)), by: .ann)
    let offered = lab.finishedMatch()
    lab.act(.rematchRequested(offered), by: .ann)
    let declined = lab.finishedMatch()
    lab.act(.rematchRequested(declined), by: .ann)
    lab.act(.rematchDeclined(declined), by: .bob)
    let followed = lab.finishedMatch()
    lab.act(.rematchRequested(followed), by: .bob)
    lab.act(.rematchRequested(followed), by: .ann)
    _ = lab.request(.open, by: .ann)
    return (lab, lab.matches.values.sorted { $0.id < $1.id })
  }

  @Test("Every sort of match is read as it was written")
  func roundTrip() {
    let (_, matches) = samples()
    #expect(matches.count == 8)
    for match in matches {
      #expect(
        Match(id: match.id, version: match.version, encodedState: match.encodedState()) == match)
    }
  }

  @Test("A casual match is read as one, and its state differs from a rated one's by one bit")
  func casual() throws {
    let lab = MatchLab()
    let id = lab.request(.open, by: .ann)
    let rated = try #require(lab.matches[id])
    var terms = rated.terms
    terms.isCasual = true
    var bytes = rated.encodedState()
    bytes[1] |= 0x80
    let read = try #require(Match(id: rated.id, version: 1, encodedState: bytes))
    #expect(read.terms == terms)
    #expect(read.encodedState() == bytes)
  }

  @Test("A truncated state is not read, nor one that goes on, nor one of another format")
  func truncated() {
    for match in samples().1 {
      let bytes = match.encodedState()
      for count in bytes.indices {
        #expect(
          Match(id: match.id, version: 1, encodedState: Array(bytes.prefix(count))) == nil)
      }
      #expect(Match(id: match.id, version: 1, encodedState: bytes + [0]) == nil)
      #expect(Match(id: match.id, version: 1, encodedState: [2] + bytes.dropFirst()) == nil)
    }
  }

  @Test("Whatever byte is changed, nothing that is read can crash the judge", arguments: 0..<8)
  func mutated(index: Int) {
    let (lab, matches) = samples()
    let match = matches[index]
    let bytes = match.encodedState()
    var readable = 0
    for offset in bytes.indices {
      for value in [0, 0xff, bytes[offset] ^ 1] {
        var changed = bytes
        changed[offset] = value
        guard let read = Match(id: match.id, version: 1, encodedState: changed) else { continue }
        readable += 1
        exercise(read, lab)
        #expect(
          Match(id: match.id, version: 1, encodedState: read.encodedState()) == read,
          "byte \(offset) = \(value)")
      }
    }
    #expect(readable > 0)
  }

  /// Everything that is ever done with a match that was read.
  private func exercise(_ match: Match, _ lab: MatchLab) {
    _ = Listing(of: match)
    _ = match.outcomeOfDeadline
    let actions: [Event.Action] = [
      .turnPlayed(
        match.id,
        Turn(number: match.turnNumber, previous: match.previousTurnHash, moves: twoRemovals)),
      .invitationAccepted(match.id, code: nil), .requestWithdrawn(match.id),
      .matchForfeited(match.id), .rematchRequested(match.id), .rematchDeclined(match.id),
    ]
    let atTheEnd = QueueClock(time: Instant(microseconds: .max), creditMicroseconds: .max)
    for (index, action) in actions.enumerated() {
      let player: TestPlayer = index.isMultiple(of: 2) ? .ann : .bob
      let sent = lab.event(action, by: player)
      var context = lab.context(for: sent.event)
      context.matches = [match.id: match]
      if index > 3 { context.clock = { _ in atTheEnd } }
      _ = Judge.judge(player.receive(sent.event), context)
    }
  }
}
