// swift-format-ignore-file: NeverForceUnwrap

import CubeRules
import CubistBasics
import CustomDump
import FoundationEssentials
import MatchCore
import Testing

@testable import MatchCore
@testable import MatchRecord
@testable import MatchWire

@Suite("Records")
struct RecordTests {
  static let verifier = RecordVerifier(lexicons: Table.lexicons)

  static func document(_ game: Game, seed: UInt64 = 1) -> RecordDocument {
    let (table, match) = game.played(seed: seed)
    return table.document(of: match)!
  }

  @Test("A record of every way to end verifies", arguments: Game.allCases)
  func verifies(game: Game) throws {
    let (table, id) = game.played()
    let match = try #require(table.matches[id])
    let document = try #require(table.document(of: id))
    let report = try RecordTests.verifier.report(on: document.encode())
    expectNoDifference(report.game.fault, nil)
    #expect(report.isVerified)
    expectNoDifference(report.document, document)
    #expect(report.game.total == match.points.reduce(0, +))
    #expect(
      report.game.moves.last?.playable ?? ""
        == (match.turnNumber > 1 ? match.game.playable.digits : ""))
    let reasons: [Game: Outcome.Reason] = [
      .cleared: .cleared, .forfeited: .forfeited, .timedOut: .timedOut, .withdrawn: .withdrawn,
      .rematch: .forfeited, .solo: .finished, .left: .forfeited,
    ]
    #expect(report.document.outcome.reason == reasons[game])
  }

  @Test("The fixture of format version 1 verifies for ever, and is written alike")
  func fixture() throws {
    let path = #filePath.replacing("RecordTests.swift", with: "Fixtures/record-1.json")
    let fixture = Array(try Data(contentsOf: URL(filePath: path)))
    let report = try RecordTests.verifier.report(on: fixture)
    expectNoDifference(report.game.fault, nil)
    #expect(report.document.entries.count == 22 && report.game.moves.count == 29)
    #expect(text(report.document.encode()) == text(fixture))
  }

  @Test("The report has total and moves, masks where they are asked for, and the fault")
  func output() throws {
    let document = RecordTests.document(.forfeited)
    var report = RecordTests.verifier.report(on: document).game
    let score = try #require(report.moves.first?.score)
    expectNoDifference(
      text(GameReport.encode([report], masks: false)),
      #"[{"total":\#(score),"moves":[{"accepted":true,"score":\#(score)}]}]"#)
    let mask = report.moves[0].playable
    expectNoDifference(
      text(GameReport.encode([report], masks: true)),
      #"[{"total":\#(score),"moves":[{"accepted":true,"score":\#(score),"playable":"\#(mask)"}]}]"#)
    report.fault = .init(entry: 3, reason: "why")
    #expect(
      text(GameReport.encode([report], masks: false)).hasSuffix(
        #"],"fault":{"entry":3,"reason":"why"}}]"#))
    #expect(report.fault?.description == "Entry 3 does not hold: why.")
  }

  @Test("Fields that this build does not know are kept and ignored")
  func unknownFields() throws {
    let encoded = text(RecordTests.document(.withdrawn).encode())
    let extended = encoded.dropLast() + #","comment":{"by":[1.5,"x"]}}"#
    let report = try RecordTests.verifier.report(on: bytes(String(extended)))
    expectNoDifference(report.game.fault, nil)
    #expect(text(report.document.encode()) == extended)
  }

  // Failure: RecordFileError.malformed: The file is not a record.
  // Failure: RecordFileError.unsupportedVersion: A later build wrote the record.
  // Failure: RecordFileError.tooLarge: The file is larger than any record can be.
  @Test("Files that are no record are refused by name")
  func refused() {
    let good = text(RecordTests.document(.withdrawn).encode())
    func error(_ file: String) -> RecordFileError? {
      do {
        _ = try RecordTests.verifier.report(on: bytes(file))
        return nil
      } catch {
        return error
      }
    }
    #expect(error("") == .malformed("byte 0: the text ends where a value is due"))
    #expect(error("[]") == .malformed("an object is due"))
    #expect(error("{}") == .malformed("format is missing"))
    #expect(error(#"{"format":"pgn"}"#) == .malformed("format is \"pgn\""))
    #expect(
      error(good.replacing(#""formatVersion":1"#, with: #""formatVersion":5"#))
        == .unsupportedVersion(5))
    #expect(
      error(good.replacing(#""formatVersion":1"#, with: #""formatVersion":2"#))
        == .malformed("origins is missing"))
    #expect(error(good.replacing(#""head""#, with: #""tail""#)) == .malformed("head is missing"))
    #expect(throws: RecordFileError.tooLarge(byteCount: (1 << 26) + 1, limit: 1 << 26)) {
      try RecordTests.verifier.report(on: Array(repeating: 0x20, count: (1 << 26) + 1))
    }
  }

  @Test("A record of a player who is gone has a version that earlier builds refuse by name")
  func gone() throws {
    var document = RecordTests.document(.withdrawn)
    let player = try #require(document.seats[0].player)
    let said = PayloadCodec.encode(
      .playerGone(player), match: document.match, service: document.service)
    let signed = SignedPayload(
      key: document.rootKey, signature: Array(repeating: 0, count: 64), payload: said)
    document.entries.append(
      Entry(
        after: document.head, position: document.entries.count,
        acceptedAt: document.entries[0].acceptedAt, signed: signed))
    #expect(document.formatVersion == 3)
    #expect(try RecordDocument(document.encode()).formatVersion == 3)
  }

  @Test("A record of a match that was given up before anybody joined has that version")
  func givenUpAlone() throws {
    var table = Table()
    let request = MatchRequest(opponent: .player(table.id(1)), turnLimitSeconds: 60)
    table.act(.matchRequested(request), by: 0)
    let id = try #require(table.matches.keys.first)
    table.act(.matchForfeited(id), by: 0)
    let document = try #require(table.document(of: id))
    #expect(document.outcome.reason == .withdrawn)
    #expect(document.formatVersion == 3)
    let report = try RecordTests.verifier.report(on: document.encode())
    expectNoDifference(report.game.fault, nil)
    #expect(report.isVerified)
    // A player who gives a running match up leaves it as earlier builds know it.
    #expect(RecordTests.document(.forfeited).formatVersion == 1)
  }

  @Test("The statement that a seat was left has the cube if it is another one")
  func seatLeft() throws {
    let player = PlayerID(rawValue: 12)
    for (letters, end) in [(nil, "}"), ("ABC", #","letters":"ABC"}"#)] as [(String?, String)] {
      let statement = Statement.seatLeft(seat: 1, player: player, letters: letters)
      let payload = PayloadCodec.encode(
        statement, match: MatchID(rawValue: 11), service: ServiceID(rawValue: 10))
      #expect(text(payload).hasSuffix(#","seat":1,"player":"\#(player)""# + end))
      #expect(try PayloadCodec.decodeStatement(payload).statement == statement)
    }
  }

  @Test("A record of a seat that was left has a version of its own, and lists who left")
  func left() throws {
    let (table, id) = Game.left.played()
    let document = try #require(table.document(of: id))
    #expect(document.formatVersion == 4)
    #expect(document.seats.map(\.player) == [table.id(0), table.id(2)])
    #expect(document.left.map(\.player) == [table.id(1)])
    #expect(document.left.map(\.keys) == [[table.players[1].publicKey]])
    #expect(text(document.encode()).contains(#""formatVersion":4"#))
    for game in Game.allCases where game != .left {
      let other = RecordTests.document(game)
      #expect(other.formatVersion == 1 && other.left.isEmpty)
      #expect(!text(other.encode()).contains(#""left""#))
    }
    func fault(_ change: (inout RecordDocument) -> Void) -> GameReport.Fault? {
      var changed = document
      change(&changed)
      changed.rechain()
      return RecordTests.verifier.report(on: changed).game.fault
    }
    let stranger = fault { $0.left = [] }
    #expect(stranger?.reason == "its key is not listed as one of its player's")
    let more = fault { $0.left.append(.init(player: table.id(0), keys: [])) }
    #expect(more?.reason == "the players who left and their keys are not those of the entries")
    let key = fault { $0.left[0].keys.append(table.players[0].publicKey) }
    #expect(key?.reason == "the players who left and their keys are not those of the entries")
    let former = document.entries.firstIndex { text($0.signed.payload).contains("matchDealt") }
    let dealt = try PayloadCodec.decodeStatement(
      document.entries[try #require(former)].signed.payload)
    guard case .matchDealt(let deal) = dealt.statement else { return }
    let letters = fault { $0.letters = deal.letters }
    #expect(letters?.reason == "rules, word list and letters are not those of the deal")
    // The field is none of earlier versions.
    let old = text(RecordTests.document(.forfeited).encode())
    let extended = old.dropLast() + #","left":[1]}"#
    #expect(try text(RecordDocument(bytes(String(extended))).encode()) == extended)
  }

  @Test("A match that is not over has no record to give away")
  func running() {
    var table = Table()
    let id = table.start()
    #expect(table.document(of: id) == nil)
  }

  @Test("A word list that this build does not have, and another root key, are named")
  func foreign() {
    let document = RecordTests.document(.withdrawn)
    let fault = RecordVerifier(lexicons: .standard).report(on: document).game.fault
    #expect(fault?.reason == "this build does not have the word list \"every-word\"")
    let other = RecordVerifier(
      lexicons: Table.lexicons, rootKey: Table.signer(8).publicKey)
    #expect(other.report(on: document).game.fault?.reason.hasPrefix("the root key is ") == true)
    let same = RecordVerifier(lexicons: Table.lexicons, rootKey: Table.signer(1).publicKey)
    #expect(same.report(on: document).isVerified)
  }
}

@Suite("Records that do not hold")
struct RecordMutationTests {
  // Failure: RecordVerifier.Failure: An entry is wrong. The failure names the entry and the reason.
  @Test(
    "A changed byte is found wherever it is",
    arguments: [Game.withdrawn, .timedOut, .rematch])
  func flips(game: Game) throws {
    let good = RecordTests.document(game).encode()
    #expect(try RecordTests.verifier.report(on: good).isVerified)
    var random = SplitMix64(state: 41)
    for _ in 0..<250 {
      let index = Int.random(in: good.indices, using: &random)
      var bad = good
      bad[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      let isVerified = (try? RecordTests.verifier.report(on: bad).isVerified) ?? false
      #expect(!isVerified, "byte \(index) of \(game): \(text(Array(bad[..<index].suffix(30))))")
    }
  }

  @Test("An entry that is missing, doubled or in another place is found", arguments: Game.allCases)
  func order(game: Game) {
    let document = RecordTests.document(game)
    for index in document.entries.indices {
      var dropped = document
      dropped.entries.remove(at: index)
      #expect(!RecordTests.verifier.report(on: dropped).isVerified, "\(game) without \(index)")
      var doubled = document
      doubled.entries.insert(doubled.entries[index], at: index)
      #expect(!RecordTests.verifier.report(on: doubled).isVerified, "\(game) twice \(index)")
      guard index > 0 else { continue }
      var swapped = document
      swapped.entries.swapAt(index, index - 1)
      let fault = RecordTests.verifier.report(on: swapped).game.fault
      #expect(fault?.entry == index, "\(game) swapped \(index)")
    }
  }

  @Test(
    "No entry can be left out, even with positions and hashes made anew", arguments: Game.allCases)
  func rehashed(game: Game) {
    let document = RecordTests.document(game)
    for index in document.entries.indices {
      var dropped = document
      dropped.entries.remove(at: index)
      dropped.rechain()
      #expect(!RecordTests.verifier.report(on: dropped).isVerified, "\(game) without \(index)")
    }
  }

  @Test("A time that is changed, hashes made anew, is found up to the closing statement")
  func times() {
    let document = RecordTests.document(.cleared)
    for index in document.entries.indices.dropLast() {
      var changed = document
      changed.entries[index].acceptedAt = changed.entries[index].acceptedAt.adding(microseconds: 1)
      changed.rechain()
      #expect(!RecordTests.verifier.report(on: changed).isVerified, "entry \(index)")
    }
    var backwards = document
    backwards.entries[5].acceptedAt = backwards.entries[4].acceptedAt.adding(microseconds: -1)
    backwards.rechain()
    #expect(
      RecordTests.verifier.report(on: backwards).game.fault
        == .init(entry: 5, reason: "it is earlier than the entry before"))
  }

  @Test("A stranger's signature is found, and named")
  func signatures() throws {
    let (table, id) = Game.forfeited.played()
    let document = try #require(table.document(of: id))
    func fault(_ change: (inout RecordDocument) -> Void) -> GameReport.Fault? {
      var changed = document
      change(&changed)
      changed.rechain()
      return RecordTests.verifier.report(on: changed).game.fault
    }
    let forger = Table.signer(9)
    let request = fault { document in
      let payload = document.entries[0].signed.payload
      document.entries[0].signed = forger.signed(payload, as: .event)
    }
    #expect(request == .init(entry: 0, reason: "its key is not listed as one of its player's"))
    let event = fault { $0.entries[0].signed.signature[40] ^= 1 }
    #expect(event == .init(entry: 0, reason: "its signature is not its key's"))
    let deal = fault { document in
      document.entries[1].signed = forger.signed(document.entries[1].signed.payload, as: .service)
    }
    #expect(deal == .init(entry: 1, reason: "its key was none of the service's at that time"))
    let asEvent = fault { document in
      let payload = document.entries[1].signed.payload
      document.entries[1].signed = table.working.signed(payload, as: .event)
    }
    #expect(asEvent == .init(entry: 1, reason: "its signature is not its key's"))
    let early = fault { document in
      document.certificates = [
        KeyCertificate(
          workingKey: table.working.publicKey, validFrom: table.now.adding(seconds: 3_600),
          validUntil: table.now.adding(seconds: 7_200), service: table.service, root: table.root)
      ]
    }
    #expect(early == .init(entry: 1, reason: "its key was none of the service's at that time"))
    let uncertified = fault { $0.rootKey = forger.publicKey }
    #expect(uncertified?.reason.hasPrefix("the root key did not sign the working key") == true)
  }

  @Test("The signature of every entry is verified, the last one's too", arguments: Game.allCases)
  func everySignature(game: Game) {
    let document = RecordTests.document(game)
    for index in document.entries.indices {
      var changed = document
      changed.entries[index].signed.signature[40] ^= 1
      changed.rechain()
      let fault = RecordTests.verifier.report(on: changed).game.fault
      #expect(fault == .init(entry: index, reason: "its signature is not its key's"))
    }
  }

  @Test("Entries signed by weak keys are found")
  func weakKeys() throws {
    let document = RecordTests.document(.forfeited)
    for point in SigningTests.smallOrder {
      let key = try #require(PublicKey(bytes: Hex.decode(point)!))
      // Some libraries take these for anybody's signature under such a key.
      let zero = [UInt8](repeating: 0, count: 63)
      for signature in [[1] + zero, [0] + zero] {
        func fault(_ index: Int, _ change: (inout RecordDocument) -> Void) -> GameReport.Fault? {
          var changed = document
          changed.entries[index].signed.key = key
          changed.entries[index].signed.signature = signature
          change(&changed)
          changed.rechain()
          return RecordTests.verifier.report(on: changed).game.fault
        }
        let event = fault(0) { for seat in $0.seats.indices { $0.seats[seat].keys.append(key) } }
        #expect(event == .init(entry: 0, reason: "its signature is not its key's"))
        let statement = fault(1) { document in
          document.rootKey = key
          let certificate = document.certificates[0]
          document.certificates = [
            KeyCertificate(
              workingKey: key, validFrom: certificate.validFrom,
              validUntil: certificate.validUntil, signature: signature)
          ]
        }
        #expect(statement?.reason == "the root key did not sign the working key \(key)")
      }
    }
  }

  @Test("A turn that the rules refuse is named with its reason, though player and service sign it")
  func illegalTurn() throws {
    let (table, id) = Game.forfeited.played()
    var document = try #require(table.document(of: id))
    let index = try #require(
      document.entries.firstIndex { text($0.signed.payload).contains("turnPlayed") })
    var event = try PayloadCodec.decodeEvent(document.entries[index].signed.payload)
    guard case .turnPlayed(var played) = event.action else { return }
    played.turn.moves = [.removal(Cube(notation: "222")!), .removal(Cube(notation: "111")!)]
    event.action = .turnPlayed(played)
    let signer = try #require(
      table.players.first { $0.publicKey == document.entries[index].signed.key })
    document.entries[index].signed = try signer.sign(event)
    document.rechain()
    let report = RecordTests.verifier.report(on: document).game
    #expect(report.fault?.entry == index)
    #expect(report.fault?.reason.hasPrefix("its turn is not legal: Move 2: ") == true)
    #expect(report.moves.map(\.reason) == ["cubeHidden"] && report.total == 0)
  }

  @Test("The service cannot state an outcome, points or a deadline that do not follow")
  func statements() throws {
    let (table, id) = Game.timedOut.played()
    let document = try #require(table.document(of: id))
    let last = document.entries.count - 1
    func fault(_ position: Int, _ change: (Statement) -> Statement) throws -> GameReport.Fault? {
      var changed = document
      let payload = changed.entries[position].signed.payload
      let statement = change(try PayloadCodec.decodeStatement(payload).statement)
      changed.entries[position].signed = table.working.sign(
        statement, match: id, service: table.service)
      changed.rechain()
      return RecordTests.verifier.report(on: changed).game.fault
    }
    let outcome = try fault(last) { statement in
      guard case .matchEnded(var outcome, let points, let head) = statement else {
        return statement
      }
      outcome.results = [.tied, .tied]
      return .matchEnded(outcome, points: points, head: head)
    }
    #expect(
      outcome?.entry == last && outcome?.reason.contains("the outcome is timedOut by seat ") == true
    )
    let points = try fault(last) { statement in
      guard case .matchEnded(let outcome, _, let head) = statement else { return statement }
      return .matchEnded(outcome, points: [1, 2], head: head)
    }
    #expect(points?.entry == last && points?.reason.contains("points are") == true)
    let deadline = try fault(last - 1) { statement in
      guard case .deadlinePassed(let turn, let deadline, let time, let credit) = statement else {
        return statement
      }
      return .deadlinePassed(
        turn: turn, deadline: deadline.adding(seconds: -30), queueTime: time,
        creditMicroseconds: credit)
    }
    #expect(deadline?.entry == last - 1)
    #expect(deadline?.reason.contains("a deadline that had not passed") == true)
  }

  @Test("Mutated records give a report or an error", arguments: [UInt64(51), 52])
  func mutations(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let record = RecordTests.document(.withdrawn).encode()
    for _ in 0..<200 {
      let mutated = record.mutated(using: &random)
      let report = try? RecordTests.verifier.report(on: mutated)
      #expect(report?.isVerified != true || mutated == record, "seed \(seed)")
    }
  }
}

extension RecordDocument {
  /// Computes positions, hashes and head anew, as a forger can without any key.
  mutating func rechain() {
    head = .zero
    for index in entries.indices {
      entries[index] = Entry(
        after: head, position: index, acceptedAt: entries[index].acceptedAt,
        signed: entries[index].signed)
      head = entries[index].hash
    }
  }
}
