import MatchCore
package import MatchInterfaces

/// Notifications are written.
package struct LogSettings: PushWay {
  package static let name = "log"
  package static let isForAll = true

  /// Where they are written; `-` is the standard output.
  package var path: String

  package init(path: String = "-") { self.path = path }

  package static func read(_ reader: inout SettingsReader) -> LogSettings {
    LogSettings(path: reader.optional(.pushLog) ?? "-")
  }

  package var place: String { path }

  package func provider(_: Randomness) throws(PushWayFailure) -> PushProvider {
    do throws(LineSinkError) {
      return .log(to: path == "-" ? .standardOutput : try .file(path))
    } catch {
      throw PushWayFailure(path: path, reason: "\(error)")
    }
  }
}

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
