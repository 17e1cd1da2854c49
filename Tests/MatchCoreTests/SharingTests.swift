import CubeLexicon
import CubeRules
import Testing

@testable import MatchCore

@Suite("Sharing a game")
struct SharingTests {
  let lab = MatchLab()

  private func share(_ id: MatchID, by player: TestPlayer) {
    let code = ShareCode(sharing: id, secret: .test)
    lab.send(lab.event(.gameShared(id), by: player)) {
      $0.reply = .accepted(.gameShared(id, code: code))
    }
  }

  @Test("Either player shares a match that is over, with the same code each time")
  func ended() {
    let id = lab.runningMatch()
    lab.refuse(lab.event(.gameShared(id), by: .ann), .matchNotOver)
    lab.act(lab.turn(id, fourFaces), by: .ann)
    lab.act(.matchForfeited(id), by: .bob)
    for player in [TestPlayer.ann, .bob, .ann] { share(id, by: player) }
    lab.refuse(lab.event(.gameShared(id), by: .cyd), .unknownMatch)
    lab.refuse(lab.event(.gameShared(MatchID(rawValue: 5)), by: .cyd), .unknownMatch)
  }

  @Test("A solo game is shared while it is played as well")
  func solo() {
    let id = lab.request(.solo, by: .ann)
    share(id, by: .ann)
    lab.act(.matchForfeited(id), by: .ann)
    share(id, by: .ann)
  }

  // Failure: Refusal.dailyNotOver: A daily can be shared once its day is over.
  @Test("A daily is shared once its day is over: others have yet to play on its letters")
  func daily() {
    let key = DailyKey(day: .first)
    lab.dailies[key] = Dealer.daily(key, lexicon: .everyWord, secret: .test)
    lab.act(.dailyStarted(key), by: .ann)
    let id = MatchID(daily: key, player: TestPlayer.ann.id)
    lab.refuse(lab.event(.gameShared(id), by: .ann), .dailyNotOver(key.day))
    lab.act(.matchForfeited(id), by: .ann)
    lab.refuse(lab.event(.gameShared(id), by: .ann), .dailyNotOver(key.day))
    lab.pass(seconds: 12 * 3_600)
    share(id, by: .ann)
  }

  @Test("A timed daily is shared once a game that was begun in its last moment is over, too")
  func timedDaily() {
    let key = DailyKey(day: .first, mode: .timed)
    lab.dailies[key] = Dealer.daily(key, lexicon: .everyWord, secret: .test)
    lab.act(.dailyStarted(key), by: .ann)
    let id = MatchID(daily: key, player: TestPlayer.ann.id)
    lab.act(.matchForfeited(id), by: .ann)
    lab.pass(seconds: 12 * 3_600)
    lab.refuse(lab.event(.gameShared(id), by: .ann), .dailyNotOver(key.day))
    lab.pass(seconds: 180)
    share(id, by: .ann)
  }

  @Test("Codes have 80 bits, and are neither those of invitations nor another service's")
  func codes() {
    let other = ServiceSecret(bytes: Array(1...32))!
    let codes = (0..<500).flatMap { number in
      let match = MatchID(rawValue: UInt128(number))
      return [
        ShareCode(sharing: match, secret: .test).text,
        ShareCode(sharing: match, secret: other).text,
        ShareCode(invitationTo: match, secret: .test).text,
      ]
    }
    #expect(Set(codes).count == 1_500)
    #expect(Set(codes.map(\.count)) == [8, 16])
    // Every place takes each of the 32 characters.
    let shared = codes.filter { $0.count == 16 }
    for place in 0..<16 { #expect(Set(shared.map { Array($0)[place] }).count == 32) }
  }
}
