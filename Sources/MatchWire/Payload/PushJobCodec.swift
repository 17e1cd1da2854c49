package import MatchCore

/// Push jobs as they travel and are stored.
package enum PushJobCodec {
  /// The bytes of a job.
  package static func encode(_ job: PushJob) -> [UInt8] { job.turnBody ?? encodeAny(job) }

  /// The bytes of a job of any kind.
  static func encodeAny(_ job: PushJob) -> [UInt8] {
    JSON.object([
      ("v", .integer(1)), ("id", .text(job.id)), ("kind", .string(job.kind.rawValue)),
      ("player", .text(job.player)), ("match", job.match.map { .text($0) }),
      ("turn", job.turn.map { .number($0) }), ("day", job.day.map { .text($0) }),
      ("waited", job.hasWaitedForOthers ? .bool(true) : nil),
    ]).serialized
  }

  /// The job that the bytes hold.
  /// - Throws: `Refusal.malformed` or `unsupportedVersion` for bytes that are not one.
  package static func decode(_ bytes: [UInt8]) throws(Refusal) -> PushJob {
    do throws(WireFault) {
      let object = try JSONReader.object(of: bytes)
      try object.checkVersion()
      return PushJob(
        id: try object.id("id"),
        kind: try object.value("kind", "a kind of job") { PushJob.Kind(rawValue: $0) },
        player: try object.id("player"), match: try object.optionalID("match"),
        turn: try object.optionalInteger("turn", in: WireLimits.turnNumbers).map { Int($0) },
        day: try object.optionalValue("day", "a day such as 2026-05-01") { Day($0) },
        hasWaitedForOthers: try object.flag("waited"))
    } catch {
      throw Refusal(error)
    }
  }
}
