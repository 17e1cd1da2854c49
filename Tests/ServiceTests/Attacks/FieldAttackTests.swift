import Chaos
import EventExamples
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchService
import PlayerClient
import RealServers
import TestedService
import Testing

@testable import MatchWire

@Suite("A registered player's values in the fields of an event", .serialized)
struct FieldAttackTests {
  @Test("The table has a row for every field of every type of event, and for nothing else")
  func complete() throws {
    let scene = FieldScene()
    let examples = Dictionary(grouping: try EventFields.examples(scene), by: \.typeName)
    #expect(Set(examples.keys) == Set(EventType.allCases.map(\.rawValue)))
    var paths: Set<String> = []
    for (type, examples) in examples {
      #expect(unsetParts(of: examples) == [], "\(type) has more than its example shows")
      for action in examples {
        let event = Event(
          service: scene.service, id: scene.evesEvent, player: scene.eve, action: action)
        let object = try JSONReader.object(of: PayloadCodec.encode(event))
        let common: Set = ["v", "service", "id", "type", "player"]
        paths.formUnion(common)
        let own = JSONObject(members: object.members.filter { !common.contains($0.key) })
        paths.formUnion(own.paths(under: type))
      }
    }
    let rows = EventFields.table(scene).map(\.path)
    #expect(Set(rows).symmetricDifference(paths) == [])
    #expect(Set(rows).count == rows.count)
  }

  /// The first type of each part. What an event of a part leaves may be there for later ones of it.
  private static let parts = ["playerRegistered", "settingsChanged", "keyAdded", "ticked"]

  @Test(
    "Any value in a field is refused by name or meant as written, and hinders nobody",
    arguments: parts)
  func fields(from first: String) async throws {
    try await ServiceLab.run { lab in
      let stage = try FieldStage(in: lab)
      let intruder = try Intruder(in: lab)
      let rows = EventFields.table(stage.scene)
      var types: Set<String> = []
      let examples = try EventFields.examples(stage.scene)
      let start = try #require(examples.firstIndex { $0.typeName == first })
      let end = examples[(start + 1)...].firstIndex { Self.parts.contains($0.typeName) }
      for action in examples[start..<(end ?? examples.endIndex)] {
        let type = action.typeName
        // Another example of a type leaves no more rows.
        let isFirst = types.insert(type).inserted
        func example() -> [UInt8] {
          PayloadCodec.encode(
            Event(
              service: stage.scene.service, id: FieldStage.newID(), player: stage.eve.id,
              action: action))
        }
        let isCommon = type == "inboxSeen"
        let paths = try Set(JSONReader.object(of: example()).paths(under: type))
        let attacks = try rows.filter { paths.contains($0.path) || isCommon && $0.type == nil }
          .flatMap { try $0.attacks(on: example) }
        let before = try lab.rowCounts()
        var kept: Int64 = 0
        for attack in attacks {
          let event = try? PayloadCodec.decodeEvent(attack.payload)
          let answer = try intruder.event(
            Envelope.encode(stage.eve.key.signer.signed(attack.payload, as: .event)),
            to: event.flatMap { Slot(of: $0) } ?? Slot(of: stage.eve.id))
          let (name, isKept) = answer.reply.told
          #expect(attack.answers.contains(name), "\(attack.what)")
          let isFarAhead =
            event.map { $0.id.time > stage.scene.now.adding(seconds: 86_400 + 300) } ?? false
          kept += isKept && !isFarAhead ? 1 : 0
        }
        let after = try lab.rowCounts()
        var expected = before.merging(isFirst ? EventFields.rows[type] ?? [:] : [:]) { $0 + $1 }
        expected["events", default: 0] += kept
        for (table, count) in expected where after[table] != count {
          Issue.record("\(type) left \(after[table] ?? 0) of \(count) rows in \(table)")
        }
        try stage.expectUndisturbed()
      }
      try stage.expectNothingWrong()
    }
  }
}

/// A service with a hostile player, and an honest player who plays on.
struct FieldStage {
  let eve: LabPlayer
  let ann: LabPlayer
  let scene: FieldScene
  private let lab: ServiceLab

  init(in lab: ServiceLab) throws {
    self.lab = lab
    eve = try lab.player("Eve")
    ann = try lab.player("Ann")
    let bob = try lab.player("Bob")
    let noted = try eve.sign(.deviceRemoved(#require(DeviceName("old"))))
    guard case .accepted(.noted) = try eve.send(noted) else { throw LabFailure("not noted") }
    // Both have a row of settings from now on.
    try eve.must(.inboxSeen(.all))
    let annsEvent = try ann.sign(.inboxSeen(.all))
    _ = try ann.send(annsEvent)
    var scene = FieldScene()
    scene.eve = eve.id
    scene.ann = ann.id
    scene.service = lab.identity.service
    scene.over = try lab.begin(eve, ann)
    try ann.must(.matchForfeited(scene.over))
    scene.mine = try lab.begin(eve, ann)
    scene.theirs = try lab.begin(ann, bob)
    scene.head = try lab.match(scene.mine).previousTurnHash
    scene.annsEvent = annsEvent.event.id
    scene.evesEvent = noted.event.id
    scene.now = WallClock.live.now()
    scene.recovered.proof = FieldScene.newKey.prove(
      toSpeakFor: eve.id, at: scene.service, by: eve.key.publicKey)
    self.scene = scene
  }

  /// Somebody else's event and query are answered, in the queues of the attacker too.
  func expectUndisturbed() throws {
    try ann.must(.inboxSeen(.all))
    let turn = Turn(number: 9, previous: .zero, moves: [])
    for match in [scene.mine, scene.theirs] {
      #expect(try ann.act(.turnPlayed(match, turn)).refusal == .unknownTurn(current: 1))
    }
    guard case .ok(let view) = try Intruder(in: lab).query(query(.whoAmI, of: ann)) else {
      Issue.record("Ann's query was refused")
      return
    }
    #expect(view.id == ann.id)
  }

  /// Everything holds, and no message was put aside.
  func expectNothingWrong() throws {
    #expect(try lab.rowCounts()["dead_jobs"] == 0)
    #expect(try lab.deadEventCount() == 0)
    #expect(try lab.violations() == [])
  }

  /// The id of a message that is made now.
  static func newID() -> EventID {
    EventID(at: WallClock.live.now(), random: Randomness.live.next128())
  }

  /// A signed query, made now.
  func query(_ kind: Query.Kind, of player: LabPlayer) -> [UInt8] {
    let asked = Query(
      service: lab.identity.service, id: FieldStage.newID(), player: player.id, kind: kind)
    return Envelope.encode(player.key.signer.sign(asked))
  }
}

extension ReceivedReply {
  /// The name of the reply, and whether it is kept.
  fileprivate var told: (name: String, isKept: Bool) {
    switch self {
    case .accepted(let acceptance):
      guard case .object(let object) = acceptance.json, case .string(let type)? = object["type"]
      else { return ("", true) }
      return (type, true)
    case .refused(let name, _, let refusal): return (name, refusal?.isStored ?? true)
    }
  }
}
