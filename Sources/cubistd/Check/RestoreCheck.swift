import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient

/// Compares the answers that players' programs kept with a database that was restored to an earlier
/// moment: names everything that players hold and the database has not.
struct RestoreCheck {
  /// A player's answers, as the player's program kept them.
  struct Keeper {
    var player: PlayerID
    var name: String
    var journal: Journal
  }

  /// The kind of a loss.
  enum Kind: String, Hashable, Sendable, Encodable {
    /// The player is not registered.
    case playerLost
    /// The database knows nothing of the event.
    case eventLost
    /// The event came again and was refused.
    case refusedAgain
    /// The event came again and was accepted, and another entry came of it.
    case judgedAnew
  }

  /// Something that a player was told and the database does not say.
  struct Loss: Hashable, Sendable {
    var kind: Kind
    var player: PlayerID
    var name: String
    /// The rest is nil of a player who is lost.
    var event: EventID?
    var type: String?
    var match: MatchID?
    var turn: Int?
    /// The refusal of an event that was refused.
    var refusal: String?
  }

  /// The result.
  struct Report {
    /// Players whose answers were compared.
    var players = 0
    /// Accepted events that were compared.
    var compared = 0
    /// Accepted events of which nothing is kept that could be compared: older than replies, and
    /// without a receipt, or of a match that is not kept any more.
    var unknown = 0
    /// Lines of journals that cannot be read.
    var damaged = 0
    var losses: [Loss] = []
    /// Events that wait in the broker's queues.
    var waiting = ManagementAnswer<Int>.unset
    /// Sentences about folders.
    var notes: [String] = []
  }

  let store: CheckStore
  let service: ServiceID
  var retention = Retention.standard

  /// Compares all of a folder's players.
  func run(_ folder: String) throws(OperatorFailure) -> Report {
    var report = Report()
    let keepers = try read(folder, &report)
    guard !keepers.isEmpty else {
      throw .notFound(
        "There is no profile of a player of this service in \(folder). Each player has a folder there "
          + "with profile.json and journal.jsonl of the program cubist.")
    }
    let known = Set(
      try onStore(try store.playersByID(Array(Set(keepers.map(\.player))))).map(\.player))
    for keeper in keepers {
      report.players += 1
      report.damaged += keeper.journal.damagedCount
      if !known.contains(keeper.player) {
        report.losses.append(Loss(kind: .playerLost, player: keeper.player, name: keeper.name))
      }
      try compare(keeper, &report)
    }
    return report
  }

  // MARK: Folders

  /// The players of a folder: it is one's own profile, or has one in each of its folders.
  private func read(_ folder: String, _ report: inout Report) throws(OperatorFailure) -> [Keeper] {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } catch {
      throw .file(path: folder, reason: "it cannot be read: \(error.localizedDescription)")
    }
    var keepers: [Keeper] = []
    for path in [folder] + names.map({ "\(folder)/\($0)" }) {
      guard Files.exists("\(path)/profile.json") else { continue }
      if Files.exists("\(path)/key") {
        report.notes.append(
          "\(path)/key: this is a player's key. Delete it: nobody but the player may have it.")
      }
      if let keeper = try read(profile: path, &report) { keepers.append(keeper) }
    }
    return keepers
  }

  private func read(
    profile path: String, _ report: inout Report
  ) throws(OperatorFailure) -> Keeper? {
    let kept = ProfileStore.live(folder: path)
    do throws(ProfileError) {
      let profile = try kept.loadProfile()
      guard profile.service == service, let player = profile.player else {
        report.notes.append("\(path): passed over, it is of no player of this service")
        return nil
      }
      return Keeper(
        player: player, name: profile.name?.text ?? "-", journal: try kept.loadJournal())
    } catch {
      throw .file(path: path, reason: "\(error)")
    }
  }

  // MARK: Comparing

  private func compare(_ keeper: Keeper, _ report: inout Report) throws(OperatorFailure) {
    let lines = keeper.journal.accepted
    let now = try onStore(try store.now())
    let portion = 500
    for first in stride(from: 0, to: lines.count, by: portion) {
      try compare(
        Array(lines[first..<min(first + portion, lines.count)]), of: keeper, now, &report)
    }
  }

  private func compare(
    _ lines: [JournalLine], of keeper: Keeper, _ now: Instant, _ report: inout Report
  ) throws(OperatorFailure) {
    let keys = lines.map { EventKey(player: keeper.player, event: $0.event) }
    let replies = try onStore(try store.replies(keys))
    // A hash that the service has told of stands in the record, however old it is.
    let told = lines.compactMap { line -> (EventID, RecordPlace)? in
      guard let receipt = line.receipt, let hash = receipt.hash else { return nil }
      let place = RecordPlace(
        match: receipt.match, payloadHash: Hash(sha256Of: []), entryHash: hash)
      return (line.event, place)
    }
    let absent = try onStore(try store.lacking(told.map(\.1)))
    let lacking = Set(absent.filter { told.indices.contains($0) }.map { told[$0].0 })
    let named = Set(lines.compactMap { $0.receipt?.match })
    let matches = try onStore(try store.existing(Array(named)))
    let endOfGames = retention.endOfGames(at: now)
    for (line, key) in zip(lines, keys) {
      let isRecent =
        now.microseconds(since: line.event.time) < StoreCheck.repliesKeptSeconds * 1_000_000
      let isInRecord = line.receipt?.hash != nil && !lacking.contains(line.event)
      let isGone = line.receipt.map { !matches.contains($0.match) } ?? false
      if isGone, let endOfGames, line.event.time < endOfGames {
        report.unknown += 1
        continue
      }
      report.compared += 1
      if let reply = replies[key] {
        if case .refused(let name, _, _)? = (try? ReplyCodec.decode(reply.reply))?.reply {
          report.losses.append(loss(.refusedAgain, line, keeper, refusal: name))
        } else if lacking.contains(line.event) {
          report.losses.append(loss(.judgedAnew, line, keeper))
        }
      } else if isRecent ? !isInRecord : isGone || lacking.contains(line.event) {
        report.losses.append(loss(.eventLost, line, keeper))
      } else if !isInRecord {
        report.compared -= 1
        report.unknown += 1
      }
    }
  }

  private func loss(
    _ kind: Kind, _ line: JournalLine, _ keeper: Keeper, refusal: String? = nil
  ) -> Loss {
    Loss(
      kind: kind, player: keeper.player, name: keeper.name, event: line.event, type: line.type,
      match: line.receipt?.match, turn: line.receipt?.turn, refusal: refusal)
  }
}

