import Foundation
import MatchCore
import Testing

@testable import MatchWire

@Suite("Rows that are kept of a player")
struct AccountRowsTests {
  @Test("A page of few rows is the last one, a full one names the next place")
  func places() {
    let size = AccountSection.pageSize
    #expect(AccountRows(page: [], after: 5) == AccountRows(rows: []))
    #expect(AccountRows(page: ["{}"], after: 5) == AccountRows(rows: ["{}"]))
    let full = Array(repeating: "{}", count: size)
    #expect(AccountRows(page: full, after: 5) == AccountRows(rows: full, next: 5 + size))
    // There is no place beyond the last.
    #expect(AccountRows(page: full, after: 1_000_000).next == nil)
  }

  @Test("Pages of any rows have every row once, and each page has room in an answer")
  func bytes() throws {
    let wide = ["\"", "\\", "/", "a", "\u{e9}", "\u{1f642}"]
    // Lengths that have no order: 7,919 is a prime.
    let rows = (0..<500).map { number in
      String(repeating: wide[number % wide.count], count: number * 7_919 % 9_001)
    }
    var (found, place): ([String], Int?) = ([], 0)
    while let start = place {
      let page = AccountRows(
        page: Array(rows.dropFirst(start).prefix(AccountSection.pageSize)), after: start)
      #expect(AnswerCodec.encode(page, query: EventID(rawValue: 1)).count <= 131_072)
      #expect(!page.rows.isEmpty || start == rows.count)
      found += page.rows
      place = page.next
    }
    #expect(found == rows)
  }

  @Test("A row that is longer than all the room comes alone")
  func long() {
    let long = String(repeating: "a", count: AccountRows.byteLimit)
    let page = AccountRows(page: [long, "{}"], after: 0)
    #expect(page == AccountRows(rows: [long], next: 1))
  }
}
