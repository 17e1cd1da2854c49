import ArgumentParser
import MatchCore

/// A game that somebody shared, instead of one's own.
struct SharedOptions: ParsableArguments {
  @Option(
    help: .init("The code of a game that somebody shared.", valueName: "code"),
    transform: NameArgument.code)
  var code: ShareCode?

  /// Either one's own or another's.
  func validate(_ id: String?) throws {
    guard code == nil || id == nil else {
      throw ValidationError("An ID and --code exclude each other. Choose one.")
    }
  }
}
