extension Match {
  /// Adds the parts that a record does not hold to a match folded from its record: the version and
  /// the state of the rematch.
  ///
  /// A record does not say how much credit its queue had when a deadline was set. If `deadline` is
  /// the record's own, its credit is kept. Otherwise the match gets more time rather than less.
  public mutating func restore(version: Int64, rematch: Rematch, deadline: Deadline? = nil) {
    self.version = version
    self.rematch = rematch
    if let deadline, deadline.at == self.deadline?.at { self.deadline = deadline }
  }
}
