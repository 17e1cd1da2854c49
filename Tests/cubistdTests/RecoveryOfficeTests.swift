import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import cubistd

@Suite("Recoveries of players, for operators")
struct RecoveryOfficeTests {
  private static let at = Instant(microseconds: 1_790_000_000_000_000)
  private static let recovery = EventID(at: at, random: 7)

  private static func key(_ digit: Character) throws -> PublicKey {
    try #require(PublicKey(String(repeating: digit, count: 64)))
  }

  private static func lookup(
    _ account: AccountRow,
    stops: @escaping (PlayerID, EventID, ActRow) -> Bool = { _, _, _ in true }
  ) -> PlayerLookup {
    var reader = ReaderStore.failing
    reader.player.answer { name in
      ReaderStore.PlayerRow(id: PlayerID(rawValue: 2), name: name, registeredAt: at)
    }
    reader.currentMatches.answer { _, _, _ in .init() }
    var store = OperatorStore.failing
    store.account.answer { _ in account }
    store.reports.answer { _, _ in [] }
    store.stopRecovery.answer(with: stops)
    return PlayerLookup(reader: reader, store: store)
  }

  /// An account with everything that there can be.
  private static func account() throws -> AccountRow {
    var account = AccountRow()
    account.invitations = [.init(invitation: .zero, until: at, inviter: try key("1"))]
    account.recovery = .init(
      key: try key("2"), waiting: .init(key: try key("3"), at: at),
      pending: .init(recovery: recovery, key: try key("4"), at: at, objector: try key("1")))
    return account
  }

  @Test("A player is shown with invitations of devices, words and the recovery under way")
  func shown() throws {
    let found = try Self.lookup(try Self.account()).find("ada")
    let text = found.text
    #expect(text.contains("of a device until \(Self.at), by \(try Self.key("1"))"))
    #expect(text.contains("\(try Self.key("3")), from \(Self.at)"))
    #expect(
      text.contains(
        "\(Self.recovery), to \(try Self.key("4")) at \(Self.at) at the earliest, "
          + "objected to by \(try Self.key("1"))"))
    let json = try found.json()
    #expect(
      json.contains(
        #""invitations":[{"inviter":"\#(try Self.key("1"))","until":"\#(Self.at)"}]"#))
    #expect(json.contains(#""waiting":{"at":"\#(Self.at)","key":"\#(try Self.key("3"))"}"#))
    #expect(json.contains(#""objector":"\#(try Self.key("1"))""#))
    let bare = try Self.lookup(AccountRow()).find("ada")
    #expect(!bare.text.contains("recovery") && !bare.text.contains("words"))
  }

