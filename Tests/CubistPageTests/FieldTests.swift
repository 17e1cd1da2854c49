import CubePlay
import CubeRules
import CubistPage
import Testing

@Suite("The field for the word")
struct FieldTests {
  private static func page() -> RobotPage { RobotPage(seed: 1, firstSteps: .done) }

  /// The letters that are chosen once the field has a text.
  private static func type(_ text: String, on page: RobotPage) throws -> String? {
    page.act(try #require(RobotAction(Array("type \(text)".utf8)), "\(text)"))
    return page.shown?.turn.draft?.word?.word
  }

  @Test("Letters are added and taken away at the end, many at once, or replaced")
  func texts() throws {
    let page = Self.page()
    let texts = ["P", "PL", "PLANET", "PLAN", "plane", "NAL", "PLANET"]
    for text in texts { #expect(try Self.type(text, on: page) == text.uppercased()) }
    #expect(try Self.type("", on: page) == nil)
    #expect(page.shown?.turn.draft == .empty)
  }

  @Test("Signs that are no letters are left out")
  func signs() throws {
    #expect(try Self.type("p1l à-a", on: Self.page()) == "PLA")
  }

  @Test("Letters without a path are taken back like others")
  func missed() throws {
    let page = Self.page()
    for text in ["PLANEX", "PLANEXT"] {
      #expect(try Self.type(text, on: page) == "PLANE")
      #expect(page.shown?.turn.notice != nil)
    }
    #expect(try Self.type("PLANET", on: page) == "PLANET")
    #expect(page.shown?.turn.notice == nil)
  }

  @Test("A cube that is taken away stays so while the word changes")
  func marks() throws {
    let page = Self.page()
    page.act(.mark(try #require(Cube(index: 26))))
    for text in ["NAL", "PLAN", ""] { _ = try Self.type(text, on: page) }
    #expect(page.shown?.turn.draft?.marks.map { $0.index } == [26])
  }

  @Test("A Q is QU, whether its U is typed or not, and goes as one")
  func qu() throws {
    let page = Self.page()
    // Robots deal on until a face in use shows QU.
    for _ in 1..<100 where page.shown?.turn.game.playableFaces(showing: .q).isEmpty != false {
      page.act(.new(.easy))
    }
    for text in ["Q", "QU", "QUU"] { #expect(try Self.type(text, on: page) == "QU") }
    #expect(try Self.type("Q", on: page) == nil)
    #expect(try Self.type("QU", on: page) == "QU")
  }

  @Test("In the list there is no word to be changed")
  func list() throws {
    let page = Self.page()
    _ = try Self.type("PLANET", on: page)
    page.act(.submit)
    page.act(.leave)
    let kept = page.kept
    #expect(try Self.type("NAL", on: page) == nil)
    #expect(page.kept == kept)
  }
}
