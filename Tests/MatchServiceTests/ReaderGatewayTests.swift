import CustomDump
import InMemoryLogging
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The reader and gateways")
struct ReaderGatewayTests {
  let lab = ReaderLab()

  private static func overview(_ count: Int) -> Overview {
    Overview(
      matches: (0..<count).map {
        .init(match: MatchID(rawValue: UInt128($0)), version: Int64($0))
      }, inbox: .init(id: PushJobID(rawValue: 3), sentAt: .noon), settings: "abc")
  }

  @Test("A player's own overview is answered")
  func overview() throws {
    lab.expectOwner()
    lab.store.overviews.answer { players in
      Dictionary(uniqueKeysWithValues: players.map { ($0, Self.overview(2)) })
    }
    lab.ask(.overview)
    try lab.step()
    expectNoDifference(try lab.answer(as: Overview.self), Self.overview(2))
  }

  @Test("A gateway's question is answered for all its players by one question to the store")
  func overviews() throws {
    lab.owners = { _ in (.noon, [:]) }
    var asked: [[PlayerID]] = []
    lab.store.overviews.answer { players in
      asked.append(players)
      return Dictionary(uniqueKeysWithValues: players.map { ($0, Self.overview(1)) })
    }
    let players = [TestPlayer.bob.id, TestPlayer.ann.id]
    lab.ask(.overviews(players))
    try lab.step()
    let answer = try lab.answer(as: GatewayOverviews.self)
    expectNoDifference(
      answer.overviews, players.map { .init(player: $0, overview: Self.overview(1)) })
    #expect(asked == [players])
  }

  @Test("A gateway is told which keys speak for nobody: removed ones, and those of nobody")
  func keys() throws {
    let (ann, bob, cyd) = (TestPlayer.ann, TestPlayer.bob, TestPlayer.cyd)
    var questions = 0
    lab.owners = { _ in
      questions += 1
      var removed = bob.owner
      removed.isRevoked = true
      return (.noon, [ann.key: ann.owner, bob.key: removed])
    }
    lab.ask(.keys([ann.key, bob.key, cyd.key]))
    try lab.step()
    #expect(try lab.answer(as: GatewayKeys.self) == GatewayKeys(silent: [bob.key, cyd.key]))
    #expect(questions == 1)
  }

  @Test("Players that have no room in an answer are left out, the first ones are not")
  func tooMany() throws {
    lab.owners = { _ in (.noon, [:]) }
    lab.store.overviews.answer { players in
      Dictionary(
        uniqueKeysWithValues: players.map { player in
          (player, Self.overview(player.rawValue == 0 ? 1 : Overview.matchLimit))
        })
    }
    let players = (0..<GatewayQuery.playerLimit).map { PlayerID(rawValue: UInt128($0)) }
    lab.ask(.overviews(players))
    try lab.step()
    let found = try lab.answer(as: GatewayOverviews.self).overviews.map(\.player)
    #expect(found.count >= 3 && found.count < players.count)
    expectNoDifference(found, Array(players.prefix(found.count)))
    #expect(try #require(lab.answers.first).body.count <= lab.settings.answerByteLimit)
  }

  @Test("A public query is answered as to nobody: without anybody's own row")
  func anybody() throws {
    lab.owners = { _ in (.noon, [:]) }
    var askers: [PlayerID] = []
    lab.store.ladder.answer { question in
      askers.append(question.player)
      return LadderPage()
    }
    lab.ask(.asAnybody(.ladder(.init(limit: 5))))
    try lab.step()
    #expect(try lab.answer(as: Ladder.self).you == nil)
    #expect(askers == [ServiceIdentity.test.secret.nobody])
    #expect(!TestPlayer.all.map(\.id).contains(try #require(askers.first)))
  }

  @Test("A malformed question, or one that is not for anybody, is refused by name")
  func refused() throws {
    let bodies: [([UInt8], String)] = [
      ([], "malformed"), (Array("{}".utf8), "malformed"),
      (Array(#"{"v":2,"id":"019de137-7000-7000-8000-00000000000d"}"#.utf8), "unsupportedVersion"),
      (
        GatewayQuery(id: EventID(rawValue: 7), question: .asAnybody(.inbox)).encoded,
        "notPermitted"
      ),
      (
        GatewayQuery(
          id: EventID(rawValue: 7),
          question: .overviews(
            Array(repeating: TestPlayer.ann.id, count: GatewayQuery.playerLimit + 1))
        ).encoded, "malformed"
      ),
      (
        GatewayQuery(
          id: EventID(rawValue: 7),
          question: .keys(
            Array(repeating: TestPlayer.ann.key, count: GatewayQuery.keyLimit + 1))
        ).encoded, "malformed"
      ),
      (
        Array(
          #"{"v":1,"id":"019de137-7000-7000-8000-00000000000d","type":"keys","keys":["0F"]}"#.utf8),
        "malformed"
      ),
    ]
    for (body, name) in bodies {
      lab.arriving = [
        .gatewayQuery(body: body, replyTo: "amq.rabbitmq.reply-to.g", correlationID: "g")
      ]
      try lab.step()
      #expect(try lab.refusal()?.name == name)
      lab.forget()
    }
    lab.arriving = [.gatewayQuery(body: bodies[0].0, replyTo: nil, correlationID: "g")]
    try lab.step()
    #expect(lab.answers.isEmpty)
  }

  @Test("If the store is gone, a gateway is told to ask again")
  func storeGone() throws {
    lab.owners = { _ in (.noon, [:]) }
    lab.store.overviews.fail(with: .unavailable("gone"))
    lab.ask(.overviews([TestPlayer.ann.id]))
    #expect(throws: Interruption.store(.unavailable("gone"))) { try lab.step() }
    #expect(try lab.refusal() == .unavailable)
  }

  @Test("The first line about queries that cannot be answered has the marks of its request")
  func marks() throws {
    lab.owners = { _ in (.noon, [:]) }
    lab.store.overviews.fail(with: .rejected("unreadable"))
    let trace = RequestTrace(
      requestID: "r-1", parent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    lab.ask(.overviews([TestPlayer.ann.id]), trace: trace)
    lab.ask(.overviews([TestPlayer.ann.id]))
    try lab.step()
    let lines = lab.logs.entries.filter { "\($0.message)" == "query cannot be answered" }
    expectNoDifference(lines.map { $0.metadata["request"].map { "\($0)" } }, ["r-1"])
    expectNoDifference(
      lines.map { $0.metadata["trace"].map { "\($0)" } }, ["0af7651916cd43dd8448eb211c80319c"])
  }
}
