package import MatchInterfaces
package import MatchService

/// Takes in notices of changes, on the thread that has their connection.
package final class NoticeRole: Role {
  /// The most notices in a step.
  static let batch = 256
  static let wait: Duration = .milliseconds(200)

  private let bus: NoticeBus
  private let changes: ChangeDesk

  /// A role with a bus of its own. What was sent before is lost.
  package init(bus: NoticeBus, changes: ChangeDesk) {
    (self.bus, self.changes) = (bus, changes)
    changes.reconnected()
  }

  package func step() throws(Interruption) -> Int {
    do throws(BusError) {
      let notices = try bus.receive(NoticeRole.batch, NoticeRole.wait)
      if !notices.isEmpty { changes.hear(notices) }
      return notices.count
    } catch {
      throw .bus(error)
    }
  }

  package func leave() { bus.close() }
}
