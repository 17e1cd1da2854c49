/// How a command ended, as a shell sees it; docs/cli.md documents the numbers.
enum ExitStatus: Int32, Hashable, Sendable, CaseIterable {
  /// Done.
  case ok = 0
  /// The service or the rules say no, or a record does not hold.
  case refused = 1
  /// A file whose content is not of the expected kind, or words that are mistyped.
  case unreadable = 2
  /// No such match, player, code, day, device or key.
  case notFound = 3
  /// The arguments are wrong or incomplete. Source: sysexits(3), EX_USAGE.
  case usage = 64
  /// The service cannot be reached or cannot say now. Source: sysexits(3), EX_UNAVAILABLE.
  case unavailable = 69
  /// The result cannot be written. Source: sysexits(3), EX_IOERR.
  case unwritten = 74
  /// The answer is not known yet; nothing is lost. Source: sysexits(3), EX_TEMPFAIL.
  case pending = 75
  /// The key, the broker's user or the service is the wrong one. Source: sysexits(3), EX_NOPERM.
  case notPermitted = 77
  /// Interrupted by the player while nothing was under way: 128 + SIGINT.
  case interrupted = 130
}
