import ArgumentParser

/// The former name of `cubist-simulate`, kept for one release.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "The simulation is a program of its own, cubist-simulate.",
    shouldDisplay: false)

  static let advice =
    "cubistd: the simulation is a program of its own with the same options: "
    + "`swift run --configuration release cubist-simulate`"

  @Argument(parsing: .captureForPassthrough)
  var options: [String] = []

  func run() throws {
    Output.note(Self.advice)
    throw ExitCode(64)
  }
}
