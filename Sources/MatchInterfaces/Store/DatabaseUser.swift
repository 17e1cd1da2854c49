/// The users of the database besides its owner: one for each role, and one that only looks.
package enum DatabaseUser: String, Hashable, Sendable, CaseIterable {
  case worker, scheduler, steward, housekeeper, relay, reader, push, rater
  /// It sees everything and changes nothing.
  case lookout
}
