import MatchCore
package import MatchInterfaces
import MatchWire

/// A loss, a repetition, or another broken promise.
package struct Finding: Hashable, Sendable, Codable, CustomStringConvertible {
  package enum Kind: String, Hashable, Sendable, Codable {
    /// A promise to a sender that the store does not hold.
    case lost
    /// Something happened more often than it was asked for.
    case doubled
    /// Another difference from the expected state.
    case wrong
  }

  package var kind: Kind
  /// The thing that is wrong, by name, and the difference.
  package var text: String

  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  /// One line.
  package var description: String { "\(kind.rawValue): \(text)" }
}

extension SenderLog {
  /// Compares the senders' knowledge with the store's contents, once everything is answered.
  ///
  /// Every event has one answer, which the store holds byte for byte. The store holds no answer to
  /// an event that nobody sent. The records hold the accepted turns, each once, and no others.
  ///
  /// - Parameter others: The events of hostile players, who do not mind their answers.
  package func findings(
    in store: CheckStore, besides others: HostileLog? = nil
  ) throws(StoreError) -> [Finding] {
    var findings: [Finding] = []
    var stored: [EventKey: [UInt8]] = [:]
    var last: EventKey?
    while true {
      let page = try store.handled(last, 10_000)
      for row in page { stored[row.key] = row.reply.reply }
      guard let next = page.last?.key else { break }
      last = next
    }
    var accepted: [EventID: Int] = [:]
    for line in all {
      let name = "\(line.event.action.typeName) \(line.event.id) of player \(line.event.player)"
      let replies = Set(line.lastingReplies)
      let held = stored.removeValue(forKey: line.key)
      if replies.isEmpty {
        // A refusal of a kind that is never stored is an answer.
        guard !line.isAnswered || held != nil else { continue }
        findings.append(
          Finding(
            line.isConfirmed ? .lost : .wrong,
            "\(name) has no lasting answer\(held == nil ? "" : ", and the store has one")"))
      } else if replies.count > 1 {
        findings.append(Finding(.doubled, "\(name) has \(replies.count) different answers"))
      } else if held == nil {
        findings.append(Finding(.lost, "\(name) was answered, and the store has no answer"))
      } else if held != replies.first {
        findings.append(Finding(.doubled, "\(name) was answered otherwise than the store has it"))
      }
      if line.isAcceptedTurn { accepted[line.event.id] = 0 }
    }
    findings += stored.keys.filter { others?.hasSigned($0) != true }.map {
      Finding(.doubled, "the store answers event \($0.event) of player \($0.player), never sent")
    }
    return try findings + turnFindings(store, others, &accepted)
  }

  private func turnFindings(
    _ store: CheckStore, _ others: HostileLog?, _ accepted: inout [EventID: Int]
  ) throws(StoreError) -> [Finding] {
    var findings: [Finding] = []
    var last: MatchID?
    while true {
      let ids = try store.matches(last, 500)
      guard let next = ids.last else { break }
      last = next
      for entry in try store.stored(ids).values.flatMap(\.record) {
        guard case .event(let event)? = try? PayloadCodec.decodeContent(entry.signed.payload),
          case .turnPlayed(let played) = event.action
        else { continue }
        if let count = accepted[event.id] {
          accepted[event.id] = count + 1
        } else if others?.hasSigned(EventKey(player: event.player, event: event.id)) != true {
          findings.append(
            Finding(
              .doubled,
              "turn \(played.turn.number) of match \(played.match) is recorded, not accepted"))
        }
      }
    }
    for (event, count) in accepted where count != 1 {
      findings.append(
        Finding(
          count == 0 ? .lost : .doubled, "accepted turn \(event) is recorded \(count) times"))
    }
    return findings
  }
}

extension SenderLog.Line {
  fileprivate var isAcceptedTurn: Bool {
    guard case .turnPlayed = event.action, let reply = lastingReplies.first,
      case .accepted? = (try? ReplyCodec.decode(reply))?.reply
    else { return false }
    return true
  }
}
