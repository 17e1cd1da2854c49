import MatchCore
import MatchInterfaces

/// The JSON that the service worker of a page gets.
enum WebPushPayload {
  /// Room for a title and a body in JSON, in bytes; with the rest it is less than
  /// ``WebPushMessage/limit``.
  static let titleLimit = 512
  static let bodyLimit = 2_048

  static func bytes(_ notification: PushNotification, isSilent: Bool) -> [UInt8] {
    let job = notification.job
    var line = JSONLine([
      "id": .text("\(job.id)"), "kind": .text(job.kind.rawValue),
      "title": .text(JSONLine.cut(notification.title, toBytes: titleLimit)),
      "body": .text(JSONLine.cut(notification.body, toBytes: bodyLimit)),
      "tag": .text(JSONLine.cut(notification.collapseKey, toBytes: 128)),
      "silent": .flag(notification.isSilent || isSilent),
      "lang": .text(notification.language.rawValue),
    ])
    if notification.isOfMany { line["many"] = .flag(true) }
    line["match"] = job.match.map { .text("\($0)") }
    line["day"] = job.day.map { .text("\($0)") }
    line["waiting"] = notification.waiting.map { .number(Int64(clamping: $0)) }
    return line.object
  }
}

extension JSONLine {
  /// The longest beginning of a text, in whole characters, that takes so many bytes in JSON at most.
  /// What was cut ends with “…”.
  static func cut(_ text: String, toBytes limit: Int) -> String {
    func count(_ text: some StringProtocol) -> Int { JSONLine.escapedCount(String(text)) }
    guard count(text) > limit else { return text }
    let ending = "…"
    var rest = limit - count(ending)
    var kept = ""
    for character in text {
      rest -= count(String(character))
      guard rest >= 0 else { break }
      kept.append(character)
    }
    return kept + ending
  }
}
