import Conformance
import LibPQ
import MatchInterfaces
import Testing

@testable import MatchStoreLive

@Suite("Meanings of PostgreSQL's errors for the store's caller")
struct ErrorTests {
  enum Meaning: Sendable {
    case conflict, duplicate, unavailable, failed, rejected, damaged, unusable
  }

  private func meaning(_ error: StoreError) -> Meaning {
    switch error {
    case .conflict: .conflict
    case .duplicate: .duplicate
    case .unavailable: .unavailable
    case .failed: .failed
    case .rejected: .rejected
    case .damaged: .damaged
    case .unusable: .unusable
    }
  }

  @Test(
    "By SQLSTATE",
    arguments: [
      ("40001", Meaning.conflict), ("40P01", .conflict), ("55P03", .conflict),
      ("57014", .failed), ("23505", .duplicate), ("CB001", .conflict),
      ("57P01", .unavailable), ("57P02", .unavailable), ("57P03", .unavailable),
      ("08006", .unavailable), ("53300", .unavailable), ("53100", .unavailable),
      ("53200", .failed),
      ("25006", .unavailable), ("25P03", .unavailable), ("57P05", .unavailable),
      ("P0001", .failed), ("XX000", .failed), ("XX001", .failed),
      ("22P02", .rejected), ("22003", .rejected), ("23502", .rejected), ("23503", .rejected),
      ("23514", .rejected), ("54000", .rejected),
      ("42P01", .unusable), ("42703", .unusable), ("42501", .unusable), ("26000", .unusable),
      ("0A000", .unusable),
    ])
  func byState(state: String, expected: Meaning) {
    let error = PostgreSQLError(.server, "test", sqlState: SQLState(rawValue: state))
    #expect(meaning(StoreError(error)) == expected)
  }

  @Test(
    "By the codes of this side",
    arguments: [
      (PostgreSQLError.Code.connectionLost, Meaning.unavailable), (.closed, .unavailable),
      (.timedOut, .unavailable), (.connectFailed, .unavailable), (.wrongServer, .unavailable),
      (.typeMismatch, .unusable), (.malformedValue, .unusable), (.misuse, .unusable),
    ])
  func byCode(code: PostgreSQLError.Code, expected: Meaning) {
    #expect(meaning(StoreError(PostgreSQLError(code, "test"))) == expected)
  }

  @Test("A missing table is unusable, and the connection goes on")
  func missingTable() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let worker = WorkerStore.live(connection)
      try connection.query("ALTER TABLE queue_clocks RENAME TO other")
      #expect(try storeError { _ = try worker.queueClocks() }.isUnusable)
      try connection.query("ALTER TABLE other RENAME TO queue_clocks")
      #expect(try worker.queueClocks() == [:])
    }
  }

  @Test("A server that only reads is unavailable, and its connection is closed")
  func readOnly() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let worker = WorkerStore.live(connection)
      try connection.query("SET default_transaction_read_only = on")
      #expect(try storeError { _ = try worker.heartbeat(WorkerID(rawValue: 1)) }.isUnavailable)
      #expect(!connection.isOpen)
      #expect(try storeError { _ = try worker.heartbeat(WorkerID(rawValue: 1)) }.isUnavailable)
    }
  }
}
