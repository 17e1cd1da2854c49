import ArgumentParser
import MatchInterfaces
import MatchService

struct StatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Show the numbers of players, matches, events and ratings, and those of today.",
    discussion: """
      Examples:
        cubistd stats
        cubistd stats --json | jq .figures.events

      Counts stop at a million, so that none takes long. Today is the UTC day.
      """)

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    try OperatorConnection.withStore(as: "stats", reads: true) { store throws(OperatorFailure) in
      let figures = try onStore(try store.figures())
      Output.out(try json ? figures.json() : figures.text)
    }
  }
}

extension ServiceFigures {
  /// The figures with their names and labels, in the order in which they are shown.
  private var named: [(key: String, label: String, value: Int)] {
    [
      ("players", "players", playerCount),
      ("currentMatches", "matches not over", currentMatchCount),
      ("openSeats", "of which wait for anyone", openSeatCount),
      ("endedMatches", "matches over", max(0, matchCount - currentMatchCount)),
      ("newMatches", "matches asked for today", newMatchCount),
      ("events", "events answered today", eventCount),
      ("dailyPlayers", "players of today's challenges", dailyPlayerCount),
      ("ratedPlayers", "players with a rating", ratedPlayerCount),
      ("ratedMatches", "rated matches", ratedMatchCount),
      ("ratingQueue", "matches that wait to be rated", ratingQueueCount),
      ("outbox", "push jobs not confirmed", outboxCount),
      ("held", "push jobs held", heldCount),
      ("deadEvents", "dead events", deadEventCount),
      ("deadJobs", "dead push jobs", deadJobCount),
    ]
  }

  /// The figures for a person.
  var text: String { LabeledLines.text(named.map { ($0.label, "\($0.value)") }) }

  /// The figures for a program.
  func json() throws(OperatorFailure) -> String {
    struct Document: Encodable {
      var schema = "cubistd.stats/1"
      var figures: [String: Int]
    }
    return try JSONText.encode(
      Document(
        figures: Dictionary(
          named.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })))
  }
}
