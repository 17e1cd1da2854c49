import CubeLexicon
import CubeRules
import EventExamples
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
    let answered = lab.runningMatch()
    lab.act(lab.turn(answered, fourFaces), by: .ann)
    lab.act(lab.reaction(answered), by: .bob)
    lab.act(.matchForfeited(lab.runningMatch()), by: .bob)
    return (lab, lab.matches.values.sorted { $0.id < $1.id })
  }

  @Test("Every sort of match is read as it was written")
  func roundTrip() {
    let (_, matches) = samples()
    #expect(matches.count == 10)
    #expect(matches.count(where: { !$0.leavings.isEmpty }) == 1)
    #expect(matches.count(where: \.hasReaction) == 1)
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
    let bytes = withoutChecksum(rated)
    let casual = bytes.indices.compactMap { offset in
      var changed = bytes
      changed[offset] ^= 0x80
      let read = Match(id: rated.id, version: rated.version, encodedState: changed)
      return read?.terms == terms && read.map(withoutChecksum) == changed ? read : nil
    }
    #expect(casual.count == 1)
  }

  @Test("A word changes the beginning of a state, and the earlier moves follow unchanged")
  func newestFirst() throws {
    let lab = MatchLab()
    let id = lab.runningMatch()
    for turn in 0..<12 {
      let before = try #require(lab.matches[id])
      let word = try #require(anyWord(in: before.game))
      lab.act(lab.turn(id, [word]), by: [.ann, .bob][before.seatToPlay])
      let after = try #require(lab.matches[id])
      let (old, new) = (before.encodedState(), after.encodedState())
      let kept = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count
      // Checksum, hash, deadline, points, uses and the turn, however many turns were played.
      #expect(new.count - kept < 118, "turn \(turn)")
      #expect(kept > 100 + 12 * turn, "turn \(turn)")
    }
  }

  /// Some word of three faces that may be played.
  private func anyWord(in game: CubeGame) -> Move? {
    let faces = Array(game.playable)
    for first in faces {
      for second in faces where second != first {
        for third in faces where third != second && third != first {
          var next = game
          let word = Move.word([first, second, third])
          if (try? next.apply(word, words: AnyWord())) != nil { return word }
        }
      }
    }
    return nil
  }

  // Failure: ByteReader.Malformed: A stored state is malformed. The service folds it from the
  //   record again.
  @Test("A truncated state is not read, nor one that goes on, nor one of another format")
  func truncated() {
    for match in samples().1 {
      let bytes = match.encodedState()
      for count in bytes.indices {
        #expect(
          Match(id: match.id, version: 1, encodedState: Array(bytes.prefix(count))) == nil)
      }
      #expect(Match(id: match.id, version: 1, encodedState: bytes + [0]) == nil)
      #expect(Match(id: match.id, version: 1, encodedState: [1] + bytes.dropFirst()) == nil)
    }
  }

  /// The form of builds that wrote no checksum.
  private func withoutChecksum(_ match: Match) -> [UInt8] {
    [Match.stateFormatWithoutChecksum] + match.encodedState().dropFirst(9)
  }

  @Test("A state without a checksum is read, and the next one that is stored has one")
  func unchecked() {
    for match in samples().1 {
      let bytes = withoutChecksum(match)
      #expect(Match(id: match.id, version: match.version, encodedState: bytes) == match)
      #expect(!Match.isChanged(bytes, of: match.id))
      #expect(match.encodedState().first == Match.stateFormat)
    }
  }

  @Test("No state that was changed anywhere is read, and none fits another match")
  func changed() {
    for match in samples().1 {
      let bytes = match.encodedState()
      #expect(!Match.isChanged(bytes, of: match.id))
      for offset in bytes.indices {
        for flip: UInt8 in [1, 0x80, 0xff] {
          var changed = bytes
          changed[offset] ^= flip
          #expect(Match(id: match.id, version: 1, encodedState: changed) == nil, "byte \(offset)")
          #expect(Match.isChanged(changed, of: match.id) == (offset > 0), "byte \(offset)")
        }
      }
      // Two changes, each of them of the highest bit of a word.
      var twice = bytes
      for offset in [16, 24] { twice[offset] ^= 0x80 }
      #expect(Match.isChanged(twice, of: match.id))
      #expect(Match.isChanged(Array(bytes.prefix(5)), of: match.id))
      let other = MatchID(rawValue: match.id.rawValue ^ 1)
      #expect(Match(id: other, version: 1, encodedState: bytes) == nil)
      #expect(Match.isChanged(bytes, of: other))
    }
  }

  @Test("No changed byte makes a state that can be read and crashes the judge", arguments: 0..<8)
  func mutated(index: Int) {
    let (lab, matches) = samples()
    let match = matches[index]
    let bytes = withoutChecksum(match)
    var readable = 0
    for offset in bytes.indices {
      for value in [0, 0xff, bytes[offset] ^ 1] {
        var changed = bytes
        changed[offset] = value
        guard let read = Match(id: match.id, version: 1, encodedState: changed) else { continue }
        readable += 1
        exercise(read, lab, in: offset)
        #expect(
          Match(id: match.id, version: 1, encodedState: read.encodedState()) == read,
          "byte \(offset) = \(value)")
      }
    }
    #expect(readable > 0)
  }

  /// Everything that is ever done with a match that was read: each event from one of three senders, who
  /// take turns by the round.
  private func exercise(_ match: Match, _ lab: MatchLab, in round: Int) {
    _ = Listing(of: match)
    _ = match.outcomeOfDeadline
    let turn = Turn(number: match.turnNumber, previous: match.previousTurnHash, moves: twoRemovals)
    let atTheEnd = QueueClock(time: Instant(microseconds: .max), creditMicroseconds: .max)
    let senders: [(TestPlayer, Bool)] = [(.ann, false), (.bob, true), (.bob, false)]
    let actions = Event.Action.ofPlayers(about: match.id, turn: turn)
    for (number, action) in actions.enumerated() {
      let (player, isLate) = senders[(round + number) % senders.count]
      let sent = lab.event(action, by: player)
      var context = lab.context(for: sent)
      context.matches = [match.id: match]
      if isLate { context.clock = { _ in atTheEnd } }
      _ = Judge.judge(player.receive(sent.event), context)
    }
  }
}
