import CubeRules
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient

/// Checks that no answer to a query shows a state that never existed. A match must be shown in one
/// whole committed state, and none older than the query demanded.
struct ViewCheck {
  private let world: World

  init(_ world: World) { self.world = world }

  /// The mistakes in a match as it was shown.
  func violations(_ view: MatchView, atLeast: Int64?) -> [String] {
    var found: [String] = []
    if let atLeast, view.version < atLeast {
      found.append("a query for version \(atLeast) of match \(view.id) got \(view.version)")
    }
    guard let match = state(view.id, view.version) else {
      return found + ["match \(view.id) was never in the version \(view.version) that was shown"]
    }
    let isSame =
      view.turn == match.turnNumber && view.seatToPlay == match.seatToPlay
      && view.previous == match.previousTurnHash && view.outcome == match.outcome
      && view.seats.map(\.points) == match.points && view.deadline == match.deadline?.at
      && view.successor == match.rematch.successor
      && view.rematchOfferBy == match.rematch.offer?.seat
    if !isSame {
      found.append("match \(view.id) was shown as it never was in version \(view.version)")
    }
    // A viewer with only a code does not see the cube.
    guard !view.letters.isEmpty else { return found }
    do throws(MatchViewFault) {
      if try view.game() != match.game {
        found.append("match \(view.id) was shown with another cube")
      }
    } catch {
      found.append("match \(view.id) version \(view.version): \(error)")
    }
    return found
  }

  /// The mistakes in lists as they were shown.
  func violations(home: HomeView?, games: [PastGame], of player: PlayerID) -> [String] {
    var found: [String] = []
    for summary in (home?.matches ?? []) + (home?.invitations ?? []) {
      let match = state(summary.id, summary.version)
      if match.map({ $0.points != summary.points || $0.turnNumber != summary.turn }) ?? true {
        found.append("match \(summary.id) was listed as it never was")
      }
    }
    for game in games {
      // It may have been annulled since.
      let wasSo = history(of: game.id).contains { match in
        match.outcome?.reason == game.reason
          && match.seat(of: player).map { match.points[$0] } == game.points
      }
      if !wasSo {
        found.append("past game \(game.id) was listed as it never ended")
      }
    }
    return found
  }

  /// The mistakes in a list that leaves out a match of its player.
  ///
  /// - Parameter since: The time at which the list was requested.
  func violations(of home: HomeView, for player: PlayerID, since: Instant) -> [String] {
    let listed = Set(home.matches.map(\.id))
    return world.store.matches.values.filter { match in
      guard match.outcome == nil, match.seat(of: player) != nil, !listed.contains(match.id),
        match.terms.kind.dailyKey == nil
      else { return false }
      // It was so all the while.
      let before = world.store.history[match.id]?.last { $0.since < since }?.match
      return before?.seat(of: player) != nil
    }.map { "match \($0.id) is not over and not in the list of player \(player)" }.sorted()
  }

  /// The mistakes in a record as it was handed out.
  func violations(record: String, of match: MatchID) -> [String] {
    let store = world.store
    let entries = store.entries[match] ?? store.dropped.entries[match] ?? []
    guard let document = try? RecordDocument(Array(record.utf8)) else {
      return ["the record of match \(match) cannot be read"]
    }
    // It may have been annulled since.
    let wasWhole = history(of: match).contains {
      $0.outcome != nil && $0.entryCount == document.entries.count
    }
    return wasWhole && entries.starts(with: document.entries)
      ? [] : ["the record of match \(match) is not what is stored"]
  }

  /// The mistakes in the refusal to hand a match out that a player has played.
  func violations(_ error: ClientError, about match: MatchID) -> [String] {
    guard case .queryRefused(let name, _, let refusal) = error else { return [] }
    switch refusal {
    case .unknownMatch?: return ["past game \(match) was said to have never been"]
    case .matchGone? where world.store.matches[match] != nil:
      return ["past game \(match) was said to be gone: \(name)"]
    default: return []
    }
  }

  private func state(_ match: MatchID, _ version: Int64) -> Match? {
    history(of: match).last { $0.version == version }
  }

  /// Every state of a match that was ever visible.
  private func history(of match: MatchID) -> [Match] {
    (world.store.history[match] ?? []).map(\.match)
  }
}
