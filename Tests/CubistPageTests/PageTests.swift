import CubeLexicon
import CubePlay
import CubeRules
import CubistPage
import Foundation
import Testing

@Suite("The game of the page")
struct PageTests {
  private static func page(_ firstSteps: FirstStepsProgress = .done) -> RobotPage {
    RobotPage(seed: 1, firstSteps: firstSteps)
  }

  private static func spell(_ word: String, on page: RobotPage) throws {
    for letter in word { page.act(.letter(try #require(Letter(letter)))) }
  }

  /// Carries out what the page asked to be reminded of, until that is nothing.
  private static func wait(for page: RobotPage) throws {
    var count = 0
    while let timer = page.timers.first {
      count += 1
      try #require(count < 200)
      page.act(try #require(RobotAction(Array(timer.action.utf8))))
    }
  }

  private static func object(_ page: RobotPage) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(page.json()))
    return try #require(object as? [String: Any])
  }

  private static func match(_ page: RobotPage) throws -> [String: Any] {
    try #require(object(page)["match"] as? [String: Any])
  }

  @Test("A match is played to its end by words and by cubes, and a rematch begins")
  func wholeMatch() throws {
    let page = Self.page()
    var turns = 0
    while case .playing(.mine, _)? = page.shown?.turn.stage {
      turns += 1
      try #require(turns < 60)
      let game = try #require(page.shown?.turn.game)
      if turns < 12, let word = Lexicon.english.words(on: game).first {
        try Self.spell(word.word, on: page)
        #expect(try Self.match(page)["canPlay"] as? Bool == true)
      } else {
        for _ in 0..<2 {
          // The cubes in sight are those of the picture: without the marked ones.
          guard let face = page.shown?.picture.game.playable.first(where: { _ in true }) else {
            break
          }
          page.act(.mark(face.cube))
        }
      }
      page.act(.submit)
      // The robot thinks, and its turn is shown.
      #expect(page.timers.contains { $0.action == "robot 1" } || game.isOver || turns > 1)
      page.act(.robot(MatchKey("1")))
      page.act(.clear)
    }
    #expect(page.shown?.turn.stage == .over(.cleared))
    let match = try Self.match(page)
    #expect(match["stage"] as? String == "over")
    #expect(match["canRematch"] as? Bool == true)
    #expect(match["cubes"] as? Int == 0)
    let points = try #require(match["points"] as? [Int])
    let result = points[0] == points[1] ? "tied" : points[0] > points[1] ? "won" : "lost"
    #expect(match["result"] as? String == result)
    page.act(.rematch)
    #expect(page.app.match?.key == MatchKey("2"))
    // The other one begins.
    #expect(page.timers.map(\.action) == ["robot 2"])
    try Self.wait(for: page)
    #expect(try Self.match(page)["stage"] as? String == "mine")
  }

  @Test("A game alone has one seat: every turn is the player's, and its end has no rematch")
  func alone() throws {
    let page = Self.page()
    page.act(.leave)
    page.act(.row(4))
    #expect(page.app.match?.key == MatchKey("2"))
    var (turns, points) = (0, 0)
    while case .playing(.mine, _)? = page.shown?.turn.stage {
      turns += 1
      try #require(turns < 60)
      let game = try #require(page.shown?.turn.game)
      if turns < 5, let word = Lexicon.english.words(on: game).first {
        try Self.spell(word.word, on: page)
        points += word.score
      } else {
        page.act(.mark(try #require(game.playable.first { _ in true }).cube))
      }
      #expect(try Self.match(page)["canPlay"] as? Bool == true)
      page.act(.submit)
      #expect(!page.timers.contains { $0.action.hasPrefix("robot") })
      page.act(.clear)
      #expect(try Self.match(page)["points"] as? [Int] == [points])
    }
    let match = try Self.match(page)
    #expect(match["stage"] as? String == "over")
    #expect(match["result"] as? String == "played")
    #expect(match["opponent"] as? String == "")
    #expect(match["canRematch"] as? Bool == false)
    #expect(match["cubes"] as? Int == 0)
    let lines = try #require(match["lines"] as? [[String: Any]])
    #expect(lines.count == turns)
    #expect(lines.allSatisfy { $0["isTheirs"] as? Bool == false })
    page.act(.rematch)
    #expect(page.app.match?.key == MatchKey("2"))
    page.act(.leave)
    let home = try #require(Self.object(page)["home"] as? [String: Any])
    #expect((home["rows"] as? [Any])?.count == 5)
  }

  @Test("A turn of the robot is shown moment by moment, and then its cubes vanish")
  func showing() throws {
    let page = Self.page()
    try Self.spell("PLANET", on: page)
    page.act(.submit)
    #expect(page.timers.map(\.action) == ["robot 1"])
    page.act(.robot(MatchKey("1")))
    #expect(page.timers.map(\.action) == ["tick 1"])
    var lengths: [Int] = []
    while !page.timers.isEmpty {
      lengths.append(try #require(Self.match(page)["path"] as? [Int]).count)
      page.act(.tick(MatchKey("1")))
    }
    #expect(lengths.first == 1)
    #expect(lengths == lengths.sorted())
    #expect(try Self.match(page)["isShowing"] as? Bool == false)
  }

  @Test("One of several ways is chosen by its number")
  func ways() throws {
    let page = Self.page()
    try Self.spell("NAL", on: page)
    #expect(page.shown?.turn.draft?.word?.ways.count == 2)
    for number in [2, 1, 2, 2] {
      page.act(.way(number))
      #expect(page.shown?.turn.draft?.word?.shownIndex == number - 1)
    }
    for number in [0, 3, -1, .max, .min] { page.act(.way(number)) }
    #expect(page.shown?.turn.draft?.word?.shownIndex == 1)
  }

  @Test("Any turn can be looked at by its number")
  func lookingBack() throws {
    let page = Self.page()
    try Self.spell("PLANET", on: page)
    page.act(.submit)
    try Self.wait(for: page)
    for number in [1, 2, 1, 0, 2] {
      page.act(.turn(number))
      #expect(try Self.match(page)["at"] as? Int == number)
    }
    for number in [3, -1, .max, .min] { page.act(.turn(number)) }
    #expect(try Self.match(page)["at"] as? Int == 2)
  }

  @Test("A robot is chosen from the list; the running match stays there")
  func list() throws {
    let page = Self.page()
    page.act(.new(.hard))
    #expect(page.shown?.opponent == "Robot, hard")
    page.act(.leave)
    let home = try #require(Self.object(page)["home"] as? [String: Any])
    let rows = try #require(home["rows"] as? [[String: Any]])
    #expect(rows.map { $0["isNew"] as? Bool } == [false, false, true, true, true, true])
    #expect(rows.last?["name"] as? String == "Alone")
    page.act(.row(1))
    #expect(page.app.match?.key == MatchKey("1"))
    // A row is chosen only in the list.
    page.act(.row(0))
    #expect(page.app.match?.key == MatchKey("1"))
    page.act(.leave)
    page.act(.row(7))
    #expect(page.app.match == nil)
  }

  @Test("The first steps are taken by fingers alone")
  func firstSteps() throws {
    let page = Self.page(.unseen)
    page.act(.steps)
    func step() throws -> Int {
      let steps = try #require(Self.object(page)["steps"] as? [String: Any])
      let number = try #require(steps["number"] as? Int)
      #expect(steps["isRead"] as? Bool == [1, 6, 24].contains(number))
      return number
    }
    /// Taps a face with each letter; the last of a word may be anywhere.
    func tap(_ word: String) throws {
      for letter in word {
        let letter = try #require(Letter(letter))
        let before = try #require(page.shown)
        let path = before.turn.draft?.word?.shown.faces ?? []
        for face in before.turn.game.playableFaces(showing: letter) where !path.contains(face) {
          if let last = path.last, !last.touches(face) { continue }
          page.act(.face(face))
          let now = page.shown?.turn.draft?.word?.word ?? ""
          if now.count > (before.turn.draft?.word?.word.count ?? 0) { break }
        }
      }
    }
    #expect(try step() == 1)
    page.act(.submit)
    for (word, number) in [("G", 3), ("A", 4), ("ME", 5)] {
      try tap(word)
      #expect(try step() == number)
    }
    page.act(.submit)
    #expect(try step() == 6)
    for action in [PageAction.submit, .turn(1), .turn(0)] { page.act(action) }
    #expect(try step() == 9)
    try tap("CUBES")
    page.act(.submit)
    try tap("BAC")
    page.act(.back)
    page.act(.clear)
    try tap("GAME")
    page.act(.clear)
    #expect(try step() == 15)
    // A tap types the letter here, so that both ways are open.
    try tap("TIN")
    #expect(try step() == 16)
    page.act(.way(2))
    page.act(.submit)
    try tap("GAMES")
    page.act(.submit)
    #expect(try step() == 20)
    for number in [22, 23] {
      let cube = try #require(page.shown?.picture.game.playable.first { _ in true }?.cube)
      page.act(.mark(cube))
      #expect(try step() == number)
    }
    page.act(.submit)
    #expect(try step() == 24)
    page.act(.submit)
    #expect(page.app.firstSteps == .done)
    #expect(try Self.object(page)["kept"] as? String == "done")
  }

  @Test("The notices of the rules have their names and values")
  func notices() throws {
    let page = Self.page()
    page.act(.submit)
    #expect(try Self.match(page)["notice"] as? String == "turnShape")
    #expect(try Self.match(page)["noticeValue"] as? String == "empty")
    try Self.spell("PLANX", on: page)
    #expect(try Self.match(page)["notice"] as? String == "noPath")
    #expect(try Self.match(page)["noticeValue"] as? String == "X")
    #expect(try Self.match(page)["missed"] as? String == "X")
    page.act(.clear)
    page.act(.mark(try #require(Cube(index: 26))))
    page.act(.submit)
    #expect(try Self.match(page)["notice"] as? String == "turnShape")
    #expect(try Self.match(page)["noticeValue"] as? String == "singleRemoval")
  }

  @Test("The same seed gives the same game, and everybody the same first cube")
  func seeds() {
    #expect(
      RobotPage(seed: 1, firstSteps: .done).json() == RobotPage(seed: 2, firstSteps: .done).json())
    func second(_ seed: UInt64) -> [UInt8] {
      let page = RobotPage(seed: seed, firstSteps: .done)
      page.act(.new(.easy))
      return page.json()
    }
    #expect(second(1) == second(1))
    #expect(second(1) != second(2))
  }
}
