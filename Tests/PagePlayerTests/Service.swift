import CubeLexicon
import CubePlay
import CubeRules
import CubistPage
import MatchCore
import MatchRecord
import MatchWire
import Testing

@testable import PagePlayer

/// A page at a service that answers as it is told, through signed messages.
struct Service {
  let signer: Signer
  /// The key of the words that the player types, as the page finds it.
  var words: Signer?
  let page: ServicePage
  /// The time of the page's clock.
  var now = Spoken.now
  /// The messages that nobody has answered.
  private(set) var open: [Sent] = []
  /// The milliseconds after which the page sends its actions.
  private(set) var timers: [String: Int] = [:]

  /// A message that was sent.
  struct Sent {
    let kind: Outgoing.Kind
    let id: EventID
    let body: [UInt8]
    let content: Content

    enum Content {
      case event(Event)
      case query(Query)
      /// Nothing is signed.
      case path(String)
    }

    var query: Query.Kind? { if case .query(let query) = content { query.kind } else { nil } }
    var path: String? { if case .path(let path) = content { path } else { nil } }
    var action: Event.Action? { if case .event(let event) = content { event.action } else { nil } }
  }

  /// - Parameters:
  ///   - key: The player's key; nil: that of the signer.
  ///   - kept: The kept text of the player after the key.
  init(
    key: String? = nil, kept: String = "", words: Lexicon = .english, sharedGame: ShareCode? = nil
  ) throws {
    signer = try #require(Signer.ed25519(seed: Array(repeating: 3, count: 32)))
    let account = try #require(Account(kept: "\(key ?? "\(signer.publicKey)")\(kept)", seed: 5))
    page = ServicePage(account: account, words: words, sharedGame: sharedGame)
  }

  /// A player with a name, who has met the service.
  static func named(_ name: String = "ada") throws -> Service {
    var service = try Service(kept: " \(Spoken.service) \(Spoken.rootKey) \(name)")
    try service.meet()
    return service
  }

  var player: PlayerID { page.world.account.player }

  mutating func act(_ texts: String...) throws {
    for text in texts {
      try #require(page.act(Array(text.utf8)), "\(text)")
      keepTimers()
    }
  }

  /// Keeps the reminders that the page has asked for.
  mutating func keepTimers() {
    for timer in page.timers { timers[timer.action] = timer.milliseconds }
  }

  /// Carries out an action that the page has asked to be reminded of.
  mutating func pass(_ action: String) throws {
    #expect(timers.removeValue(forKey: action) != nil, "\(action)")
    try act(action)
  }

