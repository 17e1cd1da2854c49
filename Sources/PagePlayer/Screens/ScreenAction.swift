package import CubePlay
import CubistPage
import MatchCore

/// An action that only a player at a service has, as the page writes it: a word and perhaps
/// values.
package enum ScreenAction: Hashable, Sendable {
  /// A row's invitation or offer is to be turned down, 0 for the first row: `decline 2`. The player
  /// is asked first.
  case decline(Int)
  /// `declineall`: all listed invitations are to be turned down. The player is asked first.
  case declineAll
  /// A row's match, which nobody has joined, is to be withdrawn: `withdraw 2`. The player is asked
  /// first.
  case withdraw(Int)
  /// `yes`: the player confirms what the screen asks.
  case yes
  /// `no`: the player does not.
  case no
  /// `giveup`: the match is to be given up. The player is asked first.
  case giveUp
  /// `share`: the game is to be shared.
  case share
  /// The last turn is answered with the word of the turn that is looked at.
  case react
  /// `next`: the next match in which it is the player's turn.
  case next
  /// `second`: a second passed.
  case second
  /// `reload`: the screen is asked for again.
  case reload
  /// A menu: `menu new`, `menu boards`, `menu games`, `menu inbox` or `menu settings`.
  case menu(Menu.Name)
  /// A row of the new match was chosen: `pick anyone`.
  case pick(NewMatchScreen.Item)
  /// A field has this text now: `fill named ada`. All after the second space is the text.
  case fill(Field, String)
  /// A list of results: `board ladder`.
  case board(BoardsScreen.Tab)
  /// `clock`: games with a clock instead of those without, or the other way round.
  case clock
  /// `span`: the next span of time.
  case span
  /// `measure`: words instead of points, or the other way round.
  case measure
  /// `begin`: today's challenge is begun, played on or looked at.
  case begin
  /// A row of the past games, 0 for the first: `past 2`.
  case past(Int)
  /// `more`: older games.
  case more
  /// Only past games of a kind: `kind rematch`, or `kind all`.
  case kind(PastGamesWanted.Kind?)
  /// Only past games with a result: `result won`, or `result all`.
  case result(PastGamesWanted.Ending?)
  /// `allgames`: every past game.
  case allGames
  /// A switch of the settings, 0 for the first: `toggle notification 1` or `toggle device 0`.
  case toggle(Switch, Int)
  /// A wish about notifications is another one of its options now: `choose late dropped`,
  /// `choose review none`.
  case choose(WishChoice, String)
  /// A device or a blocked player is removed: `remove device 0` or `remove blocked 0`.
  case remove(Entry, Int)
  /// The typed device or player is added: `add device` or `add blocked`.
  case add(Entry)
  /// The match of a notification is to be shown, 0 for the first one: `notice 2`.
  case notice(Int)
  /// A notification is to be taken away: `seen 2`.
  case seen(Int)
  /// `allseen`: all of them are.
  case allSeen
  /// `save`: the settings are saved.
  case save
  /// The player's decision about unsaved changes: `doubt save`, `doubt throwAway` or `doubt stay`.
  case doubt(SettingsDecision)

  /// `player`: the other player of the match; `player 2`: the player of a row, 0 for the first.
  case player(Int?)
  /// `invite`, `block`, `report`: it is to be done about the shown player. `games`: the past games
  /// against the player. `written`: the report is complete.
  case about(PlayerAction)
  /// `keys`: to the keys of the player's devices, from the settings with a question about changes.
  case keys
  /// A device is to be removed, 0 for the first one: `removekey 1`. The player is asked first.
  case removeKey(Int)
  /// `wordswritten`: the new recovery words are written down. `wordstyped TEXT`: some of them were
  /// typed. `wordsaway`: they are not wanted any more. `object`: the recovery under way is to be
  /// delayed; the player is asked first.
  case recovery(RecoveryAction)
  /// The reason of a report: `reason conduct`.
  case reason(ReportReason)

  /// A field of text.
  package enum Field: Hashable, Sendable {
    /// The player to invite.
    case named
    /// The code of a match to be joined.
    case join
    /// The time for a turn.
    case turnLimit
    /// The player's name in notifications.
    case displayName
    /// A wish about notifications.
    case wish(WishText)
    /// A device that is being added.
    case newDevice
    /// A player who is being added to the blocked ones.
    case newBlocked
    /// The player's own words in a report.
    case reportText

    var limit: Int { self == .reportText ? Report.Text.byteLimit : 64 }
  }

  /// A kind of switch in the settings.
  package enum Switch: Hashable, Sendable {
    /// A kind of notification.
    case notification
    /// A device that notifications go to.
    case device
  }

  /// A kind of entry that a player adds to the settings, and removes.
  package enum Entry: Hashable, Sendable {
    /// A device that notifications go to.
    case device
    /// A player that the player does not want to meet.
    case blocked
  }
}

// MARK: - Reading

extension ScreenAction {
  /// Reads an action; nil where the text is none.
  package init?(_ word: String, _ value: String?) {
    guard let action = value.map({ Self.action(word, $0) }) ?? Self.plain(word) else { return nil }
    self = action
  }

