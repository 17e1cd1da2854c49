extension Collection where Index == Int {
  /// The places of the rows for which there is room. The selected one is among them, in the middle
  /// where the ends of the list allow it.
  func places(around selected: Int, room: Int) -> Range<Int> {
    let room = Swift.max(0, room)
    let first = Swift.max(0, Swift.min(selected - room / 2, count - room))
    return first..<Swift.min(first + room, count)
  }
}
