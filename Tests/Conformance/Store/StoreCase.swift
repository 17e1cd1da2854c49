import MatchCore
package import MatchInterfaces
package import Testing

/// A requirement for every match store, live or simulated: each case runs on an empty store of its
/// own.
package struct StoreCase: CustomTestStringConvertible, Sendable {
  package var testDescription: String
  /// Runs the case.
  package var run: @Sendable (StoreSet) throws -> Void

  init(_ description: String, _ run: @escaping @Sendable (StoreSet) throws -> Void) {
    testDescription = description
    self.run = run
  }

  /// All of them.
  package static let all =
    answering + playing + claims + meetings + crowding + pairing + guarding + revoking + keys
    + recoveries + departures + accounts
    + atomicity
    + roles
    + rating + ranking + players + devices + overviews + reminders + nudges + localTime + holding
    + checking
    + breaking + oldGames
}

/// Checks that rows, records and states of all matches agree.
package func checkAgreement(_ stores: StoreSet) throws {
  let ids = try stores.check.matches(nil, 1_000)
  let stored = try stores.check.stored(ids)
  #expect(stored.count == ids.count)
  for (id, match) in stored {
    let state = try #require(match.state)
    #expect(state.id == id)
    #expect(match.version == state.version)
    #expect(match.listing == StoredListing(of: state))
    #expect(match.staleBoards == [])
    #expect(match.record.count == state.entryCount)
    #expect(match.record.last?.hash == state.head)
    #expect(match.turn == (state.outcome == nil ? state.turnNumber : nil))
    #expect(match.deadline == state.deadline?.at)
    if match.rating.results.isEmpty {
      #expect(match.rating.waiting == state.rated)
    } else {
      #expect(match.rating.waiting == nil)
    }
  }
}

/// The error that `body` throws.
package func storeError(
  _ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) throws -> StoreError {
  try #require(throws: StoreError.self, sourceLocation: sourceLocation) { try body() }
}

extension StoreError {
  package var isDuplicate: Bool { if case .duplicate = self { true } else { false } }
  package var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
  package var isFailed: Bool { if case .failed = self { true } else { false } }
  package var isRejected: Bool { if case .rejected = self { true } else { false } }
  package var isUnusable: Bool { if case .unusable = self { true } else { false } }
}
