import CustomDump
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import Testing

@testable import cubistd

@Suite("Looking matches up and ruling on them")
struct MatchOfficeTests {
  private static let ann = PlayerID(rawValue: 1)
  private static let bob = PlayerID(rawValue: 2)
  private static let id = MatchID(rawValue: 9)
  private static let now = Instant(microseconds: 1_790_000_000_000_000)

  /// A match that is played.
  private static func match(_ seats: [PlayerID?] = [ann, bob]) throws -> Match {
    let kind: Terms.Kind = seats.count == 1 ? .solo(.unlimited) : .random
    let deal = Deal(
      terms: Terms(kind: kind, turnLimitSeconds: nil, language: .english), rules: "cube-1",
      lexicon: "every-word", letters: String(repeating: "A", count: 81), seats: seats,
      predecessor: nil)
    let entry = Entry(
      position: 0, acceptedAt: now,
      signed: SignedPayload(
        key: try #require(PublicKey(bytes: Array(repeating: 7, count: 32))), signature: [],
        payload: []), hash: .zero)
    return try Match(id: id, deal: deal, requests: [], dealEntry: entry, deadline: nil)
  }

  private static func identity() throws -> ServiceIdentity {
    try ServiceKeyFile.create(now: now, randomness: .live).keys.identity()
  }

  private static let ruled = MatchID(askedBy: ann, event: EventID(rawValue: 7))

  /// The record of a match that ann has asked for, with these seats.
  private static func record(_ seats: [PlayerID?]) throws -> [Entry] {
    let request = MatchRequest(
      opponent: seats.count == 1 ? .nobody : .random, turnLimitSeconds: nil)
    let service = ServiceID(rawValue: 1)
    func asked(_ player: PlayerID) -> [UInt8] {
      PayloadCodec.encode(
        Event(
          service: service, id: EventID(rawValue: 7), player: player,
          action: .matchRequested(request)))
    }
    let deal = Deal(
      terms: request.terms, rules: "cube-1", lexicon: "every-word",
      letters: String(repeating: "A", count: 81), seats: seats.count == 1 ? [ann] : [ann, nil],
      predecessor: nil)
    var payloads = [
      asked(ann), PayloadCodec.encode(.matchDealt(deal), match: ruled, service: service),
    ]
    if seats.count == 2, let other = seats[1] {
      let filled = Statement.seatFilled(seat: 1, player: other)
      payloads += [asked(other), PayloadCodec.encode(filled, match: ruled, service: service)]
    }
    let key = try #require(PublicKey(bytes: Array(repeating: 7, count: 32)))
    var record: [Entry] = []
    for payload in payloads {
      record.append(
        Entry(
          after: record.last?.hash ?? .zero, position: record.count, acceptedAt: now,
          signed: SignedPayload(
            key: key, signature: Array(repeating: 0, count: 64), payload: payload)))
    }
    return record
  }

  /// Over a store with one match; nil: none.
  private static func office(
    _ seats: [PlayerID?]?, damaging damage: (inout StoredMatch) -> Void = { _ in }
  ) throws -> MatchOperations {
    var stored: StoredMatch?
    if let seats {
      var match = StoredMatch(
        version: 3, state: nil, record: try record(seats), turn: 1, deadline: nil,
        listing: .init(), jobs: [])
      match.state = match.reading(ruled).match
      damage(&match)
      stored = match
    }
    var check = CheckStore.failing
    check.stored.answer { [stored] _ in stored.map { [ruled: $0] } ?? [:] }
    check.existing.answer { _ in [] }
    check.now.answer { now }
    var reader = ReaderStore.failing
    reader.players.answer { _ in [:] }
    return MatchOperations(check: check, reader: reader)
  }

  private static func means(
    _ store: OperatorStore = .noop,
    publish: @escaping (_ body: [UInt8], Slot) throws(BusError) -> Void
  ) throws -> MatchOperations.Means {
    MatchOperations.Means(
      store: store, publish: publish, identity: try identity(), clock: .noop, randomness: .noop,
      operator: "olga")
  }

