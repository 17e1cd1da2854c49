import ArgumentParser
import MatchWire
import PlayerClient

/// `cubist service`
struct ServiceCommand: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "service",
    abstract: "Show the service: its version, its limits, and the players of today's daily.",
    usage: "cubist service [<options>]",
    discussion: """
      EXAMPLES:
        cubist service
        cubist service --json
      """)

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let info = try session.player().serviceInfo()
    try session.console.show(.service, info) { ServiceText.text(info) }
  }
}
