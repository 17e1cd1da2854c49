import ArgumentParser
import CubeRules

/// How a turn is played, beside its word.
struct TurnOptions: ParsableArguments {
  @Option(
    help: .init(
      "Remove a cube before the word, such as 212; twice makes a turn of its own.",
      valueName: "cube"),
    transform: TurnOptions.cube)
  var remove: [Cube] = []

  @Option(
    help: .init(
      "The faces that spell the word, such as \"212L 202R 202L\".", valueName: "faces"),
    transform: TurnOptions.faces)
  var faces: [Face]?

  @Option(
    parsing: .unconditional,
    help: .init("Which of the ways to play the word, from 1.", valueName: "number"))
  var choice: Int?

  @Flag(help: "Play the first of several ways, and do not ask.")
  var any = false

  @Flag(help: "Print faces and score, and play nothing.")
  var dryRun = false

  /// Whether none of them is given.
  var isEmpty: Bool { remove.isEmpty && faces == nil && choice == nil && !any && !dryRun }

  func validate() throws {
    guard [choice != nil, faces != nil, any].count(where: { $0 }) < 2 else {
      throw ValidationError("--choice, --faces and --any exclude each other. Use one.")
    }
    guard (choice ?? 1) >= 1 else {
      throw ValidationError("--choice counts from 1.")
    }
  }

  private static func cube(_ text: String) throws -> Cube {
    guard let cube = Cube(notation: text) else {
      throw ValidationError("'\(text)' is no cube. Write its x, y and z, each 0 to 2, such as 212.")
    }
    return cube
  }

  private static func faces(_ text: String) throws -> [Face] {
    let faces = try text.split { $0 == " " || $0 == "," }.map { part in
      guard let face = Face(notation: part.uppercased()) else {
        throw ValidationError("'\(part)' is no face. Write a cube and T, L or R, such as 212L.")
      }
      return face
    }
    guard !faces.isEmpty else {
      throw ValidationError("--faces names no face. Write them such as \"212L 202R 202L\".")
    }
    return faces
  }
}
