import MatchCore
public import MatchInterfaces

extension PushSender {
  /// Writes each notification as one JSON object on one line, keys sorted: `body`, `collapseKey`,
  /// `day`, `id`, `kind`, `match`, `player`, `title`, `turn`; `day`, `match` and `turn` only where
  /// the job has one.
  ///
  /// What cannot be written is a temporary failure: the disk may have room again.
  public static func log(to sink: LineSink) -> PushSender {
    PushSender { notification throws(PushError) in
      let job = notification.job
      var line = JSONLine([
        "id": .text("\(job.id)"), "kind": .text(job.kind.rawValue),
        "player": .text("\(job.player)"), "collapseKey": .text(job.collapseKey),
        "title": .text(notification.title), "body": .text(notification.body),
      ])
      line["match"] = job.match.map { .text("\($0)") }
      line["turn"] = job.turn.map { .number(Int64($0)) }
      line["day"] = job.day.map { .text("\($0)") }
      do throws(LineSinkError) {
        try sink.write(line.bytes)
      } catch {
        throw .temporary("\(error)")
      }
    }
  }

  /// Appends each notification to a file; `-` is the standard output.
  /// - Throws: `LineSinkError` where the file cannot be opened.
  public static func logFile(_ path: String) throws(LineSinkError) -> PushSender {
    log(to: path == "-" ? .standardOutput : try .file(path))
  }
}
