public import CubeRules

extension Match {
  /// Ends a match with a record that does not hold: annulled, and nobody is offered a rematch. No
  /// entry says so, since nothing can follow a damaged entry.
  public mutating func annulDamaged(at time: Instant) {
    rematch.offer = nil
    end(.decided(.annulled, by: nil, points: points), at: time)
  }

  /// Whether a match folded from the record stands as this one does, as far as players see.
  public func isAsReplayed(_ replayed: Match) -> Bool {
    head == replayed.head && points == replayed.points && outcome == replayed.outcome
  }

  /// Seats players, as rows beside a damaged record name them: the part of it that holds may end
  /// before they came.
  public mutating func seat(_ holders: [Seat.Holder]) {
    for holder in holders {
      guard let player = holder.playerOrInvited else { continue }
      let own = seats.firstIndex { $0.holder.playerOrInvited == player }
      guard let index = own ?? seats.firstIndex(where: { $0.holder == .free }) else { continue }
      seats[index].holder = holder
    }
  }

  /// A match that only its players are known of: a game of one, or a casual one of two. It stands
  /// for one whose record does not even tell the deal.
  /// - Parameter holders: The players who have taken a seat, or are invited. Nil unless it is one
  ///   player or two.
  public init?(damaged id: MatchID, holders: [Seat.Holder], rules: Rulebook = .standard) {
    guard (1...2).contains(holders.count), let letters = Puzzle(String(repeating: "A", count: 81))
    else { return nil }
    self.id = id
    version = 0
    terms = Terms(
      kind: holders.count == 1 ? .solo(.unlimited) : .random, turnLimitSeconds: nil,
      language: .english, isCasual: true)
    lexicon = ""
    dealtAt = id.time
    predecessor = nil
    seats = holders.map { Seat(holder: $0) }
    stage = .waiting
    game = CubeGame(puzzle: letters, rules: rules.current)
    turnNumber = 1
    seatToPlay = 0
    previousTurnHash = .zero
    head = .zero
    entryCount = 1
    deadline = nil
    turnFingerprints = []
    rematch = Rematch()
  }

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