extension RestoreCheck.Loss: CustomStringConvertible {
  /// A sentence for a person, with the consequence.
  var description: String {
    let place =
      (turn.map { " turn \($0)" } ?? "") + (match.map { " in match \($0)" } ?? "")
    let what = "\(type ?? "event") \(event.map { "\($0)" } ?? "-")\(place) of \(name)"
    return switch kind {
    case .playerLost:
      "[playerLost] \(name) (\(player)) is not registered. The player registers anew with the same "
        + "key, and is the same player then."
    case .eventLost:
      "[eventLost] \(what) was accepted, and is gone. The player has to do it again."
    case .refusedAgain:
      "[refusedAgain] \(what) was accepted, came again and was refused: \(refusal ?? "-")."
    case .judgedAnew:
      "[judgedAnew] \(what) came again and was accepted anew. The player's receipt is of the lost "
        + "entry."
    }
  }
}

extension RestoreCheck.Report {
  var text: String {
    var lines = notes
    lines.append(
      "\(PlainText.count(players, "player")) with \(PlainText.count(compared, "accepted event")) "
        + "compared" + (unknown > 0 ? "; of \(unknown) nothing is kept that can be compared" : "")
        + (damaged > 0 ? "; \(PlainText.count(damaged, "line")) cannot be read" : ""))
    lines += losses.map { "! \($0)" }
    if losses.isEmpty { lines.append("The database has everything that these players hold.") }
    lines.append(
      waiting.absence.map { "\($0): queues were not looked at." }
        ?? (waiting == .told(0)
          ? "No event waits in the broker's queues."
          : "\(PlainText.count(waiting.value ?? 0, "event")) in the broker's queues: workers judge "
            + "them now."))
    return lines.joined(separator: "\n")
  }

  func json() throws(OperatorFailure) -> String {
    struct Document: Encodable {
      struct Row: Encodable {
        var kind: RestoreCheck.Kind
        var player, name: String
        var event, type, match, refusal: String?
        var turn: Int?
      }
      var schema = "cubistd.afterRestore/1"
      var players, compared, unknown, damaged: Int
      var losses: [Row]
      var waiting: Int?
      var queuesUnseen: String?
      var notes: [String]
    }
    return try JSONText.encode(
      Document(
        players: players, compared: compared, unknown: unknown, damaged: damaged,
        losses: losses.map { loss in
          Document.Row(
            kind: loss.kind, player: "\(loss.player)", name: loss.name,
            event: loss.event.map { "\($0)" }, type: loss.type, match: loss.match.map { "\($0)" },
            refusal: loss.refusal, turn: loss.turn)
        }, waiting: waiting.value, queuesUnseen: waiting.absence, notes: notes))
  }
}
