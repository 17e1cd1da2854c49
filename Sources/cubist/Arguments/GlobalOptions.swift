import ServiceNews
import ArgumentParser

/// The options of every command.
struct GlobalOptions: ParsableArguments {
  @Option(
    help: .init(
      "The profile to play under, instead of $CUBIST_PROFILE.", valueName: "name"),
    completion: Completion.profiles)
  var profile: String?

  @Option(
    help: .init(
      "The service to use this time, instead of $CUBIST_URL or the profile's.", valueName: "url"))
  var url: String?

  @Flag(help: "Print JSON, as docs/cli.md describes it.")
  var json = false

  @Flag(help: "Show cubes as grids of letters, in plain text.")
  var plain = false

  @Flag(help: "Use no colors; so does $NO_COLOR.")
  var noColor = false

  @Option(
    parsing: .unconditional,
    help: .init(
      "How long to wait for each answer, such as 10s or 2m.", valueName: "duration"),
    transform: DurationText.duration)
  var timeout: Duration?

  @Flag(name: .shortAndLong, help: "Print only the answer.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Log the activity of the connection.")
  var verbose = false
}
