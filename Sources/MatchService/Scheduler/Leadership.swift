/// Whether a process is the active one of many, and the work that only the active one keeps.
enum Leadership<Work> {
  /// Another one is, or none.
  case following
  case leading(Work)

  /// Takes the store's answer. The work of another leader in between is not known, so each lead
  /// begins with new work, which `begin` gives.
  mutating func take<Failure>(
    leads: Bool, begin: () throws(Failure) -> Work, end: () -> Void
  ) throws(Failure) {
    switch (self, leads) {
    case (.following, true): self = .leading(try begin())
    case (.leading, false):
      self = .following
      end()
    case (.following, false), (.leading, true): break
    }
  }
}
