import CubeLexicon
import CubePlay
import CubeRules
import CubistBasics
import CubistPage
import MatchCore
import PagePlayer

// deploy/wasm compiles this file too: the page at a service says the same in a browser's engine, where
// an `Int` has 32 bits and SHA-256 is the project's own.

/// The messages and states of a page while a player takes a name and plays a turn, as one number.
enum Spoken {
  /// The number that every build has to reach.
  static let golden: UInt64 = 6_481_716_778_142_688_556

  static let key = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
  static let service = "5e71ce00-0000-0000-0000-000000000001"
  /// The player of that key.
  static let player = "60e8a2ff-7745-0eaf-e635-22cbafef2282"
  static let other = "00000000-0000-0000-0000-000000000063"
  static let match = "00000000-0000-0000-0000-00000000004d"
  static let rootKey = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
  /// The time of the page's clock, which is an hour behind the service's.
  static let now = Instant(microseconds: 1_777_600_000_000_000)
  /// The service's time.
  private static let time = "1777603600000000"

  static func hash() -> UInt64 {
    guard let player = Account(kept: key, seed: 5) else { return 0 }
    let talk = Talk(ServicePage(account: player, words: .english))
    talk.tell { serviceInfo(to: $0) }
    talk.act("name ada")
    talk.act("code ABCD1234")
    talk.act("register")
    talk.tell { refusedName(to: $0) }
    talk.act("name Ada_2")
    talk.act("register")
    talk.tell { registered("Ada_2", to: $0) }
    talk.tell { home(to: $0) }
    talk.act("lead")
    talk.tell { _ in "" }
    talk.act("row 0")
    var game = CubeGame(puzzle: RobotPage.firstPuzzle(.english))
    talk.tell { view(of: game, [], to: $0) }
    // The question after the rating.
    talk.tell { ownAccount("Ada_2", to: $0) }
    guard let first = play(on: &game) else { return 0 }
    for character in first.word { talk.act("letter \(character)") }
    talk.act("submit")
    talk.tell { turn(to: $0) }
    talk.tell { view(of: game, [first], to: $0) }
    guard let second = play(on: &game) else { return 0 }
    talk.stream(#"event: match\#ndata: {"match":"\#(match)","version":3}\#n\#n"#)
    talk.tell { view(of: game, [first, second], to: $0) }
    talk.act("leave")
    talk.tell { home(to: $0) }
    return talk.hash.value
  }

  /// A word is played.
  private static func play(on game: inout CubeGame) -> FoundWord? {
    let found = Lexicon.english.words(on: game).first { $0.word.utf8.count == 5 }
    guard let found else { return nil }
    do throws(TurnRefusal) {
      _ = try game.applyTurn([.word(found.faces)], seatCount: 2, words: Lexicon.everyWord)
    } catch { return nil }
    return found
  }
}

/// A page whose messages are answered one after the other.
private final class Talk {
  var hash = FNV1a()
  private let page: ServicePage

  init(_ page: ServicePage) { self.page = page }

  /// Answers the next message; the closure gets its id.
  func tell(_ answer: (String) -> String) {
    guard let message = page.world.next(at: Spoken.now) else { return add([0]) }
    add([message.kind.rawValue])
    add(
      page.world.account.envelope(message.message, signature: Array(repeating: 7, count: 64)) ?? [])
    let answer = Array(answer(message.id.description).utf8)
    if message.kind != .stream { page.hear(answer, at: Spoken.now, roundTrip: 90_000) }
    add(page.serviceJSON())
  }

  func act(_ action: String) {
    add([page.act(Array(action.utf8)) ? 1 : 0])
    add(page.serviceJSON())
  }

  func stream(_ text: String) {
    add([page.streamed(Array(text.utf8)) ? 1 : 0])
    add(page.serviceJSON())
  }

