import MatchCore
import MatchInterfaces
import MatchService
import PlayerClient
import TestedService
import Testing

@testable import MatchWire

@Suite("A registered player's values in the fields of a query", .serialized)
struct QueryFieldAttackTests {
  @Test("The table has a row for every field of every type of query, and for nothing else")
  func complete() throws {
    let scene = FieldScene()
    let known = Query.Kind.types.map { $0.name }
    #expect(known.count > 16)
    var (types, paths): ([String], Set<String>) = ([], [])
    let common: Set = ["v", "service", "id", "type", "player"]
    for (kind, _) in try QueryFields.examples(scene) {
      #expect(unsetParts(of: [kind]) == [], "\(kind) has more than its example shows")
      let query = Query(
        service: scene.service, id: scene.evesEvent, player: scene.eve, kind: kind)
      let object = try JSONReader.object(of: QueryCodec.encode(query))
      let type = try object.string("type")
      types.append(type)
      paths.formUnion(common)
      let own = JSONObject(members: object.members.filter { !common.contains($0.key) })
      paths.formUnion(own.paths(under: type))
    }
    #expect(types.sorted() == known.sorted())
    let rows = QueryFields.table(scene).map(\.path)
    #expect(Set(rows).symmetricDifference(paths) == [])
    #expect(Set(rows).count == rows.count)
  }

  @Test("Any value in a field is refused by name or answered as it should, and leaves no row")
  func fields() async throws {
    try await ServiceLab.run { lab in
      let stage = try FieldStage(in: lab)
      let intruder = try Intruder(in: lab)
      let rows = QueryFields.table(stage.scene)
      let before = try lab.rowCounts()
      let readers = try QueryFields.examples(stage.scene).map(\.isAnswer)
      for (kind, isAnswer) in try QueryFields.examples(stage.scene) {
        func example() throws -> [UInt8] {
          try Envelope.decode(stage.query(kind, of: stage.eve)).payload
        }
        let type = try JSONReader.object(of: example()).string("type")
        let isCommon = type == "whoAmI"
        for row in rows where row.type == type || isCommon && row.type == nil {
          // Made one row after another: a query is good for a minute.
          for attack in try row.attacks(on: example) {
            let body = Envelope.encode(stage.eve.key.signer.signed(attack.payload, as: .query))
            let bytes = try intruder.answer(body)
            // The frame of any answer can be read as one about a player.
            let name = try QueryFieldAttackTests.told(bytes)
            #expect(attack.answers.contains(name), "\(attack.what)")
            let isRead = isCommon ? readers.contains { $0(bytes) } : isAnswer(bytes)
            #expect(name != "ok" || isRead, "\(attack.what)")
          }
        }
        let whole = try intruder.answer(stage.query(kind, of: stage.eve))
        #expect(try QueryFieldAttackTests.told(whole) != "ok" || isAnswer(whole), "\(type)")
      }
      #expect(try lab.rowCounts() == before)
      try stage.expectUndisturbed()
      try stage.expectNothingWrong()
    }
  }

  /// The name of the refusal, or `ok`.
  private static func told(_ answer: [UInt8]) throws -> String {
    let object = try JSONReader.object(of: answer, limits: .answer)
    return object.optional("ok") == nil ? try object.object("refused").string("name") : "ok"
  }
}
