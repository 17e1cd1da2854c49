import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("The check of players who are gone")
struct GoneCheckTests {
  private let rows = (1...3).map { number in
    GonePlayer(
      player: PlayerID(rawValue: number), remains: number == 2 ? ["devices", "blocks"] : [])
  }

  private func store() -> CheckStore {
    var store = CheckStore.failing
    store.gone.answer { after, limit in
      Array(rows.filter { row in after.map { row.player > $0 } ?? true }.prefix(limit))
    }
    return store
  }

  @Test("A player who is gone and has rows is named, whatever the size of a page", arguments: 1...4)
  func remains(limit: Int) throws {
    var check = GoneCheck(store())
    var found: [RecoveryViolation] = []
    while !check.isDone { found += try check.next(limit: limit) }
    #expect(found.map(\.kind) == [.goneRemains])
    #expect(found.first?.player == PlayerID(rawValue: 2))
    #expect(found.first?.text.hasSuffix("devices, blocks") == true)
  }

  // Failure: CheckStore.gone: The check stops.
  @Test("A page of players who are gone that cannot be read is read again")
  func failing() throws {
    var store = store()
    let answer = store.gone
    var isBroken = true
    store.gone.answer { after, limit throws(StoreError) in
      if isBroken { throw .unavailable("away") }
      return try answer(after, limit)
    }
    var check = GoneCheck(store)
    #expect(throws: StoreError.self) { try check.next() }
    isBroken = false
    #expect(try check.next().count == 1)
  }
}
