import CustomDump
import FoundationEssentials
import MatchCore
import MatchRecord
import Testing

@testable import MatchWire

/// The fixture is the one of version 1, but for this: from entry 8 on a third device signs the turns
/// of the first player. A second one has brought it in, and has signed nothing.
@Suite("The keys of a player in a record")
struct KeyOriginTests {
  private let first = Table.signer(3)
  private let phone = Table.signer(5)
  private let pad = Table.signer(6)
  private let stranger = Table.signer(9)

  private func fixture() throws -> [UInt8] {
    let path = #filePath.replacing("KeyOriginTests.swift", with: "Fixtures/record-2.json")
    return Array(try Data(contentsOf: URL(filePath: path)))
  }

  private func fault(
    _ change: (inout RecordDocument) throws -> Void
  ) throws -> GameReport.Fault? {
    var document = try RecordDocument(fixture())
    try change(&document)
    return RecordTests.verifier.report(on: document).game.fault
  }

  /// An event of the fixture's first player.
  private func signed(
    _ action: Event.Action, by signer: Signer, in document: RecordDocument,
    of player: PlayerID? = nil, at service: ServiceID? = nil
  ) throws -> SignedPayload {
    try signer.sign(
      Event(
        service: service ?? document.service, id: EventID(at: .init(microseconds: 1), random: 1),
        player: player ?? PlayerID(firstKey: first.publicKey), action: action))
  }

  @Test("The fixture of format version 2 verifies for ever, and is written alike")
  func verifies() throws {
    let fixture = try fixture()
    let report = try RecordTests.verifier.report(on: fixture)
    expectNoDifference(report.game.fault, nil)
    let document = report.document
    #expect(document.formatVersion == 2)
    #expect(document.seats[0].keys == [first.publicKey, pad.publicKey])
    #expect(document.seats[0].origins.map(\.key) == [phone.publicKey, pad.publicKey])
    #expect(document.laterKeys == [pad.publicKey])
    #expect(text(document.encode()) == text(fixture))
  }

