import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The check of recoveries")
struct RecoveryCheckTests {
  private let words = TestPlayer("words", keyByte: 0x60)
  private let phone = TestPlayer("phone", keyByte: 0x70)
  private let ann = TestPlayer.ann

  /// The time of all events, longer ago than any recovery here waits.
  private let asked = Instant.noon.adding(
    seconds: -RecoveryCheck.overdueSeconds - 2 * PlayerRecovery.seconds)

  private func event(_ action: Event.Action, of player: TestPlayer = .ann) -> Event {
    player.event(action, 7, at: asked)
  }

  private func signed(_ event: Event, by signer: TestPlayer) -> SignedPayload {
    signer.signer.signed(PayloadCodec.encode(event), as: .event)
  }

  private func named(by signer: TestPlayer, _ key: PublicKey? = nil) -> PlayerRecovery.Named {
    PlayerRecovery.Named(
      key: words.key, signed: signed(event(.recoveryKeyNamed(key ?? words.key)), by: signer))
  }

  /// The request of Ann's words for the phone.
  private var request: Event {
    event(.playerRecovered(of: ann.id, at: .test, by: words.key, to: phone.signer))
  }

  private func pending(
    _ request: Event, by signer: TestPlayer, due: Instant = .noon
  ) -> PlayerRecovery.Pending {
    PlayerRecovery.Pending(
      recovery: request.id, key: phone.key, signed: signed(request, by: signer),
      begunAt: due.adding(seconds: -PlayerRecovery.seconds),
      deadline: Deadline(at: due, creditMicroseconds: 0))
  }

  /// A check of Ann's row alone.
  private func check(
    _ recovery: PlayerRecovery, isReadable: Bool = true
  ) throws -> [RecoveryViolation] {
    var store = CheckStore.failing
    store.now.answer { .noon }
    store.recoveries.answer { [ann] after, _ in
      guard after == nil else { return [] }
      return [
        StoredRecovery(player: ann.id, recovery: recovery, isReadable: isReadable)
      ]
    }
    store.owners.answer { [ann, phone] keys in
      let owners = [
        ann.key: ann.id, phone.key: ann.id, TestPlayer.bob.key: TestPlayer.bob.id,
      ]
      return owners.filter { keys.contains($0.key) }
    }
    store.origins.answer { _ in [] }
    var check = RecoveryCheck(store, identity: .test)
    var found: [RecoveryViolation] = []
    while !check.isDone { found += try check.next() }
    #expect(check.count == 1)
    return found
  }

  @Test("Recovery keys that keys of the player have named, and a recovery they ask for, hold")
  func whole() throws {
    let waiting = PlayerRecovery.Waiting(
      named: named(by: ann), deadline: Deadline(at: .noon, creditMicroseconds: 0))
    #expect(
      try check(
        PlayerRecovery(
          named: named(by: ann), waiting: waiting, pending: pending(request, by: words))) == [])
    #expect(try check(PlayerRecovery(waiting: waiting)) == [])
  }

  @Test("A recovery key that no key of the player has named is found")
  func naming() throws {
    var changed = named(by: ann)
    changed.signed.signature[7] ^= 1
    let others = [
      named(by: .bob), named(by: ann, phone.key), changed, named(by: phone),
      PlayerRecovery.Named(
        key: words.key, signed: signed(event(.recoveryKeyNamed(words.key), of: .bob), by: ann)),
    ]
    for named in others {
      let found = try check(PlayerRecovery(named: named))
      #expect(found.map(\.kind) == [.namingForged] && found.map(\.player) == [ann.id])
      #expect("\(found[0])".contains("has named the recovery key \(words.key)"))
    }
  }

  @Test("A signed message that cannot be read is found, though nothing is left of its key")
  func damaged() throws {
    let found = try check(PlayerRecovery(), isReadable: false)
    #expect(found.map(\.kind) == [.namingForged])
    #expect("\(found[0])".contains("a signed message of its recovery keys or recovery"))
  }

  @Test("A recovery that the recovery key has not asked for is found")
  func asking() throws {
    var other = pending(request, by: words)
    other.key = TestPlayer.bob.key
    var unproved = pending(
      event(.playerRecovered(phone.key, proof: Array(repeating: 0, count: 64))), by: words)
    unproved.key = phone.key
    var renamed = pending(request, by: words)
    renamed.recovery = EventID(rawValue: 1)
    for pending in [pending(request, by: ann), other, unproved, renamed] {
      let found = try check(PlayerRecovery(named: named(by: ann), pending: pending))
      #expect(found.map(\.kind) == [.requestForged])
    }
  }

  @Test("A recovery that is due for more than 30 days is found, one that waits is not")
  func overdue() throws {
    let month = Instant.noon.adding(seconds: -RecoveryCheck.overdueSeconds)
    func found(due: Instant) throws -> [RecoveryViolation.Kind] {
      try check(
        PlayerRecovery(named: named(by: ann), pending: pending(request, by: words, due: due))
      ).map(\.kind)
    }
    #expect(try found(due: month) == [])
    #expect(try found(due: month.adding(microseconds: -1)) == [.overdue])
  }

  @Test("A recovery whose time was moved forward is found, also if its beginning was moved as well")
  func movedForward() throws {
    func found(_ change: (inout PlayerRecovery.Pending) -> Void) throws -> [RecoveryViolation] {
      var pending = self.pending(request, by: words)
      change(&pending)
      return try check(PlayerRecovery(named: named(by: ann), pending: pending))
    }
    let soon = try found { $0.deadline.at = $0.deadline.at.adding(microseconds: -1) }
    #expect(soon.map(\.kind) == [.dueTooSoon])
    #expect(soon.first?.description.contains("would take effect too soon") == true)
    // The beginning moved as well: the signed request has a time of its own.
    let both = try found {
      $0.begunAt = asked.adding(seconds: -PlayerRecovery.seconds)
      $0.deadline.at = asked
    }
    #expect(both.map(\.kind).contains(.dueTooSoon))
    // An objection doubles the wait.
    #expect(try found { $0.objector = ann.key }.map(\.kind) == [.dueTooSoon])
    #expect(
      try found {
        $0.objector = ann.key
        $0.deadline.at = $0.deadline.at.adding(seconds: PlayerRecovery.seconds)
      } == [])
  }

  // Failure: CheckStore.recoveries: The check stops.
  @Test("A page of recoveries that cannot be read is read again")
  func failing() throws {
    var pages: [PlayerID?] = []
    var store = CheckStore.failing
    store.now.answer { .noon }
    store.owners.answer { [ann] _ in [ann.key: ann.id] }
    store.recoveries.answer {
      [ann, row = PlayerRecovery(named: named(by: ann))] after, limit throws(StoreError) in
      pages.append(after)
      #expect(limit == 1)
      guard pages.count != 2 else { throw StoreError.unavailable("gone") }
      return after == nil ? [StoredRecovery(player: ann.id, recovery: row)] : []
    }
    var check = RecoveryCheck(store, identity: .test)
    #expect(try check.next(limit: 1) == [])
    #expect(throws: StoreError.unavailable("gone")) { try check.next(limit: 1) }
    #expect(!check.isDone && check.count == 1)
    #expect(try check.next(limit: 1) == [])
    #expect(check.isDone)
    #expect(pages == [nil, ann.id, ann.id])
  }
}
