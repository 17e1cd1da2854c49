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

  private static func office(_ match: Match?) -> MatchOperations {
    var check = CheckStore.failing
    check.stored.answer { ids in
      guard var match else { return [:] }
      match.restore(version: 3, rematch: .init())
      return [
        id: StoredMatch(
          version: 3, state: match, record: [], turn: 1, deadline: nil, listing: .init(), jobs: [])
      ]
    }
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
    func failure(_ match: Match?, _ verdict: Ruling.Verdict) throws -> OperatorFailure {
      try #require(
        #expect(throws: OperatorFailure.self) {
          _ = try Self.office(match).rule(Ruling(verdict, for: .fault), on: Self.id, means)
        })
    }
    #expect(try failure(nil, .ended).exitCode == 3)
    let waiting = try failure(try Self.match([Self.ann, nil]), .ended)
    #expect(waiting.exitCode == 1)
    #expect(waiting.description.contains("waits for a player"))
    let solo = try failure(try Self.match([Self.ann]), .annulled)
    #expect(solo.description.contains("one seat"))
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
      _ = try Self.office(try Self.match()).rule(
        Ruling(.annulled, for: .cheating), on: Self.id, means)
    }
    // Nobody judged it.
    #expect(try #require(failure).description.contains("not judged yet"))
    #expect(acts.map(\.act) == ["match annulled"])
    #expect(acts.map(\.detail) == ["\(Self.id) for cheating, by olga"])
    #expect(sent.count == 1)
    let (body, slot) = try #require(sent.first)
    #expect(slot == Slot(of: Self.id))
    let event = try PayloadCodec.decodeEvent(Envelope.decode(body).payload)
    #expect(event.action == .ruled(Self.id, Ruling(.annulled, for: .cheating)))
    #expect(event.player == means.identity.player)
  }

  @Test("Nothing is sent if the act cannot be kept; a broker that is gone is told")
  func unavailable() throws {
    var store = OperatorStore.failing
    store.keepAct.fail(with: .unavailable("gone"))
    let silent = try Self.means(store) { _, _ in Issue.record("published") }
    let ruling = Ruling(.ended, for: .fault)
    let office = Self.office(try Self.match())
    #expect(throws: OperatorFailure.store(.unavailable("gone"))) {
      _ = try office.rule(ruling, on: Self.id, silent)
    }
    let cut = try Self.means { _, _ throws(BusError) in throw .disconnected("gone") }
    #expect(throws: OperatorFailure.broker(.disconnected("gone"))) {
      _ = try office.rule(ruling, on: Self.id, cut)
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
    reader.currentMatches.answer { _, _, _ in .init(matches: [match]) }
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
    #expect(try lookup.match("EF2", of: "ann") == MatchID(rawValue: 0xef2))
    #expect(try lookup.match("0009", of: "ann") == Self.id)
    #expect(try lookup.match("\(Self.id)", of: nil) == Self.id)
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
