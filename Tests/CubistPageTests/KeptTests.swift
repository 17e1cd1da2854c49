import CubeLexicon
import CubePlay
import CubeRules
import CubistPage
import Foundation
import Testing

@Suite("The game that a page keeps")
struct KeptTests {
  private static func page(_ firstSteps: FirstStepsProgress = .done) -> RobotPage {
    RobotPage(seed: 1, firstSteps: firstSteps)
  }

  private static func act(_ texts: [String], on page: RobotPage) throws {
    for text in texts { page.act(try #require(RobotAction(Array(text.utf8)), "\(text)")) }
  }

  private static func spell(_ word: String) -> [String] { word.map { "letter \($0)" } }

  /// A turn of the player, and the robot's answer; nothing moves any more.
  private static func turn(_ actions: [String]) -> [String] {
    actions + ["submit", "clear", "robot 1", "clear"]
  }

  private static func resumed(_ page: RobotPage) throws -> RobotPage {
    try #require(RobotPage(kept: page.kept, firstSteps: page.app.firstSteps))
  }

  /// The state that is drawn, without what passes by itself.
  private static func state(_ page: RobotPage) throws -> NSDictionary {
    var state = try #require(
      JSONSerialization.jsonObject(with: Data(page.json())) as? [String: Any])
    state["timers"] = nil
    if var match = state["match"] as? [String: Any] {
      for name in ["key", "notice", "noticeValue"] { match[name] = nil }
      state["match"] = match
    }
    return state as NSDictionary
  }

  private static func expectSame(_ page: RobotPage, _ comment: Comment) throws {
    let resumed = try resumed(page)
    #expect(try state(resumed) == state(page), comment)
    #expect(resumed.kept == page.kept, comment)
  }

  @Test("Nothing is kept while nothing is under way")
  func nothing() throws {
    let page = Self.page(.unseen)
    #expect(page.kept.isEmpty)
    try Self.act(["letter P"], on: page)
    #expect(!page.kept.isEmpty)
    try Self.act(["back", "help", "close", "submit"], on: page)
    #expect(page.kept.isEmpty)
    try Self.act(["leave"], on: page)
    #expect(page.kept.isEmpty)
    // Another cube than that of a new page is something already.
    try Self.act(["row 1"], on: page)
    #expect(!page.kept.isEmpty)
  }

  @Test("After each action of a match the text leads to the same state")
  func match() throws {
    let page = Self.page()
    let actions =
      Self.turn(Self.spell("HOUSEPLANT")) + Self.turn(["mark 2", "mark 4"])
      + Self.spell("RAPTLYX") + ["back", "values"] + Self.turn([])
      + ["mark 8"] + Self.spell("GLI") + ["mark 8", "clear"]
    for action in actions {
      try Self.act([action], on: page)
      // A shown turn is not shown again.
      let isShowing = page.shown?.show != nil
      if !isShowing { try Self.expectSame(page, "\(action)") }
    }
    #expect(page.kept.count < 500)
  }

  @Test("A face that was tapped and a way that was chosen stay")
  func ways() throws {
    let page = Self.page()
    try Self.act(Self.spell("NAL"), on: page)
    for way in [2, 1, 2] {
      try Self.act(["way \(way)"], on: page)
      let path = try Self.resumed(page).shown?.turn.draft?.word?.shown.faces
      #expect(path == page.shown?.turn.draft?.word?.shown.faces)
    }
    let face = try #require(page.shown?.turn.draft?.word?.shown.faces.first)
    try Self.act(["clear", "face \(face.number)"], on: page)
    try Self.expectSame(page, "a face")
  }

  @Test("A robot that thought begins anew, and plays the same turn")
  func thinking() throws {
    let page = Self.page()
    try Self.act(Self.spell("PLANET") + ["submit"] + Self.spell("NA"), on: page)
    let resumed = try Self.resumed(Self.resumed(page))
    #expect(resumed.timers.map(\.action) == ["robot 1"])
    for page in [page, resumed] { try Self.act(["robot 1", "look 0"], on: page) }
    #expect(try Self.state(resumed) == Self.state(page))
    #expect(page.shown?.lines.count == 2)
  }

  @Test("All running matches stay, and none that is over, except on the page")
  func several() throws {
    let page = Self.page()
    try Self.act(["new hard", "leave", "new medium"] + Self.spell("A"), on: page)
    try Self.expectSame(page, "in a match")
    try Self.act(["leave"], on: page)
    try Self.expectSame(page, "in the list")
    let running = try Self.resumed(page).app.home.list?.rows.filter { $0.kind == .yourTurn }
    #expect(running?.map(\.opponent) == ["Robot, medium", "Robot, hard", "Robot, easy"])

    // The last of them is played to its end.
    try Self.act(["row 2"], on: page)
    while case .playing? = page.shown?.turn.stage {
      for _ in 0..<2 {
        guard let face = page.shown?.picture.game.playable.first(where: { _ in true }) else {
          break
        }
        page.act(.mark(face.cube))
      }
      try Self.act(["submit", "robot 1", "clear"], on: page)
    }
    try Self.expectSame(page, "over")
    try Self.act(["leave"], on: page)
    let rows = try Self.resumed(page).app.home.list?.rows.filter { $0.kind == .yourTurn }
    #expect(rows?.count == 2)
    #expect(try Self.resumed(page).kept == page.kept)
  }

  @Test("A game alone goes on, in a word and between turns, and stays on the page once it is over")
  func alone() throws {
    let page = Self.page()
    try Self.act(["leave", "row 4"], on: page)
    #expect(page.shown?.turn.players == .alone(points: 0))
    try Self.expectSame(page, "untouched")
    let word = try #require(page.shown.flatMap { Lexicon.english.words(on: $0.turn.game).first })
    for action in Self.spell(word.word) + ["submit", "clear"] {
      try Self.act([action], on: page)
      if page.shown?.show == nil { try Self.expectSame(page, "\(action)") }
    }
    #expect(page.shown?.turn.players == .alone(points: word.score))
    // One cube is a turn.
    while case .playing? = page.shown?.turn.stage {
      let face = try #require(page.shown?.turn.game.playable.first { _ in true })
      try Self.act(["mark \(face.cube.index)"], on: page)
      try Self.expectSame(page, "a cube")
      try Self.act(["submit", "clear"], on: page)
      try Self.expectSame(page, "a turn")
    }
    #expect(page.shown?.turn.stage == .over(.cleared))
    #expect(page.shown?.turn.players == .alone(points: word.score))
    #expect(page.kept.count < 400)
    try Self.act(["leave"], on: page)
    let rows = page.app.home.list?.rows.filter { $0.kind == .yourTurn }
    #expect(rows?.map(\.opponent) == ["Robot, easy"])
  }

  @Test("A line from before games alone leads to its matches, and is written again as it was")
  func oldLine() throws {
    // Cubes are taken away from a match to its end; the rematch, which the robot began, goes on, and
    // so does another match, with a cube marked and a letter chosen.
    let line =
      ##""&"-(+%0(*,*(($/ !! ; !! T  !"! ".29:%234!("%!%99)/).!!.%&./!%))#%4$!32444(/%%,/2'!2"##
      + ##"2#$!4!!!2%%41,/,#7.9(%%./1(4!  CLg^  _\Y  g_\Y   #!" 44%%/!)$!'%/!0$/26%3$..)4././,5"##
      + ##"."'-,%7623%"-.%243)/!2:/!!2+5-!!%/#92.!%%4.'$2-$)'   "##
    let page = try #require(RobotPage(kept: line.utf8, firstSteps: .done))
    #expect(page.shown?.opponent == "Robot, hard")
    #expect(page.shown?.turn.draft?.marks == [try #require(Cube(index: 26))])
    #expect(page.shown?.turn.draft?.word?.word == "A")
    #expect(page.kept == Array(line.utf8))
    try Self.act(["leave"], on: page)
    let running = page.app.home.list?.rows.filter { $0.kind == .yourTurn }
    #expect(running?.map(\.opponent) == ["Robot, hard", "Robot, easy"])
    #expect(running?.map(\.points) == [[0, 0], [12, 48]])
  }

  @Test("A line in which nobody has the first turn, or a robot that does not exist, is refused")
  func impossibleOpponents() throws {
    let page = Self.page()
    try Self.act(["leave", "row 4", "mark 26"], on: page)
    let text = String(decoding: page.kept, as: UTF8.self)
    // Only the game alone is kept after an untouched match: 0, 0, 0, then 3, 0, 1.
    let head = ##" $!" "##
    #expect(text.contains(head))
    for other in [##" $"" "##, ##" $#" "##, ##" %!" "##, ##" ##" "##] {
      let broken = text.replacingOccurrences(of: head, with: other)
      #expect(broken != text)
      #expect(RobotPage(kept: broken.utf8, firstSteps: .done) == nil, "\(other)")
    }
  }

  @Test("The first steps go on with their word")
  func firstSteps() throws {
    let page = Self.page(.unseen)
    let lesson =
      ["steps", "submit"] + Self.spell("GAME") + ["submit", "submit", "look 1", "clear"]
      + Self.spell("CUBES") + ["submit"] + Self.spell("BAC") + ["back", "clear"]
    for action in lesson {
      try Self.act([action], on: page)
      guard page.shown?.lookedBack == 0 else { continue }
      try Self.expectSame(page, "\(action)")
    }
    try Self.act(["leave"], on: page)
    #expect(page.kept.isEmpty)
  }

  @Test("A new random number is drawn after a reload, as without one")
  func random() throws {
    let page = Self.page()
    try Self.act(Self.turn(Self.spell("PLANET")), on: page)
    let resumed = try Self.resumed(page)
    for page in [page, resumed] { try Self.act(["leave", "new easy"], on: page) }
    #expect(try Self.state(resumed) == Self.state(page))
    #expect(resumed.shown?.turn.game.puzzle != Self.page().shown?.turn.game.puzzle)
  }

  @Test("No text traps, and most that no page has written are refused")
  func broken() throws {
    let page = Self.page()
    try Self.act(
      Self.turn(Self.spell("PLANET")) + ["mark 2"] + Self.spell("LINE") + ["letter X"], on: page)
    let text = page.kept
    #expect(RobotPage(kept: text, firstSteps: .done) != nil)
    for count in 0..<text.count {
      #expect(RobotPage(kept: text.prefix(count), firstSteps: .done) == nil, "\(count)")
    }
    var accepted = 0
    for place in text.indices {
      for byte in [0, 32, 33, 60, 113, 126, 255] as [UInt8] where byte != text[place] {
        var broken = text
        broken[place] = byte
        if let page = RobotPage(kept: broken, firstSteps: .done) {
          accepted += 1
          #expect(!page.json().isEmpty)
          try Self.act(["submit", "robot 1", "leave", "row 0"], on: page)
        }
      }
    }
    #expect(accepted < text.count * 7 / 2)
    for text in ["", " ", "x", "null", "{}", String(repeating: " ", count: 10_000)] {
      #expect(RobotPage(kept: Array(text.utf8), firstSteps: .done) == nil, "\(text.prefix(10))")
    }
  }
}
