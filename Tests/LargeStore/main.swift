import Glibc
import LibPQ
import MatchCore
import MatchInterfaces
import MatchStoreLive
import MatchWire

// Fills an empty database to the size of a service that has run for years, and times what the
// readers and the ranker ask of it:
//
//   CUBIST_DATABASE=… cubist-load [PERCENT]
//
// PERCENT of the whole size, 100 if none. The time of the database is what its process had of a
// processor, on the average; the others are of whole round trips on the same machine, and longer
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
let connection = try Connection(settings)
let size = LargeStore.Size(percent: percent)
// What was filled before is only measured again.
if try Schema.install(connection) == nil { try LargeStore.fill(connection, size) }
try Questions(connection: connection, size: size).run()
