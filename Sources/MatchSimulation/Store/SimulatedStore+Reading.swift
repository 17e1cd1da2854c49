import MatchCore
import MatchInterfaces
import MatchWire

extension SimulatedStore {
  /// The store for the reader, over one connection.
  func reader(_ session: Session) -> ReaderStore {
    func reading<Value>(_ body: () -> Value) throws(StoreError) -> Value {
      try self.checkOpen(session)
      return body()
    }
    var store = ReaderStore.failing
    store.ownersAndMatches.answer { keys, ids throws(StoreError) in
      try reading {
        var owners: [PublicKey: KeyOwner] = [:]
        for key in keys { owners[key] = self.keys[key] }
        return (self.now, owners, ids.compactMap { self.matches[$0] })
      }
    }
    store.player.answer { name throws(StoreError) in
      try reading { self.names[name.key].flatMap(self.playerRow) }
    }
    store.players.answer { ids throws(StoreError) in
      try reading { self.playerRows(ids) }
    }
    store.matches.answer { ids throws(StoreError) in
      try reading { ids.compactMap { self.matches[$0] } }
    }
    store.entries.answer { id throws(StoreError) in try reading { self.entries[id] ?? [] } }
    store.recordAndPlayers.answer { id, players throws(StoreError) in
      try reading { (self.entries[id] ?? [], self.playerRows(players)) }
    }
    store.currentMatches.answer { player, matches, invitations throws(StoreError) in
      try reading { self.currentMatches(of: player, matches, invitations) }
    }
    store.rematchOffers.answer { player, limit throws(StoreError) in
      try reading { self.rematchOffers(of: player, limit) }
    }
    store.matchByCode.answer { code throws(StoreError) in try reading { self.codes[code] } }
    store.sharedMatch.answer { code throws(StoreError) in try reading { self.shares[code] } }
    store.pastGames.answer { question throws(StoreError) in try reading { self.pastGames(question) }
    }
    store.daily.answer { key throws(StoreError) in try reading { self.dailies[key]?.challenge } }
    store.ladder.answer { question throws(StoreError) in try reading { self.ladder(question) } }
    store.dailyResults.answer { key, asker, limit throws(StoreError) in
      try reading { self.dailyResults(key, asker, limit) }
    }
    store.dailyHistory.answer { player, day throws(StoreError) in
      try reading { self.dailyHistory(of: player, after: day) }
    }
    store.leaderboard.answer { board, asker, limit throws(StoreError) in
      try reading { self.leaderboard(board, asker, limit) }
    }
    store.tallies.answer { player, since, limit throws(StoreError) in
      try reading { self.tallies(of: player, since: since, limit: limit) }
    }
    store.settings.answer { player throws(StoreError) in
      try reading { self.settingsRow(of: player) }
    }
    store.inbox.answer { player, limit throws(StoreError) in
      try reading { self.inbox(of: player, limit) }
    }
    store.registrationNeedsCode.answer { () throws(StoreError) in try reading { self.needsCode } }
    store.blocked.answer { player throws(StoreError) in try reading { self.blocked(by: player) } }
    store.certificates.answer { () throws(StoreError) in try reading { self.certificates } }
    return store
  }

  private func playerRows(_ ids: [PlayerID]) -> [PlayerID: ReaderStore.PlayerRow] {
    var rows: [PlayerID: ReaderStore.PlayerRow] = [:]
    for id in ids { rows[id] = playerRow(id) }
    return rows
  }

  func playerRow(_ id: PlayerID) -> ReaderStore.PlayerRow? {
    players[id].map {
      ReaderStore.PlayerRow(
        id: id, name: $0.name, registeredAt: $0.registeredAt,
        rating: ratings.standings[id]?.after ?? .initial, isBot: isBot(id))
    }
  }

  /// A player's unfinished matches, the newest first.
  private func currentMatches(
    of player: PlayerID, _ limit: Int, _ invitationLimit: Int
  ) -> ReaderStore.CurrentMatches {
    let current = matches.values.filter { $0.outcome == nil && $0.concerns(player) }
      .sorted { $0.id > $1.id }
    let (own, invitations) = (
      current.filter { $0.seat(of: player) != nil }, current.filter { $0.seat(of: player) == nil }
    )
    return ReaderStore.CurrentMatches(
      matches: Array(own.prefix(limit)), moreMatches: max(0, own.count - limit),
      invitations: Array(invitations.prefix(invitationLimit)),
      moreInvitations: max(0, invitations.count - invitationLimit))
  }

  /// Finished matches with an offer of a rematch that a player has made or may accept, the newest
  /// offer first.
  private func rematchOffers(of player: PlayerID, _ limit: Int) -> [Match] {
    let oldest = now.adding(seconds: -Match.invitationSeconds)
    return rows.compactMap { id, listing -> (at: Instant, match: Match)? in
      guard let offer = listing.rematchOffer, offer.at > oldest, let match = matches[id],
        offer.from == player || offer.to == player
      else { return nil }
      return (offer.at, match)
    }.sorted { ($0.at, $0.match.id) > ($1.at, $1.match.id) }.prefix(limit).map(\.match)
  }

