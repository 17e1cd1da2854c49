package import CubePlay

/// The request in the arguments of the demo program.
package enum DemoArguments: Hashable, Sendable {
  case game(strength: BotStrength?, rings: Bool, usesColor: Bool)
  /// Print the usage.
  case help
  /// Print rules and keys.
  case rules
  /// Anything else, with its fault.
  case wrong(String)

  /// Reads arguments, without the program's name.
  package init(_ arguments: [String]) {
    var (strength, rings, usesColor): (BotStrength?, Bool, Bool) = (nil, false, true)
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "-h", "--help":
        self = .help
        return
      case "--rules":
        self = .rules
        return
      case "--bell": rings = true
      case "--no-color": usesColor = false
      case "--strength":
        guard let found = rest.popFirst().flatMap({ BotStrength(rawValue: $0) }) else {
          self = .wrong("--strength takes easy, medium or hard.")
          return
        }
        strength = found
      default:
        self = .wrong("'\(argument)' is no option of this program.")
        return
      }
    }
    self = .game(strength: strength, rings: rings, usesColor: usesColor)
  }

  /// How the program is called.
  package static let usage = """
    Usage: cubist-demo [--strength easy|medium|hard] [--bell] [--no-color] [--rules] [--help]

    A game against a robot, or alone, on the whole screen. It needs no service, no name and
    no network.

      --strength X   begin a match against that robot at once; else choose from a list, after the
                     first steps
      --bell         ring the bell when the robot has played
      --no-color     use no colors; so does $NO_COLOR
      --rules        print rules and keys

    """
}
