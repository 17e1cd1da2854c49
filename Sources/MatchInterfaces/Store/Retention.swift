/// How many days rows are kept that nobody needs for ever. Records, and everything that is derived
/// from them, stay.
package struct Retention: Hashable, Sendable {
  /// Replies to events, by the time of the event. Events are taken for seven days, and one may come
  /// again on its last day.
  package var replies = 8
  /// The fate of push jobs, dead push jobs and dead events. The inbox and `cubistd check` look at
  /// them for thirty days.
  package var jobs = 30
  /// Reports of players.
  package var reports = 180
  /// Acts of operators; 0: for ever.
  package var acts = 0

  /// The days that every build before settings had.
  package static let standard = Retention()

  package static let replyRange = 8...3_650
  package static let jobRange = 30...3_650
  package static let reportRange = 1...3_650
  package static let actRange = 0...36_500

  package init() {}
}
