import CubeLexicon
import CubePlay
import CubistPage
import Foundation
import Testing

@testable import PagePlayer

/// The states that the gallery of the page shows of a player with a name.
///
/// Web/people-states.json has them. `CUBIST_KEEP_STATES=1` writes it again.
@Suite("The screens of a player with a name, as JSON")
struct ScreenStatesTests {
  private static let strength = Strength(points: 1_512, isReliable: false, matchCount: 3)

  private static let states: [(name: String, page: @Sendable () -> StillPage)] = [
    ("list", { Scenes.page() }),
    ("loading", { StillPage() }),
    ("empty", { Scenes.page(.arrived(HomeList(name: Scenes.name, rows: []))) }),
    ("warned", { Scenes.page(.arrived(Scenes.warned)) }),
    ("decline", { Scenes.page(.moved(2), .declined) }),
    ("declineAll", { Scenes.page(.arrived(Scenes.invitations), .allDeclined) }),
    (
      "decliningAll",
      { Scenes.page(.arrived(Scenes.invitations), .allDeclined, .confirmed) }
    ),
    ("withdraw", { Scenes.page(.moved(7), .withdrawalAsked) }),
    ("accepting", { Scenes.page(.moved(2), .opened) }),
    ("refused", { Scenes.page(.moved(2), .opened, .refused("The invitation is gone.")) }),
    (
      "away",
      {
        let page = Scenes.page(.failed("The service cannot be reached."))
        page.act(.connectionLost)
        return page
      }
    ),
    ("newMatch", { Scenes.page(.newMatch) }),
    ("newFault", { Scenes.page(.newMatch, "fill turnLimit 2x", "fill named a", "pick named") }),
    ("newAsked", { Scenes.page(.newMatch, "pick open") }),
    (
      "newDoubted",
      {
        let page = Scenes.page(.newMatch, "fill named ben", "pick named")
        page.act(.menu(.newMatch(.answered(.invitedBefore))))
        return page
      }
    ),
    (
      "newPending",
      {
        let page = Scenes.page(.newMatch, "pick open")
        page.act(.menu(.newMatch(.answered(.pending))))
        return page
      }
    ),
    ("today", { Scenes.page(.boards) }),
    (
      "games",
      {
        let page = Scenes.page(.boards, "board solo")
        var news = Scenes.ladder
        news.head = "The best games of seven days."
        news.columns[2] = "points"
        page.act(.menu(.boards(.arrived(.games(.solo, .unlimited, .week, .points), news))))
        return page
      }
    ),
    (
      "dailies",
      {
        let page = Scenes.page(.boards, "board dailies")
        var news = Scenes.ladder
        news.head = "The best dailies of seven days."
        news.columns[2] = "points"
        page.act(.menu(.boards(.arrived(.games(.daily, .unlimited, .week, .points), news))))
        return page
      }
    ),
    (
      "ladder",
      {
        let page = Scenes.page(.boards, "board ladder")
        page.act(.menu(.boards(.arrived(.ladder, Scenes.ladder))))
        return page
      }
    ),
    (
      "review",
      {
        let page = Scenes.page(.boards, "board review")
        page.act(.menu(.boards(.arrived(.review, Scenes.review))))
        return page
      }
    ),
    (
      "boardFailed",
      {
        let page = Scenes.page(.boards, "board history")
        page.act(.menu(.boards(.failed(.history, "The service cannot be reached."))))
        return page
      }
    ),
    ("inbox", { Scenes.page(.inbox) }),
    (
      "inboxEmpty",
      {
        let page = Scenes.page(.inbox)
        page.act(.menu(.inbox(.arrived([]))))
        return page
      }
    ),
    ("past", { Scenes.page(.pastGames) }),
    ("pastMore", { Scenes.page(.pastGames, "more") }),
    (
      "pastEmpty",
      {
        let page = StillPage()
        page.act(.menu(.opened(.pastGames)))
        page.act(.menu(.pastGames(.arrived(.all, PastGamesNews(rows: []), after: nil))))
        return page
      }
    ),
    (
      "pastFailed",
      {
        let page = StillPage()
        page.act(.menu(.opened(.pastGames)))
        page.act(.menu(.pastGames(.failed(.all, "The service cannot be reached.", after: nil))))
        return page
      }
    ),
    (
      "pastFiltered",
      {
        let page = Scenes.page(.pastGames, "kind rematch", "result lost")
        let wanted = PastGamesWanted(kind: .rematch, result: .lost)
        let news = PastGamesNews(rows: [Scenes.pastGames.rows[1]])
        page.act(.menu(.pastGames(.arrived(wanted, news, after: nil))))
        return page
      }
    ),
    (
      "pastNoneSuch",
      {
        let page = Scenes.player("games", "kind random")
        let wanted = PastGamesWanted(player: "ben", kind: .random)
        page.act(.menu(.pastGames(.arrived(wanted, PastGamesNews(rows: []), after: nil))))
        return page
      }
    ),
    ("pastVerified", { Scenes.page(.pastGames) }),
    ("pastTampered", { Scenes.page(.pastGames) }),
    ("pastRefused", { Scenes.page(.pastGames) }),
    ("player", { Scenes.player() }),
    ("playerDoubted", { Scenes.player("block") }),
    ("playerBlocked", { Scenes.player("block", "yes", answer: .done) }),
    ("report", { Scenes.player("report", "reason conduct", "fill reportText a\u{202e}b") }),
    (
      "reportDoubted",
      { Scenes.player("report", "reason words", "fill reportText see turn 3", "written") }
    ),
    (
      "playerFailed",
      {
        let page = StillPage()
        page.act(.menu(.opened(.player(PlayerWanted("nobody")))))
        page.act(.menu(.player(.failed("nobody", "There is no player of that name."))))
        return page
      }
    ),
    ("settings", { Scenes.page(.settings) }),
    (
      "settingsLoading",
      {
        let page = StillPage()
        page.act(.menu(.opened(.settings)))
        return page
      }
    ),
    (
      "settingsFailed",
      {
        let page = StillPage()
        page.act(.menu(.opened(.settings)))
        page.act(.menu(.settings(.failed("The service cannot be reached."))))
        return page
      }
    ),
    (
      "settingsFault",
      { Scenes.page(.settings, "fill newDevice my phone", "fill newBlocked a", "save") }
    ),
    (
      "settingsDoubted",
      {
        let page = Scenes.page(.settings, "toggle notification 2")
        page.act(.left)
        return page
      }
    ),
    ("keys", { Scenes.page(.keys) }),
    ("keysCode", { Scenes.code() }),
    ("keysDoubted", { Scenes.page(.keys, "removekey 0") }),
    (
      "keysOnly",
      {
        let page = Scenes.page(.keys)
        page.act(.menu(.keys(.arrived(KeysNews(rows: [Scenes.keys.rows[1]])))))
        return page
      }
    ),
    ("keysWords", { Scenes.words() }),
    ("keysTyping", { Scenes.words(.written, .typed("thank wave thank")) }),
    ("keysRecovery", { Scenes.recovery() }),
    ("keysObject", { Scenes.recovery(.objectChosen) }),
    ("mine", { Scenes.page(Scenes.match(), [.ratingArrived(strength)]) }),
    (
      "hurry",
      {
        Scenes.page(
          Scenes.match(.theirs(secondsLeft: 45), turns: 3) { $0.lines[2].reaction = "WOW" })
      }
    ),
    (
      "invited",
      {
        let page = StillPage(at: MatchKey("6"))
        page.act(.home(.arrived(Scenes.list)))
        let news = Scenes.match(.theirs(secondsLeft: nil), turns: 0) { news in
          (news.opponent, news.isWaiting) = (nil, true)
        }
        page.act(.match(MatchKey("6"), .arrived(news)))
        return page
      }
    ),
    ("reacting", { Scenes.page(Scenes.match(), [.lookedBack(1)]) }),
    (
      "reactionRefused",
      {
        Scenes.page(
          Scenes.match(),
          [
            .lookedBack(1), .react(.asked),
            .react(.answered(failure: "The turn has an answer already.")),
          ])
      }
    ),
    ("alone", { Scenes.page(Scenes.alone()) }),
    ("dailyOver", { Scenes.page(Scenes.daily()) }),
    ("givingUp", { Scenes.page(Scenes.match(), [.giveUp(.asked)]) }),
    (
      "sentWaits",
      {
        let page = Scenes.page(
          Scenes.match(), [.cursorMoved(.up), .cursorMarked, .cursorMoved(.down), .cursorMarked])
        for action: PlayAction in [.submit, .serviceLost] { page.play(.play(action)) }
        page.act(.connectionLost)
        return page
      }
    ),
    (
      "won",
      {
        Scenes.page(
          Scenes.match(),
          [
            .ratingArrived(strength), .arrived(Scenes.ended()),
            .ratingArrived(Strength(points: 1_544, isReliable: true, matchCount: 4)),
          ])
      }
    ),
    ("verified", { Scenes.page(Scenes.ended()) }),
    ("unchecked", { Scenes.page(Scenes.ended()) }),
    ("fetching", { Scenes.page(Scenes.ended()) }),
    (
      "shared",
      {
        Scenes.page(
          Scenes.ended { $0.rematch = .offered(by: .them) },
          [.share(.asked), .share(.answered(.shared(code: "M4QX7ZKP2RTA")))])
      }
    ),
    ("rematchAsked", { Scenes.page(Scenes.ended(), [.rematchAsked]) }),
    ("rematchWaits", { Scenes.page(Scenes.ended { $0.rematch = .offered(by: .me) }) }),
    ("rematchBegan", { Scenes.page(Scenes.ended { $0.rematch = .began(MatchKey("9")) }) }),
    (
      "rematchFailed",
      {
        Scenes.page(
          Scenes.ended(),
          [.rematchAsked, .rematchAnswered(.failed("You have 100 running matches."))])
      }
    ),
    (
      "watched",
      { Scenes.page(Scenes.ended { ($0.watched, $0.rematch) = ("fay", .impossible) }) }
    ),
    (
      "absent",
      {
        let page = StillPage(at: MatchKey("1"))
        page.act(.match(MatchKey("1"), .failed("There is no such match.")))
        return page
      }
    ),
  ]

