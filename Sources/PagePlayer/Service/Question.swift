import CubePlay
import MatchCore
import MatchWire
import ServiceNews

/// A step of carrying out an effect: a question to the service.
enum Question: Hashable {
  /// After the service itself, and its time.
  case service
  /// After everything that waits for the player.
  case home
  /// The same, to see whether an invitation of that player waits already.
  case homeBefore(inviting: PlayerID)
  case match(MatchID)
  /// After a match in which the turn to be sent may have been played already.
  case matchAfterRefusal(MatchID)
  /// After a game that somebody shared.
  case sharedGame(ShareCode)
  /// After the match that a code invites to.
  case invitation(ShareCode)
  case player(PlayerName)
  /// After the matches against another player.
  case headToHead(PlayerID)
  /// After the blocked players, once those matches are known.
  case blocksBeside(HeadToHead)
  /// After the player's own account.
  case whoAmI
  case standings(DailyStatus)
  case leaderboard(Leaderboard)
  case ladder
  case dailyHistory
  /// After the player's last seven days.
  case review
  case inbox
  /// After the newest past games, or those after a place in the list.
  case pastGames(with: PlayerID?, PastGamesFilter, after: PastGamesCursor?)
  /// After a part of the record of a match of the player.
  case record(MatchID, part: Int)
  /// After a part of the record of a game that somebody shared.
  case sharedRecord(ShareCode, part: Int)
  case settings
  /// After the service's key for this browser, and the devices, where no screen wants them.
  case pushDesk
  /// After the player's keys.
  case keys
  /// After the player who lets a device in that shows a code with this hash.
  case inviter(Hash)
  /// How the recovery of a player stands: by the key of typed words, or by this browser's own.
  case recoveryOf(PlayerName, isByWords: Bool)
  /// After the blocked players, once the other settings are known.
  case blocks(SettingsView)
  /// After the versions of everything. It opens the stream of changes.
  case overview
  /// After a part of the file with everything about the player.
  case exported(Query.Kind)

  /// The query that travels.
  ///
  /// - Parameter known: The latest version of a match that was heard of.
  func kind(known: (MatchID) -> Int64?) -> Query.Kind {
    switch self {
    case .service: .serviceInfo
    case .home, .homeBefore: .matches
    case .match(let id), .matchAfterRefusal(let id): .match(Query.Match(id, atLeast: known(id)))
    case .sharedGame(let code), .invitation(let code): .matchByCode(Query.MatchByCode(code))
    case .player(let name): .player(Query.Player(name))
    case .whoAmI: .whoAmI
    case .standings(let status): .standings(Query.Standings(status.daily))
    case .leaderboard(let wanted): .leaderboard(Query.Leaderboard(wanted))
    case .ladder: .ladder(Query.Ladder(limit: 100))
    case .dailyHistory: .dailyHistory
    case .review: .review
    case .inbox: .inbox
    case .pastGames(let opponent, let filter, let place):
      .pastGames(
        Query.PastGames(
          with: opponent, filter: filter, before: place, limit: PastGamesNews.pageLimit))
    case .record(let match, let part): .record(Query.Record(match, part: part))
    case .sharedRecord(let code, let part): .recordByCode(Query.RecordByCode(code, part: part))
    case .settings, .pushDesk: .settings
    case .keys: .keys
    case .inviter(let hash): .invitationOf(Query.InvitationOf(hash))
    case .recoveryOf(let name, _): .recoveryOf(Query.RecoveryOf(name))
    case .blocks, .blocksBeside: .blocks
    case .headToHead(let player): .headToHead(Query.HeadToHead(with: player))
    case .overview: .overview
    case .exported(let kind): kind
    }
  }
}

extension Question {
  /// The path of the public answer; nil: the answer is not public.
  var path: String? {
    switch self {
    case .service: "/v1/service"
    case .sharedGame(let code): "/v1/games/\(code)"
    case .sharedRecord(let code, let part): "/v1/games/\(code)/record?part=\(part)"
    default: nil
    }
  }

  /// Whether a fault of it stands beside the form or the record that wants it, or is not worth any
  /// words.
  var isOfForm: Bool {
    switch self {
    case .inviter, .recoveryOf, .pushDesk, .exported: true
    default: isOfRecord
    }
  }

  /// Whether it is after a record, which only the page itself wants.
  var isOfRecord: Bool {
    switch self {
    case .record, .sharedRecord: true
    default: false
    }
  }
}

/// A step of carrying out an effect: an event to be told.
struct Wish: Hashable {
  var action: Event.Action
  /// Whether the game knows that the answer takes long.
  var isDelayed = false
}

/// A question or an event, with the effect that it is a step of.
struct Step {
  /// Nil: the page itself wants it.
  var effect: GameEffect?
  var what: What
  /// Whether it was sent with a wrong time before, and nothing was done.
  var isSecondTry = false
  /// The least version in which a match was asked for.
  var version: Int64?

  /// Whether the key of recovery words signs it.
  var isByWords: Bool {
    switch what {
    case .question(.recoveryOf(_, let isByWords)): isByWords
    case .question: false
    case .wish(let wish): wish.isByWords
    }
  }

  enum What {
    case question(Question)
    case wish(Wish)
  }
}