  private func add(_ bytes: [UInt8]) { for byte in bytes { hash.add(byte) } }
}

// MARK: - Answers

extension Spoken {
  static func serviceInfo(to query: String, from service: String = service) -> String {
    """
    {"v":1,"query":"\(query)","ok":{"certificates":[],"limits":{"entries":1024,"moves":81,\
    "payloadBytes":1024,"queriesPerMinute":600,"turnBytes":4096},"now":\(time),\
    "oldestClient":"0.1.0","queueCount":16,"registration":"code","rootKey":"\(rootKey)",\
    "service":"\(service)","version":"0.1.0"}}
    """
  }

  static func refusedName(to event: String) -> String {
    """
    {"v":1,"event":"\(event)","refused":{"name":"nameTaken","values":{"name":"ada"},\
    "message":"The name \\"ada\\" is taken."}}
    """
  }

  static func registered(_ name: String, to event: String) -> String {
    """
    {"v":1,"event":"\(event)","accepted":{"type":"registered",\
    "player":"\(player)","name":"\(name)"}}
    """
  }

  static func ownAccount(_ name: String, to query: String) -> String {
    """
    {"v":1,"query":"\(query)","ok":{"id":"\(player)",\
    "name":"\(name)","rating":{"deviation":350,"isProvisional":true,"matches":0,"rating":1500},\
    "registeredAt":\(time)}}
    """
  }

  /// One match, and a challenge that is not dealt.
  private static func home(to query: String) -> String {
    """
    {"v":1,"query":"\(query)","ok":{"matches":[{"id":"\(match)","version":1,"kind":"random",\
    "turnLimit":86400,"opponent":"\(other)","opponentName":"grace","yourSeat":0,"points":[0,0],\
    "turn":1,"yourTurn":true,"stage":"playing","deadline":1777690000000000,"startedAt":\(time)}],\
    "invitations":[],"rematchOffers":[],"daily":{"daily":{"day":"2026-05-01",\
    "mode":"unlimited","language":"en"},"isDealt":false,"endsAt":1777690000000000,"isOver":false}}}
    """
  }

  private static func turn(to event: String) -> String {
    """
    {"v":1,"event":"\(event)","accepted":{"type":"turnAccepted","match":"\(match)","version":2,\
    "turn":1,"scores":[1],"points":[1,0],"hash":"\(rootKey)","seatToPlay":1}}
    """
  }

  /// The match after some words, on the cube that they have led to.
  private static func view(
    of game: CubeGame, _ words: [FoundWord], to query: String
  ) -> String {
    var turns = ""
    for (index, word) in words.enumerated() {
      turns += index == 0 ? "" : ","
      turns += """
        {"number":\(index + 1),"seat":\(index % 2),"moves":["\(Move.word(word.faces))"],\
        "words":["\(word.word)"],"scores":[\(word.score)],"acceptedAt":\(time),"hash":"\(rootKey)"}
        """
    }
    let points = (0...1).map { $0 < words.count ? words[$0].score : 0 }
    var (uses, inPlay) = ("", "")
    for face in Face.all { uses += "\(game.uses(of: face))" }
    for cube in Cube.all { inPlay += game.inPlay.contains(cube) ? "1" : "0" }
    return """
      {"v":1,"query":"\(query)","ok":{"id":"\(match)","version":\(words.count + 1),\
      "kind":"random","turnLimit":86400,"language":"en",\
      "lexicon":"\(Lexicon.english.version.rawValue)","rules":"\(game.rules.name)",\
      "letters":"\(game.puzzle)","seats":[{"player":"\(player)","name":"Ada_2",\
      "points":\(points[0]),"turns":0,"state":"taken"},{"player":"\(other)","name":"grace",\
      "points":\(points[1]),"turns":0,"state":"taken"}],"stage":"playing",\
      "turn":\(words.count + 1),"seatToPlay":\(words.count % 2),"previous":"\(rootKey)",\
      "startedAt":\(time),"uses":"\(uses)","inPlay":"\(inPlay)",\
      "playable":"\(game.playable.digits)","turns":[\(turns)]}}
      """
  }
}