  @Test("A recovery is stopped as an act with operator and reason, and only while it is under way")
  func stop() throws {
    var acts: [ActRow] = []
    let lookup = Self.lookup(try Self.account()) { player, recovery, act in
      #expect(player == PlayerID(rawValue: 2) && recovery == Self.recovery)
      acts.append(act)
      return acts.count == 1
    }
    let office = RecoveryStopper(lookup: lookup, operator: "olga")
    #expect(try office.stop("ada", reason: "stolen").recovery == Self.recovery)
    #expect(acts.map(\.act) == ["recovery stopped"])
    #expect(
      acts.map(\.detail) == ["\(Self.recovery) of \(PlayerID(rawValue: 2)) by olga: stolen"])
    #expect(throws: OperatorFailure.self) { try office.stop("ada", reason: "again") }
    let none = RecoveryStopper(lookup: Self.lookup(AccountRow()), operator: "olga")
    let failure = #expect(throws: OperatorFailure.self) { try none.stop("ada", reason: "none") }
    #expect(failure?.description.contains("no recovery of ada is under way") == true)
  }

  @Test("Invitations are taken back as an act with operator and reason, if any waits")
  func uninvited() throws {
    var acts: [ActRow] = []
    var waiting = 2
    var lookup = Self.lookup(AccountRow())
    var store = lookup.store
    store.stopInvitations.answer { player, act in
      #expect(player == PlayerID(rawValue: 2))
      defer { waiting = 0 }
      if waiting > 0 { acts.append(act) }
      return waiting
    }
    lookup = PlayerLookup(reader: lookup.reader, store: store)
    let office = InvitationStopper(lookup: lookup, operator: "olga")
    #expect(try office.stop("ada", reason: "code shown").count == 2)
    #expect(
      acts == [
        ActRow(
          act: "invitations taken back", detail: "of \(PlayerID(rawValue: 2)) by olga: code shown")
      ])
    let failure = #expect(throws: OperatorFailure.self) { try office.stop("ada", reason: "again") }
    #expect(failure?.description.contains("ada has no invitation of a device") == true)
  }

  @Test("Each key is shown with the key that let it in, and with the key that removed it")
  func origins() throws {
    var account = AccountRow()
    let (first, second, third) = (try Self.key("1"), try Self.key("2"), try Self.key("3"))
    account.keys = [
      .init(key: first, addedAt: Self.at, revokedAt: Self.at, remover: third),
      .init(key: second, addedAt: Self.at, revokedAt: Self.at, origin: .invitation(by: first)),
      .init(key: third, addedAt: Self.at, revokedAt: nil, origin: .recovery),
    ]
    let found = try Self.lookup(account).find("ada")
    let at = Self.at
    #expect(
      found.text.contains("\(first), added \(at) by registration, revoked \(at) by \(third)\n"))
    #expect(
      found.text.contains("\(second), added \(at) by \(first), revoked \(at) by an operator\n"))
    #expect(found.text.contains("\(third), added \(at) by a recovery"))
    let json = try found.json()
    #expect(json.contains(#""inviter":"\#(first)","key":"\#(second)","origin":"invitation""#))
    #expect(json.contains(#""origin":"registration","remover":"\#(third)""#))
  }

  @Test("A revoked key is told with its player, the keys that are left, and the words")
  func revoked() throws {
    var acts: [ActRow] = []
    let (first, second) = (try Self.key("1"), try Self.key("5"))
    func office(_ account: AccountRow) -> KeyRevoker {
      var lookup = Self.lookup(account)
      var (reader, store) = (lookup.reader, lookup.store)
      reader.ownersAndMatches.answer { keys, _ in
        let owner = KeyOwner(player: PlayerID(rawValue: 2), name: PlayerName("Ada")!)
        return (Self.at, keys == [first] ? [first: owner] : [:], [])
      }
      store.revokeKey.answer { key, act in
        #expect(key == first)
        acts.append(act)
        return true
      }
      lookup = PlayerLookup(reader: reader, store: store)
      return KeyRevoker(lookup: lookup, operator: "olga")
    }
    var account = AccountRow()
    account.keys = [.init(key: first, addedAt: Self.at, revokedAt: nil)]
    // The last key of a player without words.
    let refused = #expect(throws: OperatorFailure.self) {
      try office(account).revoke(first, reason: "stolen")
    }
    #expect(refused?.description.contains("the only key of Ada, and Ada has no words") == true)
    #expect(refused?.description.contains("--last") == true && acts == [])
    let last = try office(account).revoke(first, reason: "stolen", last: true)
    #expect(last.text.contains("No other key speaks for Ada.\nAda has no words."))
    #expect(acts.map(\.detail) == ["\(first) of \(PlayerID(rawValue: 2)) by olga: stolen"])
    // A key that was revoked before is no key that is left.
    account.keys.append(.init(key: second, addedAt: Self.at, revokedAt: Self.at))
    #expect(throws: OperatorFailure.self) { try office(account).revoke(first, reason: "stolen") }
    account.keys[1].revokedAt = nil
    let other = try office(account).revoke(first, reason: "stolen")
    #expect(other.left == [second] && other.text.contains("still speak for Ada: \(second)."))
    account.keys.removeLast()
    account.recovery = .init(key: try Self.key("2"))
    let words = try office(account).revoke(first, reason: "stolen")
    #expect(words.text.contains("Ada has words, and can recover by them."))
    #expect(try words.json().contains(#""name":"Ada""#))
    let unknown = #expect(throws: OperatorFailure.self) {
      try office(account).revoke(second, reason: "stolen")
    }
    #expect(unknown?.exitCode == 3)
  }
}
