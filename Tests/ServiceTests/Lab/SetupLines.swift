@testable import cubistd

/// The lines of a setup that does everything.
func setupLines<Undone>(
  _ setup: ((SetupLine) -> Void) throws(OperatorFailure) -> Undone
) throws(OperatorFailure) -> [String] {
  var lines: [String] = []
  let undone = try setup { lines.append("\($0)") }
  if let failure = undone as? OperatorFailure { throw failure }
  return lines
}

/// The things that a setup changes.
func setupChanges<Undone>(
  _ setup: ((SetupLine) -> Void) throws(OperatorFailure) -> Undone
) throws(OperatorFailure) -> [String] {
  try setupLines(setup).filter { $0.hasPrefix("changed: ") }.map { String($0.dropFirst(9)) }
}
