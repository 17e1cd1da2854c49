import Conformance
import LibPQ
import MatchInterfaces
import MatchStoreLive
import Testing

@Suite("A key's revocation and the batches that are being written")
struct RevocationLockTests {
  @Test("A revocation waits for every batch that is being written")
  func waits() throws {
    try LiveStores.run { stores in
      let lab = StoreLab(.live(try stores.connect()))
      try lab.register(.ann)
      // A batch holds the keys' lock, shared, until it is committed.
      let batch = try stores.connect()
      try batch.script(
        "BEGIN; SELECT pg_advisory_xact_lock_shared(hashtextextended('cubist/keys', 0))")
      let row = ActRow(act: "key revoked", detail: "\(TestPlayer.ann.key)")
      let impatient = OperatorStore.live(
        try stores.connect { $0.lockTimeout = .milliseconds(200) })
      #expect(throws: StoreError.self) {
        try impatient.revokeKey(TestPlayer.ann.key, row)
      }
      try batch.script("COMMIT")
      #expect(try OperatorStore.live(stores.connect()).revokeKey(TestPlayer.ann.key, row))
    }
  }
}
