import CustomDump
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import Testing

@testable import cubistd

@Suite("An operator's work")
struct OperatorWorkTests {
  @Test("A registration code is eight characters that no one mistakes for others")
  func codeCharacters() {
    #expect(RegistrationCodes.code(of: 0)?.text == "00000000")
    #expect(RegistrationCodes.code(of: .max)?.text == "ZZZZZZZZ")
    #expect(RegistrationCodes.code(of: 31 << 5)?.text == "0Z000000")
  }

  @Test("A registration code that exists is left out and another one made")
  func codeConflict() throws {
    var store = OperatorStore.failing
    var offered: [String] = []
    store.createCode.answer { code throws(StoreError) in
      offered.append(code.text)
      if offered.count == 1 { throw .conflict("it exists") }
    }
    let numbers = Counter([1, 2, 3])
    let codes = try RegistrationCodes.make(2, in: store, randomness: numbers.randomness)
    #expect(offered == ["10000000", "20000000", "30000000"])
    #expect(codes.map(\.text) == ["20000000", "30000000"])
  }

  // Failure: OperatorStore.createCode: The command prints the codes that it has made.
  @Test("A store that is gone while codes are made is told, and nothing more is tried")
  func codeStoreGone() {
    var store = OperatorStore.failing
    var calls = 0
    store.createCode.answer { _ throws(StoreError) in
      calls += 1
      throw .unavailable("gone")
    }
    #expect(throws: StoreError.unavailable("gone")) {
      _ = try RegistrationCodes.make(2, in: store, randomness: .noop)
    }
    #expect(calls == 1)
  }

  @Test("The change of a word's visibility is said, and in JSON")
  func hiddenWords() throws {
    let words = ["rude", "Nice"].compactMap { HiddenWord($0) }
    var store = OperatorStore.failing
    store.setWord.answer { word, _, name in name == "olga" && word.word == "RUDE" }
    let results = try HiddenWords.set(words, isHidden: true, in: store, by: "olga")
    #expect(
      HiddenWords.text(results, isHidden: true)
        == "RUDE is hidden now.\nNICE was hidden already.")
    #expect(
      HiddenWords.text(results, isHidden: false)
        == "RUDE is shown again.\nNICE was not hidden.")
    #expect(
      try HiddenWords.json([results[0]], isHidden: true)
        == #"{"schema":"cubistd.words/1","words":[{"isChanged":true,"isHidden":true,"#
        + #""language":"en","word":"RUDE"}]}"# + "\n")
    let row = HiddenWordRow(word: words[0], hiddenAt: Instant(microseconds: 0))
    expectNoDifference(
      HiddenWords.text([row]),
      """
      language  word  hidden
      en        RUDE  1970-01-01T00:00:00.000Z
      """)
    #expect(try HiddenWords.json([row]).contains(#""hiddenAt":"1970-01-01T00:00:00.000Z""#))
    for wrong in ["", "AB", "TW0", "A B C", "STRASSE\u{df}"] { #expect(HiddenWord(wrong) == nil) }
  }

  // Failure: OperatorStore.setWord: The command reports it and tries nothing more.
  @Test("A store that is gone while words are hidden is told, and nothing more is tried")
  func wordStoreGone() {
    var store = OperatorStore.failing
    var calls = 0
    store.setWord.answer { _, _, _ throws(StoreError) in
      calls += 1
      throw .unavailable("gone")
    }
    #expect(throws: StoreError.unavailable("gone")) {
      _ = try HiddenWords.set(
        ["RUDE", "WORD"].compactMap { HiddenWord($0) }, isHidden: true, in: store)
    }
    #expect(calls == 1)
  }

  @Test("A dead letter is shown with its signed content, harmless to a terminal")
  func deadLetter() throws {
    let signed = SignedPayload(
      key: try #require(PublicKey(bytes: Array(repeating: 7, count: 32))),
      signature: Array(repeating: 1, count: 64), payload: Array("{\"a\":\"\u{1b}[2J\"}".utf8))
    let row = DeadEventRow(
      id: DeadEventID(rawValue: 5), at: Instant(microseconds: 0),
      event: DeadEvent(
        queue: 3, player: PlayerID(rawValue: 1), event: EventID(rawValue: 2),
        reason: "store refuses\nthe data", body: Envelope.encode(signed)))
    var facts = DeadLetterOperations.Facts()
    facts.reply = "accepted"
    facts.obstacle = "it would be refused now: eventTooOld"
    facts.acts = [
      ActRow(at: Instant(microseconds: 1_000_000), act: "dead letter retried", detail: "by ada")
    ]
    expectNoDifference(
      DeadLetterText.text(.event(row), facts),
      """
      id       00000000-0000-0000-0000-000000000005
      at       1970-01-01T00:00:00.000Z
      queue    cubist.slots.03
      what     unreadable
      player   00000000-0000-0000-0000-000000000001
      event    00000000-0000-0000-0000-000000000002
      reason   store refuses\u{fffd}the data
      reply    accepted
      note     it would be refused now: eventTooOld
      tried    1970-01-01T00:00:01.000Z dead letter retried: by ada
      payload  {"a":"\u{fffd}[2J"}
      """)
    let json = try DeadLetterText.json([.event(row)], facts)
    #expect(json.contains(#""reason":"store refuses\nthe data""#))
    #expect(json.contains(#""schema":"cubistd.dead-letters/2""#))
    #expect(json.contains(#""tried":[{"act":"dead letter retried""#))
  }

  @Test("A message that is no envelope is shown in hexadecimal, with its deaths")
  func deadMessage() throws {
    let letter = DeadLetter(
      tag: 1, body: [0, 0xff],
      deaths: [
        DeadLetter.Death(
          queue: "cubist.events.03", reason: "delivery_limit", count: 2,
          at: Instant(microseconds: 0), routingKey: "17")
      ])
    let shown = DeadLetterOperations.Letter.message(letter)
    expectNoDifference(
      DeadLetterText.text(shown, DeadLetterOperations.Facts()),
      """
      id       \(letter.id)
      at       1970-01-01T00:00:00.000Z
      queue    cubist.events.03
      what     unreadable
      reason   delivery_limit
      death    1970-01-01T00:00:00.000Z delivery_limit in cubist.events.03, 2 times
      payload  2 bytes that are no envelope: 00ff
      """)
    expectNoDifference(
      DeadLetterText.list([shown]),
      """
      id                                    at                        queue             what        \
      player  reason
      \(letter.id)  1970-01-01T00:00:00.000Z  cubist.events.03  unreadable  -       delivery_limit
      """)
    #expect(shown.destination == Slot(number: 17).map { .events($0) })
    let elsewhere = DeadLetter(tag: 1, body: [0, 0xff], deaths: [])
    #expect(DeadLetterOperations.Letter.message(elsewhere).destination == nil)
    #expect(elsewhere.id == letter.id)
  }

  /// A check of one match that cannot be read at the first so many looks, and is gone after them.
  /// - Parameters:
  ///   - owed: Push jobs that are noted and nowhere else.
  ///   - noneWaits: Whether no job waits in a queue, for one question after another.
  private func check(
    badLooks: Int = 0, owed: [PushJob] = [], noneWaits: [Bool] = [true]
  ) throws -> (result: LiveCheck.Result, pauses: Int) {
    let id = MatchID(rawValue: 9)
    let (looks, pauses, questions) = (Counter([]), Counter([]), Counter([]))
    let now = Instant(microseconds: 1_790_000_000_000_000)
    let keys = try ServiceKeyFile.create(now: now, randomness: .live).keys
    var check = LiveCheck(
      identity: try keys.identity(),
      connect: { () throws(OperatorFailure) in
        var store = CheckStore.failing
        store.matches.answer { after, _ in after.map { $0 < id } ?? true ? [id] : [] }
        store.count.answer { _ in 1 }
        store.orphans.answer { _, _ in [] }
        store.stored.answer { _ in
          looks.count()
          guard looks.counted <= badLooks else { return [:] }
          return [
            id: StoredMatch(
              version: 1, state: nil, record: [], turn: nil, deadline: nil,
              listing: StoredListing(), jobs: [])
          ]
        }
        store.existing.answer { _ in [] }
        store.replies.answer { _ in [:] }
        store.handled.answer { _, _ in [] }
        store.recoveries.answer { _, _ in [] }
        store.jobs.answer { _, _ in [] }
        store.owedJobs.answer { _, after, _ in after == nil ? owed : [] }
        store.knownJobs.answer { _ in [] }
        store.players.answer { _, _ in [] }
        store.keys.answer { _, _ in [] }
        store.gone.answer { _, _ in [] }
        store.owners.answer { _ in [:] }
        store.now.answer { now }
        return store
      },
      noJobWaits: {
        questions.count()
        return .told(noneWaits[min(questions.counted, noneWaits.count) - 1])
      })
    check.clock = WallClock(
      now: { now }, uptimeNanoseconds: { 0 }, sleep: { _ in pauses.count() })
    return (try check.run(after: nil), pauses.counted)
  }

  @Test("A fault seen only during a write is not told")
  func passing() throws {
    let (result, pauses) = try check(badLooks: 1)
    #expect(result.violations == [])
    #expect(result.isComplete)
    #expect(result.matchCount == 1)
    #expect(pauses == 1)
  }

  @Test("A fault at every look is told")
  func standing() throws {
    let (result, pauses) = try check(badLooks: .max)
    #expect(result.violations.map(\.match) == [MatchID(rawValue: 9)])
    #expect(pauses == LiveCheck.looks - 1)
  }

  @Test("A push job that may have come into a queue during the check is not missing")
  func jobsInQueues() throws {
    let owed = PushJob(
      id: PushJobID(rawValue: 1), kind: .digest, player: PlayerID(rawValue: 5))
    let lost = try check(owed: [owed], noneWaits: [true])
    #expect(lost.result.jobViolations.map(\.job) == [owed])
    #expect(lost.pauses == LiveCheck.looks - 1)
    // It waits there at the second look, and once more after it.
    for noneWaits in [[true, false], [true, false, true]] {
      let (result, pauses) = try check(owed: [owed], noneWaits: noneWaits)
      #expect(result.jobViolations == [] && result.isComplete)
      #expect(result.noJobWaits == .told(false))
      #expect(pauses == 1)
    }
    #expect(try check(owed: [owed], noneWaits: [false]).result.jobViolations == [])
  }
}