  /// The records that are checked in some states.
  private static let desks: [String: @Sendable () throws -> RecordDesk] = [
    "pastVerified": {
      try checked(Records.bytes, .file("against-ben.json"))
    },
    "pastTampered": {
      try checked(Records.tampered(), .file("tampered.json"))
    },
    "pastRefused": {
      var desk = RecordDesk()
      desk.turn(to: .file("holiday.png"))
      desk.refuse("holiday.png is not a Cubist record: not JSON.")
      return desk
    },
    "verified": { try checked(Records.bytes, .match(MatchKey("1"))) },
    "unchecked": { try checked(Records.bytes, .match(MatchKey("1"))) { _ in nil } },
    "fetching": {
      var desk = RecordDesk()
      desk.turn(to: .match(MatchKey("1")))
      _ = desk.want(.check)
      return desk
    },
  ]

  private static func checked(
    _ bytes: [UInt8], _ subject: RecordDesk.Subject,
    _ browse: ([UInt8]) -> [Bool]? = { Records.valid($0) }
  ) throws -> RecordDesk {
    var desk = RecordDesk()
    desk.turn(to: subject)
    let review = try RecordReview(bytes, words: .everyWord, known: Records.known())
    desk.begin(review)
    desk.hear(browse(review.signatures), of: 1)
    return desk
  }

