import Testing

@testable import cubist

@Suite("Mistyped commands")
struct MisspellingTests {
  @Test(
    "A mistyped command is told with the one that was probably meant",
    arguments: [
      ("dnace", nil), ("paly TEMPO", "cubist play"), ("shwo", "cubist show"),
      ("rematc 3fa2", "cubist rematch"), ("leader", "cubist leaderboard"),
      ("--profile ada paly", "cubist play"), ("--json game", "cubist games"),
      ("daily strat", "cubist daily start"), ("settings nmae x", "cubist settings name"),
      ("hlep", "cubist help"), ("help paly", "cubist play"),
      ("help daily strt", "cubist daily start"),
      ("PLAY CAB", "cubist play"), ("q", nil),
    ] as [(String, String?)])
  func mistyped(line: String, suggestion: String?) {
    let lab = CommandLab()
    let run = lab.run(line)
    #expect(run.status == 64)
    #expect(run.output == "")
    #expect(run.errors.hasPrefix("cubist: '"))
    #expect(run.errors.contains("' is no command of cubist"))
    if let suggestion {
      #expect(run.errors.contains("Did you mean '\(suggestion)'?"), "\(run.errors)")
    } else {
      #expect(!run.errors.contains("Did you mean"), "\(run.errors)")
    }
    #expect(lab.urls == [])
  }

  @Test(
    "A correct command is left alone",
    arguments: [
      "help", "help play", "help daily start", "play --help", "--help", "daily --help",
      "--profile paly games", "settings name paly", "key --help", "help help",
      "settings --time-zone Europe/Berlin --language de --quiet-hours 22:00-07:30 --nudges",
      "settings --quiet-late silent --digest 08:00 --review sunday --bundle",
      "settings --digest=08:00 set all on",
    ])
  func known(line: String) {
    #expect(
      Misspelling.find(in: line.split(separator: " ").map(String.init), of: Cubist.self) == nil)
  }

  @Test("help of an unknown command fails")
  func help() {
    let lab = CommandLab()
    #expect(lab.run("help play").status == 0)
    let run = lab.run("help play foo")
    #expect(run.status == 64)
    #expect(
      run.errors == "cubist: 'foo' is no command of cubist play. All commands: cubist help play\n")
  }

  @Test(
    "Mistakes are letters that are changed, added, left out or swapped",
    arguments: [
      ("play", "play", 0), ("paly", "play", 1), ("pla", "play", 1), ("playy", "play", 1),
      ("slay", "play", 1), ("", "play", 4), ("accept", "decline", 6),
    ] as [(String, String, Int)])
  func distance(left: String, right: String, count: Int) {
    #expect(Misspelling.distance(Array(left.utf8), Array(right.utf8)) == count)
    #expect(Misspelling.distance(Array(right.utf8), Array(left.utf8)) == count)
  }
}
