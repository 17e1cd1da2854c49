import CubeLexicon
import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

extension StoreCase {
  static let playing: [StoreCase] = [
    StoreCase("A batch's rows are looked up again, replies byte for byte") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let asked = try lab.event(
        .matchRequested(MatchRequest(opponent: .player(TestPlayer.bob.id), turnLimitSeconds: 60)),
        by: .ann)
      let (write, _) = try lab.judge([asked])
      try stores.worker.commit(write)

      var lookup = Lookup()
      lookup.events = [asked.key, EventKey(player: TestPlayer.bob.id, event: asked.event.id)]
      lookup.keys = [TestPlayer.ann.key, TestPlayer.cyd.key]
      lookup.players = [TestPlayer.bob.id, TestPlayer.cyd.id]
      lookup.matches = [asked.newMatch, asked.newMatch, MatchID(successorOf: asked.newMatch)]
      let found = try stores.otherWorker.lookUp(lookup)
      expectNoDifference(found.replies, [asked.key: write.replies[0].reply])
      let owner = KeyOwner(player: TestPlayer.ann.id, name: TestPlayer.ann.name)
      expectNoDifference(found.keys, [TestPlayer.ann.key: owner])
      #expect(found.players == [TestPlayer.bob.id])
      #expect(found.matches == [asked.newMatch: write.changes[0].after])
      #expect(found.now >= lab.now)
    },
    StoreCase("A whole match: current, then past for both, its record as it was signed") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      #expect(try stores.reader.currentMatches(TestPlayer.bob.id, 9, 9).matches.map(\.id) == [id])
      try lab.playOut(id)
      try checkAgreement(stores)

