import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The working key's certificate, judged by the store's clock")
struct WorkingKeyTests {
  static let end = Instant.noon.adding(seconds: 10)
  let given = Given.playing

  /// A worker with a certificate that ends ten seconds after noon.
  private func lab(at now: Instant) throws -> WorkerLab {
    let lab = WorkerLab(.lookUp, .commit, .abandon, .acknowledge, .publish, .heartbeats)
    lab.identity = .test.renewed(until: Self.end)
    lab.known.now = now
    lab.know(given.match)
    try lab.settleIn()
    return lab
  }

  @Test("A worker with an expired certificate commits, acknowledges and tells nothing")
  func workerStops() throws {
    let lab = try lab(at: Self.end)
    lab.deliver(TestPlayer.ann.event(given.turn()), by: .ann)
    let failure = ServiceKeyError.noCertificate(lab.identity.signer.publicKey, at: Self.end)
    #expect(throws: Interruption.keys(failure)) { try lab.step() }
    #expect(lab.names == ["lookUp", "abandon"])
  }

  // Failure: ServiceKeyError.noCertificate
  @Test("A batch is judged and signed up to the last microsecond, and not from the next one on")
  func lastMoment() throws {
    for offset in [-1_000_000, -1, 0, 1, 1_000_000] as [Int64] {
      let lab = try lab(at: Self.end.adding(microseconds: offset))
      lab.deliver(TestPlayer.bob.event(.matchForfeited(given.match.id)), by: .bob)
      do { try lab.step() } catch {
        #expect(offset >= 0, "\(error)")
      }
      #expect(lab.writes.count == (offset < 0 ? 1 : 0), "\(offset)")
      let signed = lab.writes.flatMap(\.changes).flatMap(\.entries).filter {
        $0.signed.key == lab.identity.signer.publicKey
      }
      #expect(signed.isEmpty == (offset >= 0))
      for entry in signed {
        #expect(lab.identity.isWorkingKey(entry.signed.key, at: entry.acceptedAt))
      }
    }
  }

  @Test(
    "An entry that the queue's time puts after the end is not signed, though the clock was set back"
  )
  func queueAhead() throws {
    for ahead in [-1, 0, 1] as [Int64] {
      let lab = try lab(at: Self.end.adding(seconds: -5))
      let queue = lab.queue(of: TestPlayer.ann.event(given.turn()))
      // The tick was signed before the database's clock was set back.
      let tick = ServiceIdentity.test.body(
        .ticked(queue: queue, time: Self.end.adding(microseconds: ahead)))
      lab.arriving.append(lab.delivery(tick, queue: queue))
      lab.deliver(TestPlayer.ann.event(given.turn()), by: .ann)
      try? lab.step()
      #expect(lab.writes.count == (ahead < 0 ? 1 : 0), "\(ahead)")
    }
  }

  /// Whether a worker with an identity accepts a tick that another working key has signed, when the
  /// store knows certificates.
  private func counts(
    _ tick: ServiceIdentity, with own: ServiceIdentity, stored: [KeyCertificate], at now: Instant
  ) throws -> (counts: Bool, lookups: [Lookup]) {
    let lab = WorkerLab(.lookUp, .commit, .abandon, .acknowledge, .publish, .heartbeats)
    lab.identity = own
    lab.known.now = now
    lab.known.certificates = stored
    try lab.settleIn()
    for number in 1...2 {
      let time = now.adding(seconds: Int64(number) - 2)
      lab.arriving.append(lab.delivery(tick.body(.ticked(queue: 3, time: time)), queue: 3))
      try lab.step()
    }
    #expect(lab.names.filter { $0.hasPrefix("acknowledge") }.count == 2)
    return (lab.writes.contains { $0.clocks[3]?.after.time == now }, lab.lookups)
  }

  @Test("A renewed key's signatures count for a worker with the former one, and the reverse")
  func mixture() throws {
    let former = ServiceIdentity.test
    let renewed = former.renewed(until: .noon.adding(seconds: 86_400))
    let stored = renewed.certificates
    // The worker's key file is still the old one: the store knows the certificate. It is asked
    // once.
    let old = try counts(renewed, with: former, stored: stored, at: .noon)
    #expect(old.counts)
    #expect(old.lookups.map(\.certificates) == [true])
    let new = try counts(former, with: renewed, stored: stored, at: .noon)
    #expect(new.counts)
    #expect(new.lookups.allSatisfy { !$0.certificates })
    let late = try #require(renewed.certificates.first).validUntil
    let longer = former.renewed(until: late.adding(seconds: 86_400))
    #expect(try !counts(former, with: longer, stored: [], at: late).counts, "it has run out")
  }

  @Test(
    "A key without the root key's certificate is none of the service's, though the store has it")
  func forgedCertificate() throws {
    let renewed = ServiceIdentity.test.renewed(until: .noon.adding(seconds: 86_400))
    #expect(try !counts(renewed, with: .test, stored: [], at: .noon).counts)
    var forged = try #require(renewed.certificates.last)
    forged.validUntil = forged.validUntil.adding(seconds: 1)
    #expect(try !counts(renewed, with: .test, stored: [forged], at: .noon).counts)
    var garbled = try #require(renewed.certificates.last)
    garbled.signature = []
    #expect(try !counts(renewed, with: .test, stored: [garbled], at: .noon).counts)
  }

  // Failure: ReaderStore.certificates: The reader answers `unavailable` to a query for a record
  //   that a newer working key signed.
  @Test("A record that a newer working key has signed is handed out with its certificate")
  func record() throws {
    let renewed = ServiceIdentity.test.renewed(until: .noon.adding(seconds: 86_400))
    let lab = ReaderLab()
    lab.expectOwner()
    lab.expectMatches(Given.ended(signedBy: renewed))
    lab.store.certificates.answer { renewed.certificates }
    lab.ask(.record(.init(Given.ended.match.id)))
    try lab.step()
    let answer = try lab.answer(as: RecordAnswer.self)
    let report = try RecordVerifier(lexicons: .test).report(on: Array(answer.record.utf8))
    #expect(report.isVerified, "\(String(describing: report.game.fault))")
    #expect(report.document.certificates.map(\.workingKey) == [renewed.signer.publicKey])
  }

  @Test("A scheduler with an expired certificate publishes nothing")
  func schedulerStops() throws {
    let lab = SchedulerLab()
    lab.identity = .test.renewed(until: Self.end)
    lab.now = Self.end.adding(seconds: -1)
    try lab.second()
    #expect(lab.published.count > 0)
    lab.forget()
    #expect(throws: Interruption.self) { try lab.second() }
    #expect(lab.published.isEmpty)
  }
}
