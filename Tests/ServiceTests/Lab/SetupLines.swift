@testable import cubistd

/// The lines of a setup.
func setupLines(
  _ setup: ((SetupLine) -> Void) throws(OperatorFailure) -> Void
) throws(OperatorFailure) -> [String] {
  var lines: [String] = []
  try setup { lines.append("\($0)") }
  return lines
}

/// The things that a setup changes.
func setupChanges(
  _ setup: ((SetupLine) -> Void) throws(OperatorFailure) -> Void
) throws(OperatorFailure) -> [String] {
  try setupLines(setup).filter { $0.hasPrefix("changed: ") }.map { String($0.dropFirst(9)) }
}