  /// Signs and sends everything that the page says, and gives what is new.
  @discardableResult
  mutating func send() throws -> [Sent] {
    var new: [Sent] = []
    while let outgoing = page.world.next(at: now) {
      if outgoing.kind == .published {
        let path = String(decoding: outgoing.message, as: UTF8.self)
        new.append(Sent(kind: outgoing.kind, id: outgoing.id, body: [], content: .path(path)))
        continue
      }
      let isEvent = [.event, .wordsEvent].contains(outgoing.kind)
      let isByWords = [.wordsQuery, .wordsEvent].contains(outgoing.kind)
      let tag: SignatureTag = isEvent ? .event : .query
      let signer = try isByWords ? #require(words) : signer
      let payload = Array(outgoing.message.dropFirst(tag.message([]).count))
      #expect(outgoing.message == tag.message(payload))
      let body = try #require(
        page.world.account.envelope(
          outgoing.message, signature: signer.sign(payload, as: tag), isByWords: isByWords))
      #expect(Ed25519.verify(try Envelope.decode(body), tag))
      let content: Sent.Content =
        isEvent
        ? .event(try PayloadCodec.decodeEvent(payload)) : .query(try QueryCodec.decode(payload))
      new.append(Sent(kind: outgoing.kind, id: outgoing.id, body: body, content: content))
    }
    open += new
    return new
  }

  /// The open query of a kind, which is then answered.
  mutating func take(_ isWanted: (Sent) -> Bool) throws -> Sent {
    try send()
    let place = open.firstIndex(where: isWanted)
    return open.remove(at: try #require(place, "\(open.map { "\($0.content)" })"))
  }

  mutating func hear(_ bytes: [UInt8], roundTrip: Int64 = 90_000) {
    page.hear(bytes, at: now, roundTrip: roundTrip)
    keepTimers()
  }

  /// Takes a part of the stream of changes.
  mutating func stream(_ text: String) throws {
    #expect(page.streamed(Array(text.utf8)), "\(text)")
    keepTimers()
  }

  mutating func endStream() {
    page.streamEnded()
    keepTimers()
  }

  /// Takes the news of a match's version.
  mutating func stream(_ match: MatchID = match, version: Int64) throws {
    try stream(#"event: match\#ndata: {"match":"\#(match)","version":\#(version)}\#n\#n"#)
  }

  /// Answers the open query of a kind.
  mutating func answer(
    _ kind: Query.Kind, _ payload: some Encodable
  ) throws {
    let sent = try take { $0.query == kind }
    hear(AnswerCodec.encode(payload, query: sent.id))
  }

  mutating func refuse(_ kind: Query.Kind, _ refusal: QueryRefusal) throws {
    let sent = try take { $0.query == kind }
    hear(AnswerCodec.encode(refusal: refusal, query: sent.id))
  }

  /// Answers the open question after what is public; nil: there is nothing.
  mutating func publish(_ payload: (some Encodable)?) throws {
    let sent = try take { $0.path != nil }
    let content = try payload.map { payload in
      let answer = String(decoding: AnswerCodec.encode(payload, query: nil), as: UTF8.self)
      return Array(try #require(answer.split(separator: ",\"ok\":").last).dropLast().utf8)
    }
    page.published(content, to: sent.id, at: now, roundTrip: 90_000)
    keepTimers()
  }

  /// Replies to the open event.
  mutating func reply(_ reply: Reply) throws {
    let sent = try take { $0.action != nil }
    hear(ReplyCodec.encode(reply, event: sent.id))
  }

  /// The open event. It stays open.
  mutating func event() throws -> Sent {
    try send()
    let events = open.filter { $0.action != nil }
    #expect(events.count <= 1)
    return try #require(events.first)
  }

  /// Tells that the open event has no answer yet.
  mutating func delay() throws {
    page.delayed(try event().id)
    keepTimers()
  }

  mutating func lose(_ kind: Query.Kind) throws {
    let sent = try take { $0.query == kind }
    page.lost(sent.id)
    keepTimers()
  }

  /// The open question after the match, in whatever version, which is then answered.
  mutating func takeMatch(_ id: MatchID = match) throws -> Sent {
    try take { if case .match(let query)? = $0.query { query.match == id } else { false } }
  }

  /// Answers the open question after the match.
  mutating func show(_ view: MatchView, asked id: MatchID = match) throws {
    hear(AnswerCodec.encode(view, query: try takeMatch(id).id))
  }

  mutating func loseMatch() throws {
    page.lost(try takeMatch().id)
    keepTimers()
  }

  /// Answers the question after the service itself.
  mutating func meet(_ change: (String) -> String = { $0 }) throws {
    let sent = try take { $0.query == .serviceInfo }
    hear(Array(change(Spoken.serviceInfo(to: sent.id.description)).utf8))
  }

  /// The kinds of questions that are open.
  mutating func asked() throws -> [Query.Kind] {
    try send()
    return open.compactMap { $0.query }
  }

  /// The state as the page draws it.
  var text: String { String(decoding: page.serviceJSON(), as: UTF8.self) }

  /// Makes the list arrive, with some matches.
  mutating func list(_ matches: [MatchSummary] = []) throws {
    try answer(.matches, home(matches))
  }

  func home(
    _ matches: [MatchSummary] = [], invitations: [MatchSummary] = [],
    offers: [RematchOfferView] = []
  ) -> HomeView {
    HomeView(
      matches: matches, invitations: invitations, rematchOffers: offers,
      daily: DailyStatus(
        daily: DailyKey(day: Day(containing: now)), isDealt: true,
        endsAt: now.adding(microseconds: 3_600_000_000), match: nil, isOver: false, points: nil))
  }

  // MARK: Matches

  static let match = MatchID(rawValue: 77)
  static let other = PlayerID(rawValue: 99)

  func summary(_ id: MatchID = match, version: Int64 = 1) -> MatchSummary {
    MatchSummary(
      id: id, version: version, kind: .random, daily: nil, turnLimit: 86_400,
      opponent: Self.other, opponentName: PlayerName("grace"), yourSeat: 0, points: [0, 0],
      turn: 1, yourTurn: true, stage: .playing, deadline: nil, startedAt: now, code: nil)
  }

  /// A match on the first cube after some turns, as the service shows it.
  func view(_ turns: [[Move]] = [], version: Int64? = nil, first: Int = 0) throws -> MatchView {
    var game = CubeGame(puzzle: RobotPage.firstPuzzle(.english), rules: .cube1)
    var played: [MatchView.Turn] = []
    var points = [0, 0]
    for (index, moves) in turns.enumerated() {
      let words = moves.map { move in
        if case .word(let faces) = move { game.spelling(of: faces).description } else { "" }
      }
      let scores = try game.applyTurn(moves, seatCount: 2, words: Lexicon.everyWord)
      let seat = (first + index) % 2
      points[seat] += scores.reduce(0, +)
      played.append(
        MatchView.Turn(
          number: index + 1, seat: seat, moves: moves.map(\.description), words: words,
          scores: scores, acceptedAt: now, hash: .zero))
    }
    return MatchView(
      id: Self.match, version: version ?? Int64(turns.count) + 1, kind: .random,
      language: .english, lexicon: Lexicon.english.version.rawValue,
      rules: game.rules.name, letters: game.puzzle.description,
      seats: [
        MatchView.Seat(
          player: player, name: PlayerName("ada"), points: points[0], turns: 0, state: .taken),
        MatchView.Seat(
          player: Self.other, name: PlayerName("grace"), points: points[1], turns: 0,
          state: .taken),
      ],
      stage: .playing, turn: turns.count + 1, seatToPlay: (first + turns.count) % 2,
      previous: .zero, startedAt: now,
      uses: Face.all.map { String(game.uses(of: $0)) }.joined(),
      inPlay: Cube.all.map { game.inPlay.contains($0) ? "1" : "0" }.joined(),
      playable: game.playable.digits, turns: played)
  }

  /// A word's move on the first cube.
  static func word(_ word: String) throws -> Move {
    let game = CubeGame(puzzle: RobotPage.firstPuzzle(.english), rules: .cube1)
    let found = Lexicon.english.words(on: game).first { $0.word == word }
    return .word(try #require(found).faces)
  }

  func receipt(turn: Int, version: Int64) -> Reply {
    .accepted(
      .turnAccepted(
        TurnReceipt(
          match: Self.match, version: version, turn: turn, scores: [1], points: [1, 0],
          hash: .zero, seatToPlay: 1, outcome: nil)))
  }

  /// The match after the player has given it up.
  func ended() throws -> MatchView {
    var view = try view(version: 2)
    view.stage = .ended
    view.outcome = Outcome(reason: .forfeited, seat: 0, results: [.lost, .won])
    return view
  }

  /// A match that has begun.
  var ticket: MatchTicket {
    MatchTicket(
      match: MatchID(rawValue: 79), version: 1, seat: 0,
      letters: RobotPage.firstPuzzle(.english).description, previous: .zero)
  }

  func rated() throws -> PlayerView {
    PlayerView(
      id: player, name: try #require(PlayerName("ada")), registeredAt: now,
      rating: RatingView(rating: 1_500, deviation: 350, isProvisional: true, matches: 3))
  }

  mutating func spell(_ word: String) throws {
    for letter in word { try act("letter \(letter)") }
  }

  /// Opens the match from the list.
  mutating func openMatch() throws {
    try list([summary()])
    try act("row 0")
    try show(view())
  }
}
