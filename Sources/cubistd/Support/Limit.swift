import ArgumentParser

/// Refuses a `--limit` that is not 1 to `most`.
func checkLimit(_ limit: Int, atMost most: Int) throws {
  guard 1...most ~= limit else {
    throw ValidationError("--limit is \(limit), not 1 to \(most).")
  }
}