  private func lets(
    _ row: Listing.PastGameRow, _ match: Match, _ filter: PastGamesFilter
  ) -> Bool {
    filter.kind.map { $0 == match.terms.kind.name } ?? true
      && filter.result.map { $0 == row.result } ?? true
      && filter.from.map { row.endedAt >= $0 } ?? true
      && filter.until.map { row.endedAt < $0 } ?? true
  }

  private func pastGames(
    _ question: ReaderStore.PastGamesQuestion
  ) -> [ReaderStore.PastGameRow] {
    let rows = matches.values.flatMap { match in
      Listing(of: match).pastGames.filter { row in
        lets(row, match, question.filter) && row.player == question.player
          && (question.opponent == nil || row.opponent == question.opponent)
          && question.before.map {
            (row.endedAt, match.id) < ($0.endedAt, $0.match)
          } ?? true
      }.map { row in
        let isAborted = row.reason == .aborted
        return ReaderStore.PastGameRow(
          match: match.id, terms: match.terms, game: row,
          cause: isAborted ? entries[match.id]?.dropLast().last?.signed.payload : nil)
      }
    }
    let newest = rows.sorted {
      ($0.game.endedAt, $0.match) > ($1.game.endedAt, $1.match)
    }
    return Array(newest.prefix(question.limit))
  }

  /// The store for a check.
  var check: CheckStore {
    var store = CheckStore.failing
    store.matches.answer { after, limit throws(StoreError) in
      let ids = self.matches.keys.filter { id in after.map { id > $0 } ?? true }
      return Array(ids.sorted().prefix(limit))
    }
    store.count.answer { after throws(StoreError) in
      self.matches.keys.count { id in after.map { id > $0 } ?? true }
    }
    store.strays.answer { _, _ in [] }
    store.stored.answer { ids throws(StoreError) in
      let jobs = Dictionary(grouping: self.storedJobs, by: \.job.match)
      var found: [MatchID: StoredMatch] = [:]
      for id in ids {
        found[id] = self.matches[id].map { match in
          var stored = StoredMatch(
            version: match.version, state: match, record: self.entries[id] ?? [],
            turn: match.outcome == nil ? match.turnNumber : nil, deadline: match.deadline?.at,
            listing: self.rows[id] ?? StoredListing(), jobs: jobs[id] ?? [],
            rating: self.ratings.stored(id))
          stored.staleBoards = self.staleBoards(of: stored.listing)
          return stored
        }
      }
      return found
    }
    store.existing.answer { ids throws(StoreError) in Set(ids.filter { self.matches[$0] != nil }) }
    store.replies.answer { events throws(StoreError) in
      var found: [EventKey: StoredReply] = [:]
      for event in events { found[event] = self.replies[event] }
      return found
    }
    store.owners.answer { keys throws(StoreError) in
      var found: [PublicKey: PlayerID] = [:]
      for key in keys { found[key] = self.keys[key]?.player }
      return found
    }
    store.handled.answer { after, limit throws(StoreError) in self.handled(after, limit) }
    store.lacking.answer { places throws(StoreError) in
      places.indices.filter { index in
        let place = places[index]
        return self.entries[place.match]?.contains { entry in
          place.entryHash.map { $0 == entry.hash }
            ?? (Hash(sha256Of: entry.signed.payload) == place.payloadHash)
        } != true
      }
    }
    store.jobs.answer { after, limit throws(StoreError) in
      let jobs = self.storedJobs.filter { job in after.map { job.job.id > $0 } ?? true }
      return Array(jobs.sorted { $0.job.id < $1.job.id }.prefix(limit))
    }
    store.now.answer { () throws(StoreError) in self.now }
    return store
  }

  private func handled(_ after: EventKey?, _ limit: Int) -> [BatchWrite.Reply] {
    let keys = replies.keys.filter { key in
      after.map { (key.event, key.player) > ($0.event, $0.player) } ?? true
    }
    let next = keys.sorted { ($0.event, $0.player) < ($1.event, $1.player) }.prefix(limit)
    return next.compactMap { key in replies[key].map { BatchWrite.Reply(key: key, reply: $0) } }
  }

  /// Every stored push job, with its newest state.
  private var storedJobs: [StoredJob] {
    let owed = outbox.values.filter { deliveries[$0.job.id] == nil }
    return owed.map { StoredJob(job: $0.job, isOwed: true, fate: nil) }
      + deliveries.values.map {
        StoredJob(job: $0.job, isOwed: outbox[$0.job.id] != nil, fate: $0.fate)
      }
  }
}
