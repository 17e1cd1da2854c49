import MatchCore
package import MatchInterfaces

extension PushProvider {
  /// Writes each notification as one JSON object on one line, keys sorted: `body`, `collapseKey`,
  /// `day`, `id`, `kind`, `match`, `player`, `title`, `turn`; `day`, `match` and `turn` only if the
  /// job has one.
  ///
  /// A failed write is tried again: the disk may have room again.
  package static func log(to sink: LineSink) -> PushProvider {
    PushProvider(name: "log", service: .app) { notification, _ in
      let verdict: PushVerdict
      do throws(LineSinkError) {
        try sink.write(JSONLine(notification).bytes)
        verdict = .taken
      } catch {
        verdict = .later("\(error)", after: nil)
      }
      return [PushParcel(device: nil, work: .finished(verdict))]
    }
  }

  /// Appends each notification to a file; `-` is the standard output.
  /// - Throws: `LineSinkError` if the file cannot be opened.
  package static func logFile(_ path: String) throws(LineSinkError) -> PushProvider {
    log(to: path == "-" ? .standardOutput : try .file(path))
  }
}

extension JSONLine {
  /// A notification in the form that the log and the webhook have.
  init(_ notification: PushNotification) {
    let job = notification.job
    self.init([
      "id": .text("\(job.id)"), "kind": .text(job.kind.rawValue),
      "player": .text("\(job.player)"), "collapseKey": .text(notification.collapseKey),
      "title": .text(notification.title), "body": .text(notification.body),
    ])
    self["match"] = job.match.map { .text("\($0)") }
    self["turn"] = job.turn.map { .number(Int64($0)) }
    self["day"] = job.day.map { .text("\($0)") }
  }
}
