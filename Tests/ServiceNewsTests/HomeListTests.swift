import CubePlay
import MatchCore
import MatchWire
import ServiceNews
import Testing

@Suite("The home list of the service as the game shows it")
struct HomeListTests {
  @Test("The waiting matches are in order of urgency")
  func home() {
    let home = Made.home(
      [
        Made.summary(Made.match(1), yourTurn: false), Made.summary(Made.match(2)),
        Made.summary(Made.match(3), stage: .waiting, opponent: nil),
      ], invitations: [Made.summary(Made.match(4))],
      offers: [Made.offer(Made.match(5), isYours: true), Made.offer(Made.match(6))])
    let list = HomeList(home, name: Made.name("ada"), now: Made.now, told: "said")
    #expect(list.name == "ada" && list.told == "said")
    #expect(
      list.rows.map(\.kind) == [
        .yourTurn, .invitation, .rematchOffer, .ownOffer, .daily(.unlimited), .theirTurn, .yourTurn,
      ])
    #expect(list.rows.first?.points == [42, 36])
    #expect(list.rows.first?.secondsLeft == 3_600)
    #expect(list.rows.map(\.isWithdrawable) == [false, false, false, false, false, false, true])
    #expect(list.rows[4].opponent == "daily \(home.daily.daily.day)")
    #expect(list.more == nil)
  }

  @Test("A recovery or the end of the account is told with its time, and with the way to stop it")
  func warning() throws {
    var home = Made.home()
    #expect(HomeList(home, name: nil, now: Made.now).warning == nil)
    let time = Made.now.adding(seconds: 2 * 86_400 + 60)
    home.leavesAt = time
    var warning = try #require(HomeList(home, name: nil, now: Made.now).warning)
    #expect(warning.kind == .departure)
    #expect(warning.text.hasPrefix("Your account ends in 2 d"))
    #expect(warning.text.contains("at \(Wording.minute(time)), as one of your devices asked."))
    #expect(warning.line.hasSuffix("Keep it: cubist account keep"))
    // The recovery comes first: the end of an account waits for it.
    home.recoveryAt = time
    warning = try #require(HomeList(home, name: nil, now: Made.now).warning)
    #expect(warning.kind == .recovery)
    #expect(warning.text.hasPrefix("Somebody asked for a new key for your account."))
    #expect(warning.text.contains("at \(Wording.minute(time))"))
    #expect(warning.line.hasSuffix("Not you? cubist key object"))
    #expect(AccountWarning.all(home, now: Made.now).map(\.kind) == [.recovery, .departure])
  }

  @Test("A warning fits the narrowest screen, however long the time is; what is due comes soon")
  func warningLines() {
    for seconds in [-5, 0, 59, 61, 3_600, 71 * 3_600, 144 * 3_600] as [Int64] {
      var home = Made.home()
      home.recoveryAt = Made.now.adding(seconds: seconds)
      home.leavesAt = home.recoveryAt
      for warning in AccountWarning.all(home, now: Made.now) {
        #expect(warning.line.utf8.count <= 62, "\(warning.line)")
        #expect(warning.text.contains("soon") == (seconds < 61), "\(warning.text)")
      }
    }
  }

  @Test("The own turn with the least time left comes first, those without a clock last")
  func urgent() {
    let matches = [(1, nil), (2, 900), (3, 60), (4, nil), (5, 3_600)] as [(UInt128, Int64?)]
    let home = Made.home(
      matches.map { number, seconds in
        var match = Made.summary(Made.match(number))
        match.deadline = seconds.map { Made.now.adding(seconds: $0) }
        return match
      }, daily: Made.match(9))
    let list = HomeList(home, name: nil, now: Made.now)
    #expect(
      list.rows.map(\.key) == [3, 2, 5, 1, 4].map { MatchKey(Made.match($0).description) })
  }

  @Test("Games alone without a clock say when they began")
  func alone() {
    let ages = [(1, 30), (2, 7_200), (3, 3 * 86_400)] as [(UInt128, Int64)]
    let home = Made.home(
      ages.map { number, age in
        var match = Made.summary(Made.match(number), kind: .solo, opponent: nil)
        (match.deadline, match.turnLimit) = (nil, nil)
        match.startedAt = Made.now.adding(seconds: -age)
        return match
      }, daily: Made.match(9))
    let list = HomeList(home, name: nil, now: Made.now)
    #expect(
      list.rows.map(\.opponent)
        == ["solo game 30 s ago", "solo game 2 h ago", "solo game 3 days ago"])
    // The drawing has so many columns for it.
    #expect(list.rows.allSatisfy { $0.opponent.count <= 23 })
  }

  @Test("Rows of the same opponent or sort have the last digits of their ids as marks")
  func toldApart() {
    let home = Made.home(
      [
        Made.summary(Made.match(0x1_3fa2)), Made.summary(Made.match(0x2_3fa2)),
        Made.summary(Made.match(3), opponent: nil),
      ], invitations: [Made.summary(Made.match(0xbeef))], daily: Made.match(9))
    let rows = HomeList(home, name: nil, now: Made.now).rows
    #expect(rows.map(\.mark) == ["13fa2", "23fa2", nil, "beef"])
    #expect(rows.map(\.label) == ["grace 13fa2", "grace 23fa2", "nobody yet", "grace beef"])
    // One row of a player needs no digits.
    let alone = HomeList(Made.home([Made.summary(Made.match(1))]), name: nil, now: Made.now)
    #expect(alone.rows.map(\.mark) == [nil, nil])
  }

  @Test(
    "Matches that are not listed are counted",
    arguments: [
      (1, nil, "1 older match is not listed."), (2, nil, "2 older matches are not listed."),
      (nil, 1, "1 older invitation is not listed."),
      (1, 1, "1 older match and 1 older invitation are not listed."),
      (30, 2, "30 older matches and 2 older invitations are not listed."),
    ] as [(Int?, Int?, String)])
  func more(matches: Int?, invitations: Int?, text: String) {
    var home = Made.home()
    (home.moreMatches, home.moreInvitations) = (matches, invitations)
    #expect(HomeList(home, name: nil, now: Made.now).more == text)
  }

  @Test("Matches that the service cannot read are named below the others")
  func damaged() {
    var home = Made.home([Made.summary(Made.match(1))])
    home.damaged = [Made.match(2)]
    let end = "\(Made.match(2))".suffix(6)
    #expect(
      HomeList(home, name: nil, now: Made.now).more
        == "Match \(end): This match cannot be shown at the moment. The operator has been told.")
    home.damaged?.append(Made.match(3))
    home.moreMatches = 1
    let ends = [Made.match(2), Made.match(3)].map { "\($0)".suffix(6) }.joined(separator: " and ")
    #expect(
      HomeList(home, name: nil, now: Made.now).more
        == "Matches \(ends) cannot be shown at the moment. The operator has been told. "
        + "1 older match is not listed.")
  }

  @Test("An invitation without an answer is known, and another match with the player is none")
  func waits() {
    let home = Made.home([Made.summary(Made.match(1))])
    #expect(!home.waits(for: Made.grace))
    let waiting = Made.home([Made.summary(Made.match(1), stage: .waiting)])
    #expect(waiting.waits(for: Made.grace) && !waiting.waits(for: Made.ada))
  }
}
