import Foundation
import LibPQ
import MatchCore
import MatchInterfaces
import MatchStoreLive

extension ServiceUnderTest {
  /// A line that a push worker wrote.
  struct PushLine {
    /// The job; nil where the line cannot be read.
    var job: PushJobID?
    var text: String
  }

  /// All lines that push workers wrote.
  func pushLines() throws -> [PushLine] {
    struct Line: Decodable { var id: String }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".jsonl") }
    return files.flatMap { file in
      let data = FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data()
      return data.split(separator: UInt8(ascii: "\n")).map { line in
        let id = try? JSONDecoder().decode(Line.self, from: Data(line)).id
        return PushLine(
          job: id.flatMap { PushJobID($0) }, text: String(decoding: line, as: UTF8.self))
      }
    }
  }

  /// Waits until every push job is decided: none is owed, and none waits in a queue.
  func waitUntilPushed(atMost limit: Duration, _ checkpoint: () throws -> Void) throws {
    // The broker's statistics are a second old or two.
    var quietLooks = 0
    try waitUntil("every push job is handed over", atMost: limit) {
      try checkpoint()
      let connection = try connectDirectly()
      defer { connection.close() }
      // In the last three hours of a day some jobs are still owed: reminders that the day ends.
      let owed = try connection.query(
        """
        SELECT count(*) + (
          SELECT count(*) FROM daily_challenges
          WHERE mode = 'unlimited' AND NOT reminder_done AND day = (now() AT TIME ZONE 'UTC')::date
            AND now() AT TIME ZONE 'UTC' >= day + interval '21 hours')
        FROM (SELECT job FROM outbox UNION ALL SELECT job FROM held_jobs) AS owed
        """, [])
      let isQuiet = try owed[0][0].int64 == 0 && queuedJobCount() == 0
      quietLooks = isQuiet ? quietLooks + 1 : 0
      if quietLooks < 4 { pauseThread(1) }
      return quietLooks >= 4
    }
  }
}
