extension Match {
  /// Gives a match that was folded from its record what is not in a record: version and what has
  /// become of the wish for a rematch.
  ///
  /// A record does not say how much credit its queue had been given when a deadline was set. Where
  /// `deadline` is the one that the record gives, its credit is kept; else the match has more time
  /// rather than less.
  public mutating func restore(version: Int64, rematch: Rematch, deadline: Deadline? = nil) {
    self.version = version
    self.rematch = rematch
    if let deadline, deadline.at == self.deadline?.at { self.deadline = deadline }
  }
}
