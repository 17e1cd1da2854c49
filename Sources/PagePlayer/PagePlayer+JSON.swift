import MatchCore
import MatchWire

extension PagePlayer {
  /// The state as the page shows it.
  package func json() -> [UInt8] {
    JSON.object([
      ("kept", .string(kept)), ("player", .text(player)),
      ("service", pin.map { .text($0.service) }),
      ("name", name.map { .text($0) }), ("needsCode", .bool(needsCode)),
      ("isWaiting", .bool(isWaiting)),
      (
        "trouble",
        trouble.map {
          .object([
            ("name", .string($0.name)), ("message", .string($0.message)),
            ("retryAfter", $0.retryAfter.map { .number($0) }),
            ("isAboutClock", $0.isAboutClock ? .bool(true) : nil),
          ])
        }
      ),
    ]).serialized
  }
}
