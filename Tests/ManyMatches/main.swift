import Glibc
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive

// Fills an empty database with valid finished matches, to measure `cubistd check`:
//
//   CUBIST_DATABASE=… ManyMatches TURNS KEY-FILE
//
// The key file is made, and is the CUBIST_SERVICE_KEYS of the check.

/// The first match was played so long ago. Replies are kept longer, so that all are there.
let startSeconds: Int64 = 3 * 86_400

guard CommandLine.arguments.count == 3, let turns = Int(CommandLine.arguments[1]),
  let database = getenv("CUBIST_DATABASE").map({ String(cString: $0) })
else {
  print("usage: CUBIST_DATABASE=… ManyMatches TURNS KEY-FILE")
  exit(64)
}
var settings = try PostgreSQLSettings(connectionString: database).forMatchStore()
settings.statementTimeout = .seconds(3_600)
let connection = try PostgreSQLConnection(settings)
guard try Schema.install(connection) == nil else {
  print("the database is not empty")
  exit(1)
}
let start = WallClock.live.now().adding(seconds: -startSeconds)
let keys = try ServiceKeyFile.create(now: start, randomness: .live).keys
try keys.create(at: CommandLine.arguments[2])
let store = WorkerStore.live(connection)
var maker = try MatchMaker(
  identity: try keys.identity(), playerCount: 1_000, seed: 1,
  start: start)
try store.commit(maker.registrations())
var reported = 0
while maker.turnCount < turns {
  var write = BatchWrite(now: start)
  for _ in 0..<20 { try maker.play(into: &write) }
  try store.commit(write)
  if maker.turnCount / 50_000 > reported {
    reported = maker.turnCount / 50_000
    print("\(maker.turnCount) turns")
  }
}
// As if the relay and the push workers had done their work.
try connection.script(
  """
  INSERT INTO deliveries (job, player, recorded_at, match, turn, day, kind, fate)
  SELECT job, player, created_at, match, turn, day, kind, 'delivered' FROM outbox;
  TRUNCATE outbox;
  ANALYZE;
  """)
print("\(maker.turnCount) turns are there")
