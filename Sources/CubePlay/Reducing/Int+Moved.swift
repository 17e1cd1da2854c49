extension Int {
  /// The place so many rows further down, never above the first row or below the last one.
  ///
  /// The count comes from outside: no count traps. It says nothing of whether there is a row.
  func moved(_ count: Int, upTo last: Int) -> Int {
    let (next, isTooFar) = addingReportingOverflow(count)
    let place = isTooFar ? (count < 0 ? 0 : last) : next
    return Swift.max(0, Swift.min(place, last))
  }

  /// The place so many rows further on among `rowCount` rows, round and round.
  ///
  /// The count comes from outside: no count traps.
  func turned(_ count: Int, among rowCount: Int) -> Int {
    guard rowCount > 0 else { return self }
    let place = (self % rowCount + count % rowCount) % rowCount
    return place < 0 ? place + rowCount : place
  }
}