  @Test("A match that does not exist is not found, and one that cannot be ruled says why")
  func obstacles() throws {
    let means = try Self.means { _, _ in Issue.record("published") }
    func failure(_ seats: [PlayerID?]?, _ verdict: Ruling.Verdict) throws -> OperatorFailure {
      try #require(
        #expect(throws: OperatorFailure.self) {
          _ = try Self.office(seats).rule(Ruling(verdict, for: .fault), on: Self.ruled, means)
        })
    }
    #expect(try failure(nil, .ended).exitCode == 3)
    let waiting = try failure([Self.ann, nil], .ended)
    #expect(waiting.exitCode == 1)
    #expect(waiting.description.contains("waits for a player"))
    let solo = try failure([Self.ann], .annulled)
    #expect(solo.description.contains("one seat"))
  }

  @Test("A match whose state was changed is not ruled: a rebuild mends it first")
  func changedState() throws {
    let office = try Self.office([Self.ann, Self.bob]) { match in
      match.state = nil
      match.isStateChanged = true
    }
    #expect(try office.find(Self.ruled).text.contains("cubistd rebuild --match"))
    let means = try Self.means { _, _ in Issue.record("published") }
    let failure = #expect(throws: OperatorFailure.self) {
      _ = try office.rule(Ruling(.ended, for: .fault), on: Self.ruled, means)
    }
    #expect(try #require(failure).description.contains("cubistd rebuild --match \(Self.ruled)"))
  }

  /// What is left of a match that is damaged.
  enum Damage: CaseIterable {
    /// The state, and the beginning of the record.
    case end
    /// Only the rows by which it is found.
    case everything
    /// The state alone says what the record does not.
    case record
  }

  // Failure: OperatorStore.annulDamaged: Nothing is changed.
  @Test(
    "A damaged match is annulled without its queue, whatever is left of it, and its players are told",
    arguments: Damage.allCases, Ruling.Verdict.allCases)
  func damaged(_ damage: Damage, _ verdict: Ruling.Verdict) throws {
    let office = try Self.office([Self.ann, Self.bob]) { match in
      match.listing.seats = Set(
        [Self.ann, Self.bob].enumerated().map {
          .init(seat: $0.offset, player: $0.element, isInvited: false, isOver: false)
        })
      match.record[damage == .everything ? 0 : 3].signed.payload[0] ^= 1
      if damage != .record { match.state = nil }
    }
    let found = try office.find(Self.ruled)
    #expect(found.damage?.contains("does not hold") == true)
    #expect(found.text.contains("damaged"))
    #expect(try found.json().contains(#""damaged":"its record does not hold"#))
    var annulled: [(MatchRebuild, ActRow)] = []
    var store = OperatorStore.failing
    store.annulDamaged.answer { annulled.append(($0, $1)) }
    let means = try Self.means(store) { _, _ in Issue.record("published") }
    _ = try office.rule(Ruling(verdict, for: .fault), on: Self.ruled, means)
    let (rebuild, act) = try #require(annulled.first)
    #expect(annulled.count == 1)
    #expect(rebuild.match.version == 3)
    #expect(rebuild.match.outcome?.reason == .annulled)
    #expect(Set(rebuild.match.players).isSubset(of: [Self.ann, Self.bob]))
    #expect(rebuild.match.rated == nil)
    #expect(rebuild.missing.allSatisfy { $0.kind == .matchEnded && $0.match == Self.ruled })
    // The player whose seat is in the damaged entry is known from a row.
    #expect(
      Set(rebuild.missing.map(\.player)) == [Self.ann, Self.bob], "\(rebuild.missing)")
    #expect(act.act == "match annulled")
    #expect(act.detail.contains("because it was damaged") && act.detail.hasSuffix("by olga"))
    // It can be read from then on.
    let again = Match(id: Self.ruled, version: 4, encodedState: rebuild.match.encodedState())
    #expect(again?.outcome?.reason == .annulled)
    store.annulDamaged.fail(with: .unavailable("gone"))
    let gone = try Self.means(store) { _, _ in }
    #expect(throws: OperatorFailure.store(.unavailable("gone"))) {
      _ = try office.rule(Ruling(verdict, for: .fault), on: Self.ruled, gone)
    }
  }

  @Test("A damaged match is annulled once, and one that no row gives a player is told of")
  func damagedObstacles() throws {
    let means = try Self.means { _, _ in Issue.record("published") }
    func failure(_ damage: (inout StoredMatch) -> Void) throws -> String {
      let failure = #expect(throws: OperatorFailure.self) {
        _ = try Self.office([Self.ann, Self.bob], damaging: damage)
          .rule(Ruling(.annulled, for: .fault), on: Self.ruled, means)
      }
      return try #require(failure).description
    }
    #expect(
      try failure {
        $0.record[3].signed.payload[0] ^= 1
        $0.isAnnulledDamaged = true
      }.contains("annulled already"))
    #expect(
      try failure {
        $0.state = nil
        $0.record = []
      }.contains("no row says who plays it"))
  }

  @Test("A ruling is kept among the acts, then sent once to the match, signed by the service")
  func sent() throws {
    var acts: [ActRow] = []
    var sent: [([UInt8], Slot)] = []
    var store = OperatorStore.failing
    store.keepAct.answer { acts.append($0) }
    let means = try Self.means(store) { body, slot in
      #expect(acts.count == 1)
      sent.append((body, slot))
    }
    let failure = #expect(throws: OperatorFailure.self) {
      _ = try Self.office([Self.ann, Self.bob]).rule(
        Ruling(.annulled, for: .cheating), on: Self.ruled, means)
    }
    // Nobody judged it.
    #expect(try #require(failure).description.contains("not judged yet"))
    #expect(acts.map(\.act) == ["match annulled"])
    #expect(acts.map(\.detail) == ["\(Self.ruled) for cheating, by olga"])
    #expect(sent.count == 1)
    let (body, slot) = try #require(sent.first)
    #expect(slot == Slot(of: Self.ruled))
    let event = try PayloadCodec.decodeEvent(Envelope.decode(body).payload)
    #expect(event.action == .ruled(Self.ruled, Ruling(.annulled, for: .cheating)))
    #expect(event.player == means.identity.player)
  }

  @Test("Nothing is sent if the act cannot be kept; a broker that is gone is told")
  func unavailable() throws {
    var store = OperatorStore.failing
    store.keepAct.fail(with: .unavailable("gone"))
    let silent = try Self.means(store) { _, _ in Issue.record("published") }
    let ruling = Ruling(.ended, for: .fault)
    let office = try Self.office([Self.ann, Self.bob])
    #expect(throws: OperatorFailure.store(.unavailable("gone"))) {
      _ = try office.rule(ruling, on: Self.ruled, silent)
    }
    let cut = try Self.means { _, _ throws(BusError) in throw .disconnected("gone") }
    #expect(throws: OperatorFailure.broker(.disconnected("gone"))) {
      _ = try office.rule(ruling, on: Self.ruled, cut)
    }
  }

  @Test("How a match ended is said in words, by the players' names")
  func outcome() throws {
    var match = try Self.match()
    match.restore(version: 3, rematch: .init())
    let names = try [Self.ann: "ann", Self.bob: "bob"].mapValues { try #require(PlayerName($0)) }
    var found = MatchOperations.Found(
      match: match, entryCount: 1, ruling: nil, rating: .init(), names: names)
    #expect(found.text.contains("turn 1, of ann"))
    #expect(found.text.contains("ann \(Self.ann), 0 points in 0 turns"))
    #expect(found.text.contains("record  1 entry, version 3"))
    found.ruling = Ruling(.ended, for: .agreement)
    #expect(found.text.contains("ruling  ended as it stood: both players wanted it"))
    for reason in Outcome.Reason.allCases {
      let text = OutcomeText.reason(reason, who: "ann")
      #expect(text != reason.rawValue && text.contains(" "), "\(reason)")
    }
    #expect(OutcomeText.reason(.timedOut, who: "ann") == "the time of ann ran out")
    let row = PlayerLookup.Row(
      match: Self.id, stage: "ended", since: Self.now, opponent: "bob", end: (.won, .timeUp))
    #expect([row].text.hasSuffix("bob       won, time ran out"))
    #expect(try [row].json().contains(#""result":"won, timeUp""#))
  }

  @Test(
    "Spans are in their two greatest units, rounded up",
    arguments: [
      (0, "0 s"), (119, "119 s"), (120, "2 min"), (3_599, "1 h"), (86_400, "1 day"),
      (90_061, "1 day 2 h"), (604_800, "7 days"),
    ] as [(Int64, String)])
  func spans(seconds: Int64, text: String) {
    #expect(PlainText.span(seconds) == text)
  }

  @Test("The end of a match's id, as its players see it, finds the match among a player's")
  func shortIDs() throws {
    var reader = ReaderStore.failing
    reader.player.answer { name in
      ReaderStore.PlayerRow(id: Self.ann, name: name, registeredAt: Self.now)
    }
    reader.players.answer { _ in [:] }
    let match = try Self.match()
    let damaged = MatchID(rawValue: 0xdddd)
    reader.currentMatches.answer { _, _, _ in .init(matches: [match], damaged: [damaged]) }
    reader.pastGames.answer { _ in
      [0xfe9, 0xef2].map { id in
        ReaderStore.PastGameRow(
          match: MatchID(rawValue: id), terms: match.terms,
          game: .init(
            player: Self.ann, endedAt: Self.now, opponent: Self.bob, result: .won,
            reason: .finished, points: 1, opponentPoints: 0))
      }
    }
    let lookup = PlayerLookup(reader: reader, store: .failing)
    #expect(try lookup.match("dddd", of: "ann") == damaged)
    #expect(try lookup.matches(of: Self.ann, limit: 9).first?.stage == "damaged")
    #expect(try lookup.match("EF2", of: "ann") == MatchID(rawValue: 0xef2))
    #expect(try lookup.match("0009", of: "ann") == Self.id)
    #expect(try lookup.match("\(Self.id)", of: nil) == Self.id)
    // A damaged match is brought back by its end, too, and only that player's.
    #expect(try lookup.match("dddd", amongThoseOf: "ann") == damaged)
    #expect(try lookup.match("\(damaged)", amongThoseOf: "ann") == damaged)
    let foreign = MatchID(rawValue: 0xabc)
    #expect(try lookup.match("\(foreign)", amongThoseOf: nil) == foreign)
    #expect(throws: OperatorFailure.self) {
      try lookup.match("\(foreign)", amongThoseOf: "ann")
    }
    func failure(_ text: String, of player: String? = "ann") throws -> OperatorFailure {
      try #require(
        #expect(throws: OperatorFailure.self) { _ = try lookup.match(text, of: player) })
    }
    let several = try failure("9").description
    #expect(several.contains("\(Self.id)") && several.contains("\(MatchID(rawValue: 0xfe9))"))
    #expect(try failure("abc").exitCode == 3)
    #expect(try failure("ef2", of: nil).description.contains("--player NAME"))
    for wrong in ["", "x%", "\u{1b}[2J"] { #expect(try failure(wrong).exitCode == 2) }
  }

  // Failure: OperatorFailure.copy: The copy of the database that an option names cannot be opened or
  //   read. Nothing is changed.
  @Test("A copy that cannot be opened or read is blamed, not the settings' database")
  func copy() throws {
    let away = try #require(
      #expect(throws: OperatorFailure.self) {
        _ = try OperatorConnection.open(copy: "host=127.0.0.1 port=1 dbname=copy", as: "matches")
      })
    let failures: [(OperatorFailure, Int32)] = [
      (away, 69), (.copy(.databaseRefuses("no")), 77), (.copy(.databaseMissing("no copy")), 3),
      (.copy(.store(.unusable("no entries"))), 1), (.copy(.databasePooled("a pooler")), 64),
    ]
    for (failure, code) in failures {
      let text = failure.description
      #expect(failure.exitCode == code, "\(text)")
      #expect(text.contains("--from-database") && text.contains("copy"), "\(text)")
      #expect(!text.contains("CUBIST_DATABASE"), "\(text)")
    }
  }

  @Test("Figures are shown with their names")
  func figures() throws {
    var figures = ServiceFigures()
    figures.playerCount = 3
    (figures.matchCount, figures.currentMatchCount) = (7, 2)
    #expect(figures.text.hasPrefix("players                        3\n"))
    #expect(figures.text.contains("matches over                   5\n"))
    #expect(try figures.json().contains(#""endedMatches":5"#))
  }

  @Test("Operators' acts are a table and a list, and move no cursor")
  func acts() throws {
    let at = Instant(microseconds: 1_777_593_600_000_000)
    let acts = [
      ActRow(at: at, act: "key revoked", detail: "a\u{1b}b"),
      ActRow(at: at.adding(seconds: -1), act: "word hidden", detail: "en RUDE"),
    ]
    expectNoDifference(
      OperatorActs.text(acts),
      """
      at                        act          with
      \(acts[0].at)  key revoked  a\u{fffd}b
      \(acts[1].at)  word hidden  en RUDE
      """)
    #expect(OperatorActs.text([]) == "Nothing was done yet.")
    expectNoDifference(
      try OperatorActs.json([acts[1]]),
      #"{"acts":[{"act":"word hidden","at":"\#(acts[1].at)","detail":"en RUDE"}],"#
        + #""schema":"cubistd.acts/1"}"# + "\n")
  }
}
