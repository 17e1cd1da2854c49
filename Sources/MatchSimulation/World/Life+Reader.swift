import MatchCore
import MatchInterfaces

extension Life {
  /// A reader's store as this process reaches it.
  func reader(_ raw: ReaderStore) -> ReaderStore {
    func reached<Question, Answer>(
      _ what: StaticString, _ ask: @escaping (Question) throws(StoreError) -> Answer
    ) -> (Question) throws(StoreError) -> Answer {
      { question throws(StoreError) in
        try self.onStore(what) { () throws(StoreError) in try ask(question) }
      }
    }
    return ReaderStore(
      owners: reached("asks whose keys", raw.owners),
      player: reached("asks for a name", raw.player),
      players: reached("asks for names", raw.players),
      matches: reached("reads matches", raw.matches),
      entries: reached("reads entries", raw.entries),
      currentMatches: { player, matches, invitations throws(StoreError) in
        try self.onStore("lists matches") { () throws(StoreError) in
          try raw.currentMatches(player, matches, invitations)
        }
      },
      rematchOffers: { player, limit throws(StoreError) in
        try self.onStore("lists offers") { () throws(StoreError) in
          try raw.rematchOffers(player, limit)
        }
      },
      matchByCode: reached("looks for a code", raw.matchByCode),
      sharedMatch: reached("looks for a shared game", raw.sharedMatch),
      pastGames: reached("lists past games", raw.pastGames),
      daily: reached("looks for the daily", raw.daily),
      ladder: reached("looks at the ladder", raw.ladder),
      dailyResults: { key, asker, limit throws(StoreError) in
        try self.onStore("ranks a daily") { () throws(StoreError) in
          try raw.dailyResults(key, asker, limit)
        }
      },
      dailyHistory: { player, day throws(StoreError) in
        try self.onStore("lists dailies") { () throws(StoreError) in
          try raw.dailyHistory(player, day)
        }
      },
      leaderboard: { board, asker, limit throws(StoreError) in
        try self.onStore("reads a leaderboard") { () throws(StoreError) in
          try raw.leaderboard(board, asker, limit)
        }
      },
      tallies: { player, since, limit throws(StoreError) in
        try self.onStore("counts games") { () throws(StoreError) in
          try raw.tallies(player, since, limit)
        }
      },
      settings: reached("reads settings", raw.settings),
      inbox: { player, limit throws(StoreError) in
        try self.onStore("reads the inbox") { () throws(StoreError) in
          try raw.inbox(player, limit)
        }
      },
      registrationNeedsCode: { () throws(StoreError) in
        try self.onStore("asks who may register", raw.registrationNeedsCode)
      },
      blocked: { player throws(StoreError) in
        try self.onStore("reads blocks") { () throws(StoreError) in try raw.blocked(player) }
      },
      certificates: { () throws(StoreError) in
        try self.onStore("reads certificates", raw.certificates)
      })
  }

  /// A reader's broker as this process reaches it.
  func reader(_ raw: ReaderBus) -> ReaderBus {
    ReaderBus(
      receive: { limit, wait throws(BusError) in
        try self.onBus("receives") { () throws(BusError) in try raw.receive(limit, wait) }
      },
      ownQueries: { self.isDead ? [] : raw.ownQueries() },
      answer: { answers throws(BusError) in
        try self.onBus("answers") { () throws(BusError) in try raw.answer(answers) }
      },
      close: { self.closeBus(raw.close) })
  }
}
