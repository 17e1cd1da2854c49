import Glibc
import LargeStore
import LibPQ
import MatchStoreLive

// Fills an empty database to the size of a service that has run for years, and times the queries of
// the readers and the ranker:
//
//   CUBIST_DATABASE=… cubist-load [PERCENT]
//
// PERCENT of the whole size, 100 if none. The time of the database is the processor time of its
// process, on the average. The other times are of whole round trips on the same machine, and longer
// where other work goes on.

let percent = CommandLine.arguments.dropFirst().first.map { Int($0) } ?? 100
guard let percent, 1...100 ~= percent,
  let database = getenv("CUBIST_DATABASE").map({ String(cString: $0) })
else {
  print("usage: CUBIST_DATABASE=… cubist-load [PERCENT]")
  exit(64)
}
var settings = try PostgreSQLSettings(connectionString: database).forMatchStore()
settings.statementTimeout = .seconds(7_200)
let connection = try PostgreSQLConnection(settings)
let size = StoreSize(percent: percent)
// A database that was filled before is only measured again.
if try Schema.install(connection) == nil {
  try StoreFill(connection, size) { print("filling: \($0)") }.all()
}
print("| question | database, ms | median, ms | 99 of 100, ms |")
print("|---|---|---|---|")
try StoreQuestions(connection, size) { answer in
  let shown = [answer.database, answer.median, answer.slow].map { nanoseconds in
    let hundredths = (nanoseconds + 5_000) / 10_000
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
  print("| \(answer.question) | \(shown.joined(separator: " | ")) |")
}.ask()