  @Test("A later key without its origin is nobody's, in either version of the format")
  func withoutOrigin() throws {
    let reason = "the key \(pad.publicKey) is not its player's, and nothing brought it in"
    let bare = try fault { $0.seats[0].origins = [] }
    #expect(bare == .init(reason: reason))
    var document = try RecordDocument(fixture())
    document.seats[0].origins = []
    #expect(document.formatVersion == 1)
    #expect(
      try RecordTests.verifier.report(on: document.encode()).game.fault == .init(reason: reason))
  }

  @Test("The origins are exactly those that the keys need, each after that of its inviter")
  func exact() throws {
    let reason = "the seats and keys are not those of the entries"
    #expect(try fault { $0.seats[0].origins.reverse() } == .init(reason: reason))
    #expect(
      try fault { $0.seats[0].origins.append($0.seats[0].origins[1]) } == .init(reason: reason))
    #expect(try fault { $0.seats[1].origins = $0.seats[0].origins } == .init(reason: reason))
    let unneeded = try fault { document in
      let code = DeviceCode(random: 1)
      document.seats[0].origins.append(
        KeyOrigin(
          invited: try signed(
            .deviceInvited(code.hash(at: document.service)), by: first, in: document),
          added: try signed(.keyAdded(code), by: stranger, in: document)))
    }
    #expect(unneeded == .init(reason: reason))
    let lacking = try fault { $0.seats[0].origins.removeFirst() }
    #expect(
      lacking
        == .init(reason: "the key \(pad.publicKey) was brought in by none of its player's"))
  }

  @Test("Events that do not bring the key in are found, and named")
  func events() throws {
    let code = DeviceCode(random: 1)
    func said(
      _ change: (inout KeyOrigin.Invitation, RecordDocument) throws -> Void
    ) throws -> String? {
      try fault { document in
        var invitation = try #require(document.seats[0].origins[1].invitation)
        try change(&invitation, document)
        document.seats[0].origins[1] = .invitation(invitation)
      }?.reason
    }
    let start = "the key \(pad.publicKey) was not brought in: "
    #expect(
      try said { $0.added = try signed(.keyAdded(code), by: pad, in: $1) }
        == start + "it shows another code than that of the invitation")
    #expect(
      try said { $0.invited = try signed(.inboxSeen(.all), by: phone, in: $1) }
        == start + "its events are none of that kind")
    #expect(
      try said {
        $0.added = try signed(.keyAdded(code), by: pad, in: $1, of: PlayerID(rawValue: 1))
      } == start + "its events are another player's")
    #expect(
      try said {
        $0.added = try signed(.keyAdded(code), by: pad, in: $1, at: ServiceID(rawValue: 1))
      } == start + "its events are meant for another service")
    let invitation = try said {
      $0.invited = try signed(.deviceInvited(code.hash(at: $1.service)), by: stranger, in: $1)
      $0.added = try signed(.keyAdded(code), by: pad, in: $1)
    }
    // The origin of the second device is not needed then.
    #expect(invitation == "the seats and keys are not those of the entries")
    let byStranger = try fault { document in
      document.seats[0].origins = [
        KeyOrigin(
          invited: try signed(
            .deviceInvited(code.hash(at: document.service)), by: stranger, in: document),
          added: try signed(.keyAdded(code), by: pad, in: document))
      ]
    }
    #expect(
      byStranger?.reason == "the key \(pad.publicKey) was brought in by none of its player's")
  }

  @Test("An invitation brings one key in")
  func once() throws {
    let found = try fault { document in
      let code = DeviceCode(random: 1)
      func origin(of device: Signer, by inviter: Signer) throws -> KeyOrigin {
        KeyOrigin(
          invited: try signed(
            .deviceInvited(code.hash(at: document.service)), by: inviter, in: document),
          added: try signed(.keyAdded(code), by: device, in: document))
      }
      document.seats[0].origins = [
        try origin(of: phone, by: first), try origin(of: pad, by: phone),
      ]
    }
    let reason =
      "the key \(pad.publicKey) was brought in by an invitation that was used before"
    #expect(found == .init(reason: reason))
  }

  @Test("Invitations of two players may have the same event id: an id is its player's only")
  func sameID() throws {
    let path = #filePath.replacing(
      "KeyOriginTests.swift", with: "Fixtures/record-2-invited.json")
    let fixture = Array(try Data(contentsOf: URL(filePath: path)))
    let report = try RecordTests.verifier.report(on: fixture)
    expectNoDifference(report.game.fault, nil)
    let invitations = report.document.seats.compactMap { $0.origins.first?.invitation?.invited }
    let events = try invitations.map { try PayloadCodec.decodeEvent($0.payload) }
    #expect(events.count == 2 && events[0].id == events[1].id)
    #expect(events[0].player != events[1].player)
    #expect(text(report.document.encode()) == text(fixture))
  }

  @Test("The signature of every event of an origin is verified", arguments: 0..<4)
  func signatures(number: Int) throws {
    let key = number < 2 ? phone.publicKey : pad.publicKey
    let found = try fault { document in
      var invitation = try #require(document.seats[0].origins[number / 2].invitation)
      if number % 2 == 0 {
        invitation.invited.signature[40] ^= 1
      } else {
        invitation.added.signature[40] ^= 1
      }
      document.seats[0].origins[number / 2] = .invitation(invitation)
    }
    #expect(
      found == .init(reason: "a signature that brought the key \(key) in is not its key's"))
  }

  @Test("A file of version 2 has origins in each seat, and at least one")
  func forms() throws {
    let good = text(try fixture())
    #expect(fileError(good) == nil)
    #expect(
      fileError(good.replacing(#","origins":[]"#, with: "")) == .malformed("origins is missing"))
    let none = text(RecordTests.document(.withdrawn).encode())
      .replacing(#""formatVersion":1"#, with: #""formatVersion":2"#)
      .replacing(#""keys":["#, with: #""origins":[],"keys":["#)
    #expect(fileError(none) == .malformed("formatVersion is 2 in place of 1"))
  }
}

extension KeyOrigin {
  fileprivate var invitation: Invitation? {
    if case .invitation(let invitation) = self { invitation } else { nil }
  }
}
