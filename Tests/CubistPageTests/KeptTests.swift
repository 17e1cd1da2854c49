import CubePlay
import CubeRules
import CubistPage
import Foundation
import Testing

@Suite("The game that a page keeps", .timeLimit(.minutes(2)))
struct KeptTests {
  private static func page(_ firstSteps: FirstStepsProgress = .done) -> Page {
    Page(seed: 1, firstSteps: firstSteps)
  }

  private static func act(_ texts: [String], on page: Page) throws {
    for text in texts { page.act(try #require(PageAction(Array(text.utf8)), "\(text)")) }
  }

  private static func spell(_ word: String) -> [String] { word.map { "letter \($0)" } }

  /// A turn of the player, and the robot's answer; nothing moves any more.
  private static func turn(_ actions: [String]) -> [String] {
    actions + ["submit", "clear", "robot 1", "clear"]
  }

  private static func resumed(_ page: Page) throws -> Page {
    try #require(Page(kept: page.kept, firstSteps: page.app.firstSteps))
  }

  /// The state that is drawn, without what passes by itself.
  private static func state(_ page: Page) throws -> NSDictionary {
    var state = try #require(
      JSONSerialization.jsonObject(with: Data(page.json())) as? [String: Any])
    state["timers"] = nil
    if var match = state["match"] as? [String: Any] {
      for name in ["key", "notice", "noticeValue"] { match[name] = nil }
      state["match"] = match
    }
    return state as NSDictionary
  }

  private static func expectSame(_ page: Page, _ comment: Comment) throws {
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
    #expect(Page(kept: text, firstSteps: .done) != nil)
    for count in 0..<text.count {
      #expect(Page(kept: text.prefix(count), firstSteps: .done) == nil, "\(count)")
    }
    var accepted = 0
    for place in text.indices {
      for byte in [0, 32, 33, 60, 113, 126, 255] as [UInt8] where byte != text[place] {
        var broken = text
        broken[place] = byte
        if let page = Page(kept: broken, firstSteps: .done) {
          accepted += 1
          #expect(!page.json().isEmpty)
          try Self.act(["submit", "robot 1", "leave", "row 0"], on: page)
        }
      }
    }
    #expect(accepted < text.count * 7 / 2)
    for text in ["", " ", "x", "null", "{}", String(repeating: " ", count: 10_000)] {
      #expect(Page(kept: Array(text.utf8), firstSteps: .done) == nil, "\(text.prefix(10))")
    }
  }
}
