extension Query.Kind {
  /// The payload. It declares everything that follows from the query alone.
  public var payload: any QueryPayload { coded }

  var coded: any CodedQueryPayload { visit(CodedVisitor()) }

  /// Every type of query.
  static let types: [any CodedQueryPayload.Type] = [
    Query.ServiceInfo.self, Query.WhoAmI.self, Query.Player.self, Query.Matches.self,
    Query.Match.self, Query.MatchByCode.self, Query.PastGames.self, Query.HeadToHead.self,
    Query.Record.self, Query.RecordByCode.self, Query.Standings.self, Query.Ladder.self,
    Query.DailyHistory.self, Query.Leaderboard.self, Query.Review.self, Query.Settings.self,
    Query.Inbox.self, Query.Blocks.self, Query.Keys.self, Query.InvitationOf.self,
    Query.RecoveryOf.self, Query.Overview.self, Query.Account.self,
  ]
}

private struct CodedVisitor: QueryPayloadVisitor {
  func visit(_ payload: some CodedQueryPayload) -> any CodedQueryPayload { payload }
}