      let match = try #require(try stores.reader.match(id))
      #expect(match.outcome?.reason == .cleared)
      #expect(try stores.reader.currentMatches(TestPlayer.bob.id, 9, 9) == .init())
      for player in [TestPlayer.ann, .bob] {
        let games = try stores.reader.pastGames(
          .init(player: player.id, opponent: nil, before: nil, limit: 10))
        #expect(games.map(\.match) == [id])
        #expect(games.first?.terms == match.terms)
        let expected = Listing(of: match).pastGames.first { $0.player == player.id }
        expectNoDifference(games.first?.game, expected)
      }
      let everybody = [TestPlayer.ann.id, TestPlayer.bob.id, PlayerID(rawValue: 7)]
      let shown = try stores.reader.recordAndPlayers(id, everybody)
      expectNoDifference(shown.entries, try stores.reader.entries(id))
      expectNoDifference(shown.players, try stores.reader.players(everybody))
      #expect(shown.players.count == 2)
      let known = try stores.reader.ownersAndMatches(
        [TestPlayer.ann.key, TestPlayer.bob.key], [id, MatchID(rawValue: 7)])
      expectNoDifference(known.matches, [match])
      #expect(Set(known.owners.values.map(\.player)) == Set(everybody.prefix(2)))
      var replay = Replay(id: id)
      for entry in shown.entries {
        try replay.take(
          entry, PayloadCodec.decodeContent(entry.signed.payload).replayed, words: Lexicon.everyWord
        )
      }
      #expect(replay.isClosed)
      #expect(replay.match?.head == match.head)
      #expect(replay.match?.points == match.points)
    },
    StoreCase("A casual match is casual where it is listed, a rated one is not") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      for isCasual in [true, false] {
        let request = MatchRequest(
          opponent: .player(TestPlayer.bob.id), turnLimitSeconds: 60, isCasual: isCasual)
        let asked = try lab.event(.matchRequested(request), by: .ann)
        try lab.send([asked])
        try lab.send([
          lab.event(.invitationAccepted(asked.newMatch, code: nil), by: .bob),
          lab.event(.matchForfeited(asked.newMatch), by: .bob),
        ])
        let games = try stores.reader.pastGames(
          .init(player: TestPlayer.ann.id, opponent: nil, before: nil, limit: 1))
        #expect(games.map(\.match) == [asked.newMatch])
        #expect(games.first?.terms == request.terms)
      }
      try checkAgreement(stores)
    },
    StoreCase("A past game that was aborted has its reason, another one has not") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let played = try lab.begin()
      try lab.act(lab.turn(in: #require(try lab.match(played))), by: .ann)
      try lab.act(.matchForfeited(played), by: .bob)
      let aborted = try lab.begin()
      try lab.act(.matchForfeited(aborted), by: .bob)
      for filter in [PastGamesFilter(), PastGamesFilter(kind: .invitation)] {
        for opponent in [nil, TestPlayer.bob.id] {
          let games = try stores.reader.pastGames(
            .init(
              player: TestPlayer.ann.id, opponent: opponent, filter: filter, before: nil, limit: 9))
          #expect(games.map(\.match) == [aborted, played])
          #expect(games.map(\.game.reason) == [.aborted, .forfeited])
          let causes = try games.map { try $0.cause.map { try PayloadCodec.forfeiter(by: $0) } }
          #expect(causes == [TestPlayer.bob.id, nil])
        }
      }
    },
    StoreCase("A batch of many turns of one match and of many others is one write") {
      stores in
      let lab = StoreLab(stores.worker)
      let (crowd, ids) = try lab.soloGames(8)
      for _ in 0..<3 {
        let turns = try zip(ids, crowd).map { id, player in
          try lab.event(lab.turn(in: #require(try lab.match(id))), by: player)
        }
        try lab.send(turns)
      }
      for id in ids { #expect(try lab.match(id)?.turnNumber == 4) }
      try checkAgreement(stores)
    },
    StoreCase("Both players find the offer of a rematch until its match begins") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      try lab.act(.matchForfeited(id), by: .ann)
      try lab.act(.rematchRequested(id), by: .bob)
      for player in [TestPlayer.ann, .bob] {
        #expect(try stores.reader.rematchOffers(player.id, 9).map(\.id) == [id])
      }
      try checkAgreement(stores)
      try lab.act(.rematchRequested(id), by: .ann)
      try checkAgreement(stores)
      #expect(try stores.reader.rematchOffers(TestPlayer.ann.id, 9) == [])
      let successor = try #require(try lab.match(MatchID(successorOf: id)))
      #expect(successor.predecessor == id)
      #expect(try lab.match(id)?.rematch.successor == successor.id)
      #expect(try stores.check.existing([successor.id, MatchID(rawValue: 1)]) == [successor.id])
    },
    StoreCase("Offers of rematches come newest first, and last a week") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let ids = [try lab.begin(), try lab.begin(.ann, .cyd)]
      for (id, player) in zip(ids, [TestPlayer.bob, .cyd]) {
        try lab.act(.matchForfeited(id), by: player)
      }
      try lab.act(.rematchRequested(ids[1]), by: .cyd)
      try lab.act(.rematchRequested(ids[0]), by: .bob)
      let offers = { (player: TestPlayer) in
        try stores.reader.rematchOffers(player.id, 9).map(\.id)
      }
      #expect(try offers(.ann) == [ids[0], ids[1]])
      #expect(try stores.reader.rematchOffers(TestPlayer.ann.id, 1).map(\.id) == [ids[0]])
      #expect(try offers(.bob) == [ids[0]])
      try stores.age(Match.invitationSeconds - 3_600)
      #expect(try offers(.ann) == [ids[0], ids[1]])
      try stores.age(3_601)
      #expect(try offers(.ann) == [])
    },
    StoreCase("A code leads to its match, also when that is over") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let asked = try lab.event(
        .matchRequested(MatchRequest(opponent: .open, turnLimitSeconds: 60)), by: .ann)
      try lab.send([asked])
      let code = ShareCode(invitationTo: asked.newMatch, secret: .test)
      #expect(try stores.reader.matchByCode(code) == asked.newMatch)
      try lab.act(.invitationAccepted(asked.newMatch, code: code), by: .bob)
      #expect(try stores.reader.matchByCode(code) == asked.newMatch)
      try lab.act(.matchForfeited(asked.newMatch), by: .bob)
      #expect(try stores.reader.matchByCode(code) == asked.newMatch)
      try checkAgreement(stores)
    },
    StoreCase("Past games come newest first, page by page, also against one opponent") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      var played: [MatchID] = []
      for opponent in [TestPlayer.bob, .cyd, .bob, .bob, .cyd] {
        let id = try lab.begin(.ann, opponent)
        try lab.act(.matchForfeited(id), by: opponent)
        played.append(id)
      }
      func pages(_ opponent: TestPlayer?, limit: Int) throws -> [[MatchID]] {
        var pages: [[MatchID]] = []
        var question = ReaderStore.PastGamesQuestion(
          player: TestPlayer.ann.id, opponent: opponent?.id, before: nil, limit: limit)
        while true {
          let rows = try stores.reader.pastGames(question)
          guard let last = rows.last else { return pages }
          pages.append(rows.map(\.match))
          question.before = .init(endedAt: last.game.endedAt, match: last.match)
        }
      }
      let newest = Array(played.reversed())
      #expect(
        try pages(nil, limit: 2) == [[newest[0], newest[1]], [newest[2], newest[3]], [newest[4]]])
      #expect(try pages(.bob, limit: 2) == [[newest[1], newest[2]], [newest[4]]])
    },
    StoreCase("Two players are summed up by their own matches, from either side") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let others = try lab.begin(.ann, .cyd)
      try lab.act(.matchForfeited(others), by: .ann)
      var id = try lab.begin()
      try lab.playOut(id)
      for loser in [TestPlayer.ann, .bob, .bob] {
        try lab.act(.rematchRequested(id), by: .ann)
        try lab.act(.rematchRequested(id), by: .bob)
        id = MatchID(successorOf: id)
        let match = try #require(try lab.match(id))
        try lab.act(
          lab.turn(in: match), by: match.seats[0].player == TestPlayer.ann.id ? .ann : .bob)
        try lab.act(.matchForfeited(id), by: loser)
      }
      func summary(of player: TestPlayer, _ opponent: TestPlayer) throws -> HeadToHead {
        let games = try stores.reader.pastGames(
          .init(
            player: player.id, opponent: opponent.id, before: nil,
            limit: HeadToHead.matchLimit + 1))
        return HeadToHead(
          against: opponent.id, named: opponent.name,
          games: games.map { ($0.match, $0.game.result) },
          matches: try stores.reader.matches(games.map(\.match)))
      }
      let (own, other) = (try summary(of: .ann, .bob), try summary(of: .bob, .ann))
      // Without a word nobody has won the first.
      #expect(own.score == .init(won: 2, lost: 1, tied: 1))
      #expect(other.score == .init(won: 1, lost: 2, tied: 1))
      #expect(own.run == .init(result: .won, count: 2))
      #expect(own.series?.score == own.score && own.series?.hasOlder == nil)
      #expect(own.series?.startedAt == other.series?.startedAt && own.series?.running == nil)
      // Nobody has played in the match that was given up.
      #expect(try summary(of: .ann, .cyd).notCounted == 1)
      #expect(try summary(of: .bob, .cyd).wordMatches == 0)
    },
    StoreCase("A player is found by name in any case, and by id") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let name = try #require(PlayerName("aNN"))
      let row = try #require(try stores.reader.player(name))
      #expect(row == .init(id: TestPlayer.ann.id, name: TestPlayer.ann.name, registeredAt: lab.now))
      #expect(
        try stores.reader.players([TestPlayer.ann.id, TestPlayer.bob.id])
          == [TestPlayer.ann.id: row])
      let keys = [TestPlayer.ann.key, TestPlayer.bob.key]
      let owners = try stores.reader.ownersAndMatches(keys, []).owners
      #expect(owners.mapValues(\.player) == [TestPlayer.ann.key: TestPlayer.ann.id])
      #expect(try stores.check.owners(keys) == [TestPlayer.ann.key: TestPlayer.ann.id])
    },
  ]
}
