package import CubePlay
package import MatchCore
package import MatchWire

extension HomeList {
  /// The home list, the most urgent first: the player's own turns by the time left for them, then
  /// those without a clock.
  package init(_ home: HomeView, name: PlayerName?, now: Instant, told: String? = nil) {
    let yours = home.matches.filter { $0.yourTurn && $0.stage == .playing }
    let clocked = yours.compactMap { match in match.deadline.map { (match: match, ends: $0) } }
      .sorted { $0.ends < $1.ends }.map { $0.match }
    let rest = home.matches.filter { !($0.yourTurn && $0.stage == .playing) }
    let offers = home.rematchOffers.sorted { !$0.isYours && $1.isYours }
    let rows: [HomeRow] =
      (clocked + yours.filter { $0.deadline == nil }).map { HomeRow($0, now: now) }
      + home.invitations.map { HomeRow(invitation: $0, now: now) }
      + offers.map { HomeRow($0, now: now) }
      + [home.daily, home.timedDaily].compactMap { $0.flatMap { HomeRow(toBegin: $0, now: now) } }
      + rest.map { HomeRow($0, now: now) }
    self.init(name: name?.text, rows: HomeRow.toldApart(rows), told: told)
    warning = AccountWarning.all(home, now: now).first
    let lines = [Self.damaged(home), Self.more(home)].compactMap { $0 }
    more = lines.isEmpty ? nil : lines.joined(separator: " ")
  }

  /// The matches that the service cannot read, in words; nil: it can read all.
  private static func damaged(_ home: HomeView) -> String? {
    guard let damaged = home.damaged, let first = damaged.first else { return nil }
    guard damaged.count > 1 else {
      return "Match \(shortID(first)): \(QueryRefusal.matchDamaged.message)"
    }
    let ids = Wording.list(damaged.map(shortID))
    return "Matches \(ids) cannot be shown at the moment. The operator has been told."
  }

  /// The end of an id, by which an operator finds the match among the player's.
  private static func shortID(_ match: MatchID) -> String {
    String(decoding: match.description.utf8.suffix(6), as: UTF8.self)
  }

  private static func more(_ home: HomeView) -> String? {
    let counts = [home.moreMatches, home.moreInvitations].compactMap { $0 }
    guard !counts.isEmpty else { return nil }
    let texts = [
      home.moreMatches.map { Wording.count($0, "older match", "older matches") },
      home.moreInvitations.map { Wording.count($0, "older invitation") },
    ].compactMap { $0 }
    return "\(Wording.list(texts)) \(counts == [1] ? "is" : "are") not listed."
  }
}

extension HomeRow {
  /// The rows, each of several of the same opponent or sort with the end of its match's id, as
  /// commands take it.
  fileprivate static func toldApart(_ rows: [HomeRow]) -> [HomeRow] {
    let ids = rows.map { row in row.key.text.utf8.filter { $0 != UInt8(ascii: "-") } }
    return rows.indices.map { place in
      var row = rows[place]
      let isAlike = rows.indices.contains { $0 != place && rows[$0].opponent == row.opponent }
      guard isAlike else { return row }
      let length = (4..<ids[place].count).first { length in
        !ids.indices.contains { other in
          ids[other] != ids[place]
            && ids[other].suffix(length).elementsEqual(ids[place].suffix(length))
        }
      }
      row.mark = length.map { String(decoding: ids[place].suffix($0), as: UTF8.self) }
      return row
    }
  }

  fileprivate init(_ match: MatchSummary, now: Instant) {
    let kind: Kind =
      match.stage == .waiting && !match.yourTurn
      ? .waiting : match.yourTurn ? .yourTurn : .theirTurn
    let others = match.points.indices.filter { $0 != match.yourSeat }
    let own = match.points.indices.contains(match.yourSeat) ? [match.points[match.yourSeat]] : []
    self.init(
      MatchKey(match.id), kind, opponent: Self.name(match, now),
      points: own + others.map { match.points[$0] },
      secondsLeft: match.deadline.map { Self.seconds($0, now) })
    player = match.opponentName?.text
    isWithdrawable = match.stage == .waiting
    code = match.stage == .waiting ? match.code?.text : nil
  }

  /// Games alone without a clock differ only in the time when they began.
  private static func name(_ match: MatchSummary, _ now: Instant) -> String {
    let name = Wording.opponent(match)
    guard match.kind == .solo, match.deadline == nil else { return name }
    return "\(name) \(SpanText.ago(microseconds: now.microseconds(since: match.startedAt)))"
  }

  /// A challenge that can be begun; nil where it cannot.
  fileprivate init?(toBegin daily: DailyStatus, now: Instant) {
    guard daily.isDealt, daily.match == nil else { return nil }
    let isTimed = daily.daily.mode == .timed
    let name = "\(isTimed ? "timed " : "")daily \(daily.daily.day)"
    self.init(
      MatchKey(name), .daily(isTimed ? .timed : .unlimited), opponent: name,
      secondsLeft: Self.seconds(daily.endsAt, now))
  }

  fileprivate init(invitation match: MatchSummary, now: Instant) {
    self.init(
      MatchKey(match.id), .invitation, opponent: Wording.opponent(match),
      secondsLeft: match.deadline.map { Self.seconds($0, now) })
    player = match.opponentName?.text
  }

  fileprivate init(_ offer: RematchOfferView, now: Instant) {
    self.init(
      MatchKey(offer.match), offer.isYours ? .ownOffer : .rematchOffer,
      opponent: Wording.name(offer.opponentName, offer.opponent),
      secondsLeft: Self.seconds(offer.expiresAt, now))
    player = offer.opponentName?.text
  }

  private static func seconds(_ instant: Instant, _ now: Instant) -> Int {
    Int(clamping: max(0, instant.microseconds(since: now) / 1_000_000))
  }
}
