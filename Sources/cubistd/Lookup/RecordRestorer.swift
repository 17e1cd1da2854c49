import MatchCore
import MatchInterfaces
import MatchService

/// Brings the record of one damaged match back from a copy of the database.
struct RecordRestorer {
  /// What was done, or would be.
  struct Report {
    var match: MatchID
    /// The positions of the entries that come from the copy.
    var restored: [Int]
    var entryCount: Int
    /// How many turns the record has then.
    var turnCount: Int
    /// The row of the table `set_aside` with the former rows; nil: nothing was written.
    var setAside: Int64?
  }

  let restorer: MatchRestorer
  let store: OperatorStore
  /// The record of a match in the copy.
  let copy: (MatchID) throws(OperatorFailure) -> [Entry]
  var `operator` = OperatorName.current

  /// - Parameter turns: How many turns a player tells of.
  func restore(
    _ id: MatchID, turns: Int = 0, isDryRun: Bool
  ) throws(OperatorFailure) -> Report {
    let entries = try copy(id)
    let plan: MatchRestorer.Plan
    do throws(MatchRestorer.Obstacle) {
      plan = try restorer.plan(id, copy: entries, turns: turns)
    } catch {
      throw RecordRestorer.failure(error, id)
    }
    var report = Report(
      match: id, restored: plan.restored, entryCount: plan.record.count, turnCount: plan.turnCount)
    guard !isDryRun else { return report }
    let act = ActRow(act: "match restored", detail: "\(plan.rebuild.detail), by \(`operator`)")
    report.setAside = try onStore(try store.restoreRecord(plan.rebuild, plan.record, act))
    return report
  }

  private static func failure(
    _ obstacle: MatchRestorer.Obstacle, _ id: MatchID
  ) -> OperatorFailure {
    switch obstacle {
    case .unknownMatch: .notFound("there is no match \(id), neither here nor in the copy")
    case .nothingToRestore:
      .wrong(
        "the record of match \(id) holds as it is, and the copy has nothing more: "
          + "`cubistd rebuild --match \(id)` mends what is derived from it")
    case .isAnnulled:
      .wrong("match \(id) was annulled because it was damaged, and its players were told")
    case .gap(let position, let known):
      .wrong(
        "entry \(position) of match \(id) is whole neither here nor in the copy, and the database "
          + "has \(known): take a later copy, or annul the match: "
          + "`cubistd matches annul \(id) --reason fault`")
    case .wrong(let violations):
      .wrong(
        "the record of match \(id) would not be right with the copy's entries: "
          + violations.map { "\($0.kind.rawValue): \($0.text)" }.joined(separator: "; ")
          + ". Take a later copy, or annul the match")
    case .store(let error): .store(error)
    }
  }
}

extension RecordRestorer.Report {
  /// The report for a person.
  var text: String {
    let entries = "\(MatchRestorer.text(restored)) of \(entryCount)"
    let holds =
      "the record holds with \(restored.count == 1 ? "it" : "them"), and has "
      + PlainText.count(turnCount, "turn")
    guard let setAside else {
      return "match \(match): \(entries) would come from the copy; \(holds). Nothing is written."
    }
    return """
      match \(match): \(entries) came from the copy; \(holds).
      The former rows are row \(setAside) of the table set_aside.
      Then: cubistd rebuild --match \(match), and cubistd dead-letters list
      """
  }

  /// The report for a program.
  func json() throws(OperatorFailure) -> String {
    struct Document: Encodable {
      var schema = "cubistd.restored/1"
      var match: String
      var restored: [Int]
      var entries: Int
      var turns: Int
      var isDryRun: Bool
      var setAside: Int64?
    }
    return try JSONText.encode(
      Document(
        match: "\(match)", restored: restored, entries: entryCount, turns: turnCount,
        isDryRun: setAside == nil, setAside: setAside))
  }
}