  private static func json(_ name: String, _ page: StillPage) throws -> String {
    let desk = try desks[name]?()
    let bytes = page.json { json in
      page.writeScreens(to: &json)
      desk?.write(to: &json)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Web/people-states.json").standardized

  @Test("They are those that the gallery shows")
  func golden() throws {
    let lines = try Self.states.map { "\"\($0.name)\": \(try Self.json($0.name, $0.page()))" }
    let text = "{\n\(lines.joined(separator: ",\n"))\n}\n"
    if ProcessInfo.processInfo.environment["CUBIST_KEEP_STATES"] != nil {
      try text.write(to: Self.file, atomically: true, encoding: .utf8)
    }
    let kept = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n")
    let found = text.split(separator: "\n")
    for (line, before) in zip(found, kept) { #expect(line == before) }
    #expect(found.count == kept.count)
  }

  private typealias Object = [String: Any]

  private static func object(_ name: String) throws -> Object {
    let page = try #require(states.first { $0.name == name }).page()
    let object = try JSONSerialization.jsonObject(with: Data(json(name, page).utf8))
    return try #require(object as? Object)
  }

  private static func part(_ part: String, of name: String) throws -> Object {
    try #require(object(name)[part] as? Object)
  }

  @Test("The list has each kind of row, and what is asked")
  func list() throws {
    let people = try Self.part("people", of: "list")
    let rows = try #require(people["rows"] as? [Object])
    #expect(
      rows.compactMap { $0["kind"] as? String } == [
        "yourTurn", "yourTurn", "invitation", "rematchOffer", "daily", "timedDaily", "theirTurn",
        "waiting", "waiting", "ownOffer",
      ])
    #expect(rows[0]["seconds"] as? Int == 45)
    #expect(rows[2]["seconds"] == nil)
    #expect(rows[7]["code"] as? String == "K7QM2XPA")
    #expect(people["more"] as? String == "12 more are not listed.")
    #expect(people["isLoaded"] as? Bool == true)
    #expect(try Self.part("people", of: "loading")["isLoaded"] as? Bool == false)
    let doubt = try Self.part("people", of: "decline")
    #expect((doubt["doubt"] as? String, doubt["doubtName"] as? String) == ("decline", "dan"))
    let all = try Self.part("people", of: "declineAll")
    #expect((all["doubt"] as? String, all["doubtCount"] as? Int) == ("declineAll", 3))
    #expect((all["wish"] as? String, all["invitations"] as? Int) == ("", 3))
    let going = try Self.part("people", of: "decliningAll")
    #expect((going["doubt"] as? String, going["wish"] as? String) == ("", "declineAll"))
    #expect(try Self.part("people", of: "accepting")["wish"] as? String == "accept")
    #expect(
      try Self.part("people", of: "refused")["notice"] as? String == "The invitation is gone.")
    #expect(try Self.object("away")["connection"] as? String == "lost")
  }

  @Test("Menus have their texts, faults and stages")
  func menus() throws {
    let fault = try Self.part("menu", of: "newFault")
    let named = try #require(fault["named"] as? Object)
    #expect(named["text"] as? String == "a")
    #expect((named["fault"] as? String)?.isEmpty == false)
    #expect(fault["notice"] as? String == "That is no player's name.")
    let doubted = try Self.part("menu", of: "newDoubted")
    #expect(doubted["stage"] as? String == "doubted")
    #expect((doubted["wanted"] as? String, doubted["wantedName"] as? String) == ("named", "ben"))
    #expect(try Self.part("menu", of: "newAsked")["wanted"] as? String == "open")
    let today = try Self.part("menu", of: "today")
    #expect((today["name"] as? String, today["today"] as? String) == ("boards", "open"))
    #expect(try Self.part("menu", of: "boardFailed")["content"] as? String == "failed")
    let inbox = try #require(Self.part("menu", of: "inbox")["rows"] as? [Object])
    #expect(inbox.map { $0["hasMatch"] as? Bool } == [true, false])
    #expect(inbox[0]["title"] as? String == "Your turn")
    let form = try #require(Self.part("menu", of: "settingsDoubted")["form"] as? Object)
    #expect((form["stage"] as? String, form["isChanged"] as? Bool) == ("doubted", true))
    let wrong = try #require(Self.part("menu", of: "settingsFault")["form"] as? Object)
    #expect(wrong["focus"] as? String == "newDevice")
  }

  @Test("Past games have their filter, its sentence, and a sentence where there is none of them")
  func filters() throws {
    func texts(_ name: String) throws -> [String?] {
      let past = try Self.part("menu", of: name)
      return ["kind", "result", "filter", "empty"].map { past[$0] as? String }
    }
    #expect(try texts("past") == ["", "", "", nil])
    #expect(try texts("pastEmpty") == ["", "", "", "No match is over yet."])
    #expect(
      try texts("pastFiltered") == ["rematch", "lost", "Only rematches that you lost.", nil])
    #expect(
      try texts("pastNoneSuch") == [
        "random", "", "Only games by chance against ben.",
        "You have no past games by chance against ben.",
      ])
  }

  @Test("Past games have their rows, and a record that is checked its verdict")
  func records() throws {
    let past = try Self.part("menu", of: "past")
    let rows = try #require(past["rows"] as? [Object])
    #expect(rows.map { $0["name"] as? String }.first == "ben")
    #expect((rows[0]["points"] as? [Int], rows[2]["points"] as? [Int]) == ([812, 790], [1_204]))
    #expect((past["name"] as? String, past["hasMore"] as? Bool) == ("games", true))
    #expect(try Self.part("menu", of: "pastMore")["isLoadingMore"] as? Bool == true)
    #expect(try Self.part("menu", of: "pastFailed")["content"] as? String == "failed")
    let tampered = try Self.part("record", of: "pastTampered")
    #expect(tampered["file"] as? String == "tampered.json")
    #expect(
      tampered["fault"] as? String == "Entry 9 does not hold: its signature is not its key's.")
    let refused = try Self.part("record", of: "pastRefused")
    #expect(refused["stage"] as? String == "refused")
    let verified = try Self.part("record", of: "verified")
    #expect((verified["isVerified"] as? Bool, verified["stage"] as? String) == (true, "told"))
    #expect(try Self.part("record", of: "unchecked")["isVerified"] as? Bool == false)
    #expect(try Self.part("record", of: "fetching")["stage"] as? String == "asked")
  }

  @Test("A match has its clock, its end, its rating, its rematch and its code")
  func matches() throws {
    let mine = try Self.part("extra", of: "mine")
    #expect((mine["seconds"] as? Int, mine["othersWaiting"] as? Int) == (5_400, 1))
    #expect(mine["canGiveUp"] as? Bool == true)
    #expect(try Self.part("extra", of: "invited")["invitation"] as? String == "K7QM2XPA")
    let givingUp = try Self.part("extra", of: "givingUp")
    #expect(givingUp["givingUp"] as? String == "asked")
    #expect(givingUp["loss"] as? String == "certain")
    #expect(try Self.part("extra", of: "sentWaits")["sentWaits"] as? Bool == true)
    let won = try Self.part("extra", of: "won")
    #expect(won["ending"] as? String == "Over: won, ben gave up.")
    #expect(won["canShare"] as? Bool == true)
    let rating = try #require(won["rating"] as? Object)
    #expect(rating["stage"] as? String == "changed")
    #expect((rating["after"] as? Object)?["points"] as? Int == 1_544)
    let shared = try Self.part("extra", of: "shared")
    #expect(shared["code"] as? String == "M4QX7ZKP2RTA")
    #expect(shared["rematch"] as? String == "offered")
    let failed = try Self.part("extra", of: "rematchFailed")
    #expect(failed["rematchFailure"] as? String == "You have 100 running matches.")
    let watched = try Self.part("extra", of: "watched")
    #expect((watched["watched"] as? String, watched["canShare"] as? Bool) == ("fay", false))
    #expect(
      try Self.part("absent", of: "absent")["failure"] as? String == "There is no such match.")
    let lines = try #require(Self.part("match", of: "hurry")["lines"] as? [Object])
    #expect(lines.last?["reaction"] as? String == "WOW")
  }
}