  private static func plain(_ word: String) -> ScreenAction? {
    switch word {
    case "yes": .yes
    case "no": .no
    case "declineall": .declineAll
    case "giveup": .giveUp
    case "share": .share
    case "react": .react
    case "next": .next
    case "second": .second
    case "reload": .reload
    case "clock": .clock
    case "span": .span
    case "measure": .measure
    case "begin": .begin
    case "more": .more
    case "allgames": .allGames
    case "save": .save
    case "allseen": .allSeen
    case "player": .player(nil)
    case "invite": .about(.inviteChosen)
    case "games": .about(.gamesChosen)
    case "block": .about(.blockChosen)
    case "report": .about(.reportChosen)
    case "written": .about(.reportWritten)
    case "keys": .keys
    case "wordswritten": .recovery(.written)
    case "wordsaway": .recovery(.thrownAway)
    case "object": .recovery(.objectChosen)
    default: nil
    }
  }

  private static func action(_ word: String, _ value: String) -> ScreenAction? {
    switch word {
    case "decline": place(value).map { .decline($0) }
    case "withdraw": place(value).map { .withdraw($0) }
    case "notice": place(value).map { .notice($0) }
    case "seen": place(value).map { .seen($0) }
    case "menu": menu(value).map { .menu($0) }
    case "pick": item(value).map { .pick($0) }
    case "fill": fill(value)
    case "board": BoardsScreen.Tab.allCases.first { $0.name == value }.map { .board($0) }
    case "past": place(value).map { .past($0) }
    case "kind": kind(value)
    case "result": result(value)
    case "toggle": toggle(value)
    case "choose": choose(value)
    case "remove": remove(value)
    case "add": entry(value).map { .add($0) }
    case "doubt": decision(value).map { .doubt($0) }
    case "player": place(value).map { .player($0) }
    case "removekey": place(value).map { .removeKey($0) }
    // Three words are shorter by far: the fault of the rest is told beside the field.
    case "wordstyped":
      .recovery(.typed(String(decoding: value.utf8.prefix(typedLimit), as: UTF8.self)))
    case "reason": ReportReason(rawValue: value).map { .reason($0) }
    default: nil
    }
  }

  /// How many bytes of typed recovery words are read.
  private static let typedLimit = 200

  /// The place of a row; no list is nearly as long as the limit.
  private static func place(_ text: String) -> Int? {
    guard let number = Int(text), 0..<10_000 ~= number else { return nil }
    return number
  }

  private static func menu(_ text: String) -> Menu.Name? {
    switch text {
    case "new": .newMatch
    case "boards": .boards
    case "games": .pastGames
    case "settings": .settings
    case "inbox": .inbox
    default: nil
    }
  }

  private static func kind(_ text: String) -> ScreenAction? {
    text == "all" ? .kind(nil) : PastGamesWanted.Kind(rawValue: text).map { .kind($0) }
  }

  private static func result(_ text: String) -> ScreenAction? {
    text == "all" ? .result(nil) : PastGamesWanted.Ending(rawValue: text).map { .result($0) }
  }

  private static func item(_ text: String) -> NewMatchScreen.Item? {
    NewMatchScreen.Item.allCases.first { $0 != .turnLimit && $0.name == text }
  }

  private static func fill(_ value: String) -> ScreenAction? {
    let (name, text) = PageAction.parts(value.utf8)
    guard let text, let field = field(name), text.utf8.count <= 4 * field.limit,
      text.count <= field.limit
    else { return nil }
    return .fill(field, text)
  }

  private static func field(_ text: String) -> Field? {
    switch text {
    case "named": .named
    case "join": .join
    case "turnLimit": .turnLimit
    case "displayName": .displayName
    case "quietFrom": .wish(.quietFrom)
    case "quietUntil": .wish(.quietUntil)
    case "timeZone": .wish(.timeZone)
    case "digest": .wish(.digest)
    case "newDevice": .newDevice
    case "newBlocked": .newBlocked
    case "reportText": .reportText
    default: nil
    }
  }

  private static func toggle(_ value: String) -> ScreenAction? {
    let (name, text) = PageAction.parts(value.utf8)
    guard let number = text.flatMap({ place($0) }) else { return nil }
    return switch name {
    case "notification": .toggle(.notification, number)
    case "device": .toggle(.device, number)
    default: nil
    }
  }

  private static func choose(_ value: String) -> ScreenAction? {
    let (name, text) = PageAction.parts(value.utf8)
    let choice: WishChoice? =
      switch name {
      case "late": .late
      case "language": .language
      case "review": .review
      case "bundle": .bundle
      case "nudges": .nudges
      default: nil
      }
    guard let choice, let text, choice.options.contains(text) else { return nil }
    return .choose(choice, text)
  }

  private static func remove(_ value: String) -> ScreenAction? {
    let (name, text) = PageAction.parts(value.utf8)
    guard let entry = entry(name), let number = text.flatMap({ place($0) }) else { return nil }
    return .remove(entry, number)
  }

  private static func entry(_ text: String) -> Entry? {
    switch text {
    case "device": .device
    case "blocked": .blocked
    default: nil
    }
  }

  private static func decision(_ text: String) -> SettingsDecision? {
    switch text {
    case "save": .save
    case "throwAway": .throwAway
    case "stay": .stay
    default: nil
    }
  }
}
