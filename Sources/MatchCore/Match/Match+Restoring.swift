extension Match {
  /// Gives a match that was folded from its record what is not in a record: version and what has
  /// become of the wish for a rematch.
  public mutating func restore(
    version: Int64, offer: (seat: Int, at: Instant, signed: SignedPayload)?,
    declined: (seat: Int, at: Instant)?, successor: MatchID?
  ) {
    self.version = version
    rematch = Rematch(
      offer: offer.map { RematchOffer(seat: $0.seat, at: $0.at, signed: $0.signed) },
      declined: declined.map { Rematch.Declined(seat: $0.seat, at: $0.at) },
      successor: successor)
  }
}
