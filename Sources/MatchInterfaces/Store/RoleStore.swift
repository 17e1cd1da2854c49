import MatchCore

/// Where roles leave their signs of life. Confined to its thread.
package struct RoleStore: Interface {
  /// Keeps a role's sign of life, with the store's time, and forgets roles and workers that gave
  /// none for ten minutes. Signs that are dated ahead of the store's clock are dated now.
  package var beat: Ask<RoleSign, Void, StoreError>
  /// Forgets a role that leaves in good order.
  package var leave: Ask<RoleID, Void, StoreError>

  package init(_ how: Asking<StoreError>, around inner: RoleStore?) {
    beat = how("RoleStore.beat", inner?.beat) { _ in }
    leave = how("RoleStore.leave", inner?.leave) { _ in }
  }
}

/// Names one running role.
package struct RoleID: Identifier {
  /// The sixteen bytes as one big-endian number.
  package let rawValue: UInt128
  /// Makes an id of sixteen bytes given as one big-endian number.
  package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// A role's sign of life.
package struct RoleSign: Hashable, Sendable {
  /// How long after its last sign of life a role counts as living, in seconds.
  package static let limitSeconds: Int64 = 15

  /// The role's id.
  package var id: RoleID
  /// The role's name: `reader`, `scheduler` and so on.
  package var role: String
  /// The machine's name and the number of the process.
  package var process: String
  /// The reason why it does not work, or was interrupted a moment ago; nil: it works.
  package var problem: String?

  package init(id: RoleID, role: String, process: String, problem: String? = nil) {
    self.id = id
    self.role = role
    self.process = process
    self.problem = problem
  }
}
