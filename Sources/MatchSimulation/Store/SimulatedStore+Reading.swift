import MatchCore
import MatchInterfaces
import MatchWire

extension SimulatedStore {
  /// The store for the reader, over one connection.
  func reader(_ session: Session) -> ReaderStore {
    func reading<each Input, Value>(
      _ body: @escaping (repeat each Input) -> Value
    ) -> (repeat each Input) throws(StoreError) -> Value {
      { (input: repeat each Input) throws(StoreError) in
        try self.checkOpen(session)
        return body(repeat each input)
      }
    }
    var store = ReaderStore.failing
    store.ownersAndMatches.answer(
      with: reading { keys, ids in
        var owners: [PublicKey: KeyOwner] = [:]
        for key in keys { owners[key] = self.keys[key] }
        return (self.now, owners, ids.compactMap { self.matches[$0] })
      })
    store.player.answer(with: reading { name in self.names[name.key].flatMap(self.playerRow) })
    store.players.answer(with: reading { ids in self.playerRows(ids) })
    store.matches.answer(with: reading { ids in ids.compactMap { self.matches[$0] } })
    // No match of a simulation is damaged.
    store.noteDamaged.answer(with: reading { _, _ in })
    store.entries.answer(with: reading { id in self.entries[id] ?? [] })
    store.recordAndPlayers.answer(
      with: reading { id, players in
        (self.entries[id] ?? [], self.playerRows(players), self.nudges[id]?.turn)
      })
    store.origins.answer(with: reading { keys in self.origins(of: keys) })
    store.keys.answer(with: reading { player in self.keyList(of: player) })
    store.inviters.answer(with: reading { invitations in self.inviters(of: invitations) })
    store.recoveries.answer(with: reading { names in self.recoveries(of: names) })
    store.currentMatches.answer(
      with: reading { player, matches, invitations in
        self.currentMatches(of: player, matches, invitations)
      })
    store.rematchOffers.answer(
      with: reading { player, limit in self.rematchOffers(of: player, limit) })
    store.matchByCode.answer(with: reading { code in self.codes[code] })
    store.sharedMatch.answer(with: reading { code in self.shares[code] })
    store.pastGames.answer(with: reading { question in self.pastGames(question) })
    store.daily.answer(with: reading { key in self.dailies[key]?.challenge })
    store.ladder.answer(with: reading { question in self.ladder(question) })
    store.dailyResults.answer(
      with: reading { key, asker, limit in self.dailyResults(key, asker, limit) })
    store.dailyHistory.answer(
      with: reading { player, day in self.dailyHistory(of: player, after: day) })
    store.leaderboard.answer(
      with: reading { board, asker, limit in self.leaderboard(board, asker, limit) })
    store.tallies.answer(
      with: reading { player, since, limit in self.tallies(of: player, since: since, limit: limit) }
    )
    store.settings.answer(with: reading { player in self.settingsRow(of: player) })
    store.inbox.answer(with: reading { player, limit in self.inbox(of: player, limit) })
    store.overviews.answer(with: reading { players in self.overviews(of: players) })
    store.registrationNeedsCode.answer(with: reading { self.needsCode })
    store.blocked.answer(with: reading { player in self.blocked(by: player) })
    store.account.answer(
      with: reading { player, section, place in
        let rows = self.rows(of: player, in: section).dropFirst(place)
        return rows.prefix(AccountSection.pageSize).map {
          String(decoding: JSON.object($0).serialized, as: UTF8.self)
        }
      })
    store.certificates.answer(with: reading { self.certificates })
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
        rating: ratings.standings[id]?.after ?? .initial, isBot: isBot(id) && !isGone(id))
    }
  }

  /// A player's unfinished matches, the newest first.
  func currentMatches(
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
      moreInvitations: max(0, invitations.count - invitationLimit),
      recoveryAt: recoveries[player]?.pending?.deadline.at, leavesAt: leavesAt(player))
  }

  /// Finished matches with an offer of a rematch that a player has made or may accept, the newest
  /// offer first.
  func rematchOffers(of player: PlayerID, _ limit: Int) -> [Match] {
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

  func pastGames(
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
    store.matches.answer { after, limit in
      let ids = self.matches.keys.filter { id in after.map { id > $0 } ?? true }
      return Array(ids.sorted().prefix(limit))
    }
    store.count.answer { after in
      self.matches.keys.count { id in after.map { id > $0 } ?? true }
    }
    store.orphans.answer { _, _ in [] }
    store.stored.answer { ids in
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
          stored.nudge = self.nudges[id].map { StoredNudge(turn: $0.turn, at: $0.at) }
          return stored
        }
      }
      return found
    }
    store.gone.answer { after, limit in self.gone(after: after, limit) }
    store.players.answer { after, limit in
      let ids = self.players.keys.filter { id in after.map { id > $0 } ?? true }
      return ids.sorted().prefix(limit).compactMap(self.storedPlayer)
    }
    store.playersByID.answer { ids in ids.compactMap(self.storedPlayer) }
    store.fanOuts.answer { day in
      self.dailies.filter { $0.key.isAnnounced && $0.key.day >= day }
        .map { StoredFanOut(key: $0.key, cursor: $0.value.cursor, isDone: $0.value.isDone) }
        .sorted { $0.key.description < $1.key.description }
    }
    store.owedJobs.answer { since, after, limit in
      let jobs = self.owedJobs.values.filter { $0.at >= since }.map(\.job)
        .filter { job in after.map { job.id > $0 } ?? true }
      return Array(jobs.sorted { $0.id < $1.id }.prefix(limit))
    }
    store.knownJobs.answer { ids in
      Set(
        ids.filter {
          self.outbox[$0] != nil || self.held[$0] != nil || self.deliveries[$0] != nil
        })
    }
    store.existing.answer { ids in Set(ids.filter { self.matches[$0] != nil }) }
    store.replies.answer { events in
      var found: [EventKey: StoredReply] = [:]
      for event in events { found[event] = self.replies[event] }
      return found
    }
    store.owners.answer { keys in
      var found: [PublicKey: PlayerID] = [:]
      for key in keys { found[key] = self.keys[key]?.player }
      return found
    }
    store.origins.answer { keys in self.origins(of: keys) }
    store.handled.answer { after, limit in self.handled(after, limit) }
    store.keys.answer { after, limit in self.keys(after: after, limit) }
    store.recoveries.answer { after, limit in self.recoveries(after: after, limit) }
    store.lacking.answer { places in
      places.indices.filter { index in
        let place = places[index]
        return self.entries[place.match]?.contains { entry in
          place.entryHash.map { $0 == entry.hash }
            ?? (Hash(sha256Of: entry.signed.payload) == place.payloadHash)
        } != true
      }
    }
    store.jobs.answer { after, limit in
      Array(
        self.storedJobs.lazy.filter { job in after.map { job.job.id > $0 } ?? true }.prefix(limit))
    }
    store.now.answer { self.now }
    return store
  }

  private func handled(_ after: EventKey?, _ limit: Int) -> [BatchWrite.Reply] {
    let keys = replies.keys.filter { key in
      after.map { (key.event, key.player) > ($0.event, $0.player) } ?? true
    }
    let next = keys.sorted { ($0.event, $0.player) < ($1.event, $1.player) }.prefix(limit)
    return next.compactMap { key in replies[key].map { BatchWrite.Reply(key: key, reply: $0) } }
  }

  /// Every stored push job, with its newest state, by its id.
  private var storedJobs: [StoredJob] {
    var owed = held.mapValues(\.held.job)
    for job in outbox.values { owed[job.job.id] = job.job }
    let pending = owed.values.filter { deliveries[$0.id] == nil }
    let all =
      pending.map { StoredJob(job: $0, isOwed: true, fate: nil) }
      + deliveries.values.map {
        StoredJob(job: $0.job, isOwed: owed[$0.job.id] != nil, fate: $0.fate)
      }
    return all.sorted { $0.job.id < $1.job.id }
  }
}
