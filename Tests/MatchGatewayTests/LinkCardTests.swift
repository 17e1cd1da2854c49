import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import RawHTTP
import RealServers
import Testing

@testable import MatchGateway

@Suite("What a chat shows for a link", .ownThreads)
struct LinkCardTests {
  static func seat(_ name: String, _ points: Int) -> MatchView.Seat {
    MatchView.Seat(
      player: PlayerID(rawValue: 1), name: PlayerName(name), points: points, turns: 1,
      state: .taken)
  }

  static func view(_ seats: [MatchView.Seat]) -> MatchView {
    MatchView(
      id: MatchID(rawValue: 7), version: 1, kind: .random, language: .english, lexicon: "l",
      rules: "cube-1", letters: "", seats: seats, stage: .ended, turn: 2, seatToPlay: 0,
      previous: .zero, startedAt: .init(microseconds: 0), uses: "", inPlay: "", playable: "",
      turns: [])
  }

  /// A service in which one game was shared.
  static func answer(_ message: GatewayBus.Outgoing) -> [GatewayBus.Incoming] {
    guard let query = try? GatewayQuery(message.body),
      case .asAnybody(.matchByCode(let asked)) = query.question
    else { return [] }
    let isShared = asked.code.description == "SHAREDGAME234567"
    let bytes =
      isShared
      ? AnswerCodec.encode(view([seat("ada", 341), seat("ben", 230)]), query: query.id)
      : AnswerCodec.encode(refusal: .codeUnknown, query: query.id)
    return [.reply(message.number, bytes)]
  }

  /// A property of the card.
  static func property(_ name: String, _ page: RawClient.Answer) -> String? {
    let start = "<meta property=\"og:\(name)\" content=\""
    let line = page.text.split(separator: "\n").first { $0.hasPrefix(start) }
    return line.map { String($0.dropFirst(start.count).dropLast(2)) }
  }

  @Test("A shared game's card names players and points, an invitation's and the page's do not")
  func cards() throws {
    let lab = try Lab({ $0.publicAddress = "https://play.example" }, answer: { Self.answer($0) })
    let client = try lab.connect()
    let shared = try client.ask("GET", "/s/SHAREDGAME234567")
    #expect(Self.property("title", shared) == "ada 341 : ben 230")
    let invited = try client.ask("GET", "/g/K7QM2XPA")
    #expect(Self.property("title", invited) == "You are invited to a match of Cubist")
    let root = try client.ask("GET", "/", [PageTests.browser])
    #expect(Self.property("title", root) == "Cubist")
    for page in [shared, invited, root] {
      let address = try #require(Self.property("image", page))
      let start = "https://play.example"
      #expect(address.hasPrefix("\(start)/"))
      let picture = try client.ask("GET", String(address.dropFirst(start.count)))
      #expect(picture.status == 200 && picture["content-type"] == "image/png")
      // A chat shows no larger one.
      #expect(picture.body.count < 300_000)
    }
  }

  @Test("A card names nobody where the game is not known, and for a browser, which does not wait")
  func nobody() throws {
    let lab = try Lab(answer: { Self.answer($0) })
    let client = try lab.connect()
    let title = "A game of Cubist"
    let unknown = try client.ask("GET", "/s/NOSUCHGAME234567")
    #expect(unknown.status == 200 && Self.property("title", unknown) == title)
    /// How often readers were asked for a game. Who they are is asked now and then.
    func asked() -> Int {
      lab.broker.questions.count {
        if case .asAnybody(.matchByCode) = $0.question { true } else { false }
      }
    }
    #expect(asked() == 1)
    let browser = try client.ask(
      "GET", "/s/SHAREDGAME234567", [PageTests.browser, "Sec-Fetch-Mode: navigate"])
    #expect(Self.property("title", browser) == title)
    #expect(asked() == 1)
    // Without a public address the picture's is relative.
    #expect(Self.property("image", browser)?.hasPrefix("/") == true)
    // A silent service costs a card its names, and no more.
    lab.broker.fallMute()
    lab.broker.goDown()
    #expect(try client.ask("GET", "/s/SHAREDGAME234568").status == 200)
  }

  @Test("A shared game's card is made once for each answer, and names the players each time")
  func once() throws {
    let lab = try Lab(answer: { Self.answer($0) })
    let client = try lab.connect()
    for _ in 0..<3 {
      let page = try client.ask("GET", "/s/SHAREDGAME234567")
      #expect(page.status == 200 && Self.property("title", page) == "ada 341 : ben 230")
      #expect(lab.gateway.cards.count == 1)
    }
    // A game that is not known has the card that is there from the start.
    _ = try client.ask("GET", "/s/NOSUCHGAME234567")
    #expect(lab.gateway.cards.count == 1)
  }

  @Test("Cards are kept by the tags of answers, and never more than the table holds")
  func table() {
    let table = CardTable()
    var made: [String] = []
    func ask(_ tag: String) -> WebPage.File? {
      table.file(tag) {
        made.append(tag)
        return WebPage.shared.index(LinkCard(of: Self.view([])), at: nil, isPacked: false)
      }
    }
    let tags = [ask("a"), ask("a")].map { $0?.plain.tag }
    #expect(tags[0] != nil && tags[0] == tags[1])
    #expect(made == ["a"])
    let none = table.file("b") { nil }
    #expect(none == nil && table.count == 1)
    for number in 0..<(CardTable.capacity * 4) {
      _ = ask("\(number)")
      // Used again and again, it stays.
      _ = ask("a")
      #expect(table.count <= CardTable.capacity)
    }
    #expect(made.count { $0 == "a" } == 1)
    #expect(made.count == CardTable.capacity * 4 + 1)
  }

  @Test("A cache keeps the page of a shared game apart for browsers and for readers of cards")
  func vary() throws {
    let lab = try Lab(answer: { Self.answer($0) })
    let client = try lab.connect()
    func depends(_ page: RawClient.Answer) -> Bool {
      page.fields.contains { $0.name.lowercased() == "vary" && $0.value == "Sec-Fetch-Mode" }
    }
    let path = "/s/SHAREDGAME234567"
    #expect(try depends(client.ask("GET", path)))
    #expect(try depends(client.ask("GET", path, ["Sec-Fetch-Mode: navigate"])))
    #expect(try depends(client.ask("GET", "/s/NOSUCHGAME234567")))
    #expect(try !depends(client.ask("GET", "/g/K7QM2XPA")))
  }

  @Test("No name can leave its place in the tags")
  func escaping() {
    var card = LinkCard(of: Self.view([Self.seat("ada", -1)]))
    #expect(card.title == "ada -1")
    #expect(LinkCard(of: Self.view([Self.seat("ada", 3), Self.seat("no name", 0)])) == .sharedGame)
    card.title = "\"><script>&"
    #expect(card.tags(picture: "/").contains("content=\"&quot;&gt;&lt;script&gt;&amp;\""))
    // A combining mark makes one character with the sign before it.
    card.title = "\"\u{301}<\u{338}&\u{20DD}"
    let marked = "content=\"&quot;\u{301}&lt;\u{338}&amp;\u{20DD}\""
    #expect(Array(card.tags(picture: "/").utf8).contains(Array(marked.utf8)))
  }
}
