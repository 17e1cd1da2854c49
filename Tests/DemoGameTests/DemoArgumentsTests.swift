import CubePlay
import DemoGame
import Testing

@Suite("The arguments of the demo")
struct DemoArgumentsTests {
  @Test("Options are read in any order")
  func options() {
    #expect(DemoArguments([]) == .game(strength: nil, rings: false, usesColor: true))
    #expect(
      DemoArguments(["--bell", "--strength", "hard", "--no-color"])
        == .game(strength: .hard, rings: true, usesColor: false))
    #expect(DemoArguments(["--rules"]) == .rules)
    #expect(DemoArguments(["--bell", "-h"]) == .help)
    #expect(DemoArguments(["--help", "--what"]) == .help)
  }

  @Test("A wrong argument is named", arguments: [["--what"], ["--strength"], ["--strength", "x"]])
  func wrong(arguments: [String]) throws {
    guard case .wrong(let text) = DemoArguments(arguments) else {
      Issue.record("\(arguments) are taken")
      return
    }
    #expect(text.contains(arguments[0]))
  }

  @Test("The usage names every option, and every strength")
  func usage() {
    for word in ["--strength", "easy|medium|hard", "--bell", "--no-color", "--rules", "--help"] {
      #expect(DemoArguments.usage.contains(word))
    }
  }
}
