import InMemoryLogging
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import Synchronization
import Testing

@testable import MatchService

@Suite("The keys of a running process")
struct KeyRingTests {
  /// A key file, which may be faulty, and the ring that reads it.
  private final class Lab: Sendable {
    let file: Mutex<Result<ServiceKeyFile, ServiceKeyError>>
    let root: RootKeyFile
    let keys: ServiceKeyFile
    let time = Mutex((now: Instant.noon, uptime: UInt64(0)))
    let logs = InMemoryLogHandler()

    init() throws {
      (keys, root) = try ServiceKeyFile.create(
        now: .noon, randomness: TestRandomness().randomness)
      file = Mutex(.success(keys))
    }

    func ring() throws -> KeyRing {
      let clock = WallClock(
        now: { self.time.withLock { $0.now } },
        uptimeNanoseconds: { self.time.withLock { $0.uptime } }, sleep: { _ in })
      let log = Logger(label: "test") { [logs] _ in logs }
      return try KeyRing(clock: clock, log: log) { () throws(ServiceKeyError) in
        try self.file.withLock { $0 }.get()
      }
    }

    func pass(seconds: Int64) {
      time.withLock { time in
        time.now = time.now.adding(seconds: seconds)
        time.uptime += UInt64(seconds) * 1_000_000_000
      }
    }

    func renewed(validSeconds: Int64 = ServiceKeyFile.standardValidity) throws -> ServiceKeyFile {
      var renewed = keys
      try renewed.renew(
        root: root, now: time.withLock { $0.now }, validSeconds: validSeconds, randomness: .live)
      return renewed
    }

    var messages: [String] { logs.entries.map { "\($0.message)" } }
  }

  @Test("A renewal is taken up within seconds, once, and told")
  func renewal() throws {
    let lab = try Lab()
    let ring = try lab.ring()
    #expect(ring.generation() == 0)
    let former = ring.identity
    let renewed = try lab.renewed()
    lab.file.withLock { $0 = .success(renewed) }
    #expect(ring.generation() == 0, "it has just been looked at")
    lab.pass(seconds: 5)
    #expect(ring.generation() == 1)
    #expect(ring.identity.signer.publicKey != former.signer.publicKey)
    #expect(ring.identity.isWorkingKey(former.signer.publicKey, at: .noon))
    lab.pass(seconds: 5)
    #expect(ring.generation() == 1)
    #expect(lab.messages == ["keys taken up"])
  }

  @Test("A file that is gone, damaged or another service's changes nothing, and is told once")
  func badFile() throws {
    let lab = try Lab()
    let ring = try lab.ring()
    let other = try ServiceKeyFile.create(now: .noon, randomness: .live).keys
    var damaged = lab.keys
    damaged.secret = "zz"
    let key = ring.identity.signer.publicKey
    for file in [
      .failure(.file(path: "/keys", reason: "gone")), .success(damaged), .success(other),
    ] as [Result<ServiceKeyFile, ServiceKeyError>] {
      lab.file.withLock { $0 = file }
      for _ in 0..<3 {
        lab.pass(seconds: 5)
        #expect(ring.generation() == 0)
      }
      #expect(ring.identity.signer.publicKey == key)
    }
    #expect(lab.messages.count == 3)
    let renewed = try lab.renewed()
    lab.file.withLock { $0 = .success(renewed) }
    lab.pass(seconds: 5)
    #expect(ring.generation() == 1)
  }

  @Test("An expiring certificate is warned of once a day from sixty days before, until renewed")
  func daily() throws {
    let lab = try Lab()
    let short = try lab.renewed(validSeconds: 62 * 86_400)
    lab.file.withLock { $0 = .success(short) }
    let ring = try lab.ring()
    for _ in 0..<3 * 24 {
      _ = ring.generation()
      lab.pass(seconds: 3_600)
    }
    // The third day is the first one within sixty.
    #expect(lab.messages == ["the working key has to be renewed"])
    for _ in 0..<3 * 24 {
      _ = ring.generation()
      lab.pass(seconds: 3_600)
    }
    #expect(lab.messages.count == 4)
    #expect(lab.logs.entries.allSatisfy { "\($0.metadata)".contains("--renew") })
    let renewed = try lab.renewed()
    lab.file.withLock { $0 = .success(renewed) }
    for _ in 0..<3 * 24 {
      lab.pass(seconds: 3_600)
      _ = ring.generation()
    }
    #expect(lab.messages.count == 5)
    #expect(lab.messages.last == "keys taken up")
  }
}
