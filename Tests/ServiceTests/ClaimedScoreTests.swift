import CubeLexicon
import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import TestedService
import Testing

@Suite("Scores that a client claims, through broker and database", .serialized)
struct ClaimedScoreTests {
  /// The fields that a cheating client adds to the payload of its turn before it signs.
  static let claims = [
    #""score":9999"#, #""scores":[9999]"#, #""points":9999"#, #""points":[9999,0]"#,
    #""total":9999,"bonus":9999"#, #""words":[{"word":"ZZZ","points":9999}]"#,
    #""seat":0,"seats":[{"points":9999}]"#,
    #""outcome":{"reason":"cleared","results":["won","lost"]}"#,
    #""result":"won","hash":"00","version":99"#,
  ]

  /// A word that can be played now.
  private static func word(in match: Match) throws -> Move {
    let faces = Array(match.game.playable)
    let words = faces.lazy.flatMap { one in
      faces.lazy.flatMap { two in faces.lazy.map { Move.word([one, two, $0]) } }
    }
    return try #require(
      words.first { (try? match.game.judge($0, words: Lexicon.everyWord)) != nil })
  }

  @Test("A turn that claims a score is worth its points by the rules")
  func claimed() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      var points = [0, 0]
      for (number, claim) in Self.claims.enumerated() {
        let state = try lab.match(match)
        let player = state.seatToPlay == 0 ? ann : bob
        let move = try Self.word(in: state)
        var game = state.game
        let scores = try game.applyTurn([move], seatCount: 2, words: Lexicon.everyWord)
        let honest = try player.sign(
          .turnPlayed(
            match,
            Turn(number: state.turnNumber, previous: state.previousTurnHash, moves: [move])))
        let payload = Array(PayloadCodec.encode(honest.event).dropLast()) + Array(",\(claim)}".utf8)
        let claiming = LabPlayer.Sent(
          event: honest.event, slot: honest.slot,
          envelope: Envelope.encode(player.key.signer.signed(payload, as: .event)))
        let receipt = try #require(try player.send(claiming).receipt, "\(claim)")
        points[state.seatToPlay] += scores[0]
        #expect(receipt.turn == number + 1)
        #expect(receipt.scores == scores && scores[0] < 9_999, "\(claim)")
        #expect(receipt.points == points, "\(claim)")
        #expect(receipt.outcome == nil, "\(claim)")
        let stored = try lab.match(match)
        #expect(stored.points == points && stored.game == game && stored.outcome == nil, "\(claim)")
      }
      // The claim is in the record, since it was signed, but has no effect there either.
      try bob.must(.matchForfeited(match))
      let report = try #require(try lab.report(onRecordOf: match))
      #expect(report.isVerified && report.document.points == points)
      #expect(try lab.violations() == [])
    }
  }
}
