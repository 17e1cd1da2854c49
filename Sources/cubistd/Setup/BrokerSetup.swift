import EventBusLive
import MatchInterfaces
import MatchWire

/// Exchanges, queues, bindings, and the users with the rights they need and no more.
struct BrokerSetup: Sendable {
  var service: BrokerAccount
  /// The user that all players connect as; nil where somebody else looks after it.
  var players: BrokerAccount?
  /// Nil where there is no management API: users, rights and bindings are not looked at then.
  var administration: BrokerAdministration?
  var topology: Topology

  /// Makes what is missing, and gives every user exactly its rights. Doing it again changes
  /// nothing.
  func run() throws(OperatorFailure) {
    var stale: [EventBinding] = []
    if let administration {
      stale = try onManagement { () throws(ManagementError) in
        try administration.createVirtualHost(service.virtualHost)
        // Who asks may look into the virtual host only with rights of its own there.
        if try administration.rights(of: administration.user, in: service.virtualHost) == nil {
          try administration.permit(
            administration.user, .everything, in: service.virtualHost)
        }
        for (account, rights) in accounts where account.user != administration.user {
          try administration.createUser(account.user, password: account.password)
          try administration.permit(account.user, rights, in: account.virtualHost)
        }
        return try administration.eventBindings(of: topology.names, in: service.virtualHost)
      }
    }
    try onBroker { () throws(BusError) in
      try topology.declare(at: service.address, removing: stale)
    }
  }

  /// What is missing or otherwise than it should be, a sentence each.
  func problems() throws(OperatorFailure) -> [String] {
    var problems = try onBroker { () throws(BusError) in
      try topology.missing(at: service.address)
    }
    guard let administration else {
      return problems
    }
    problems += try onManagement { () throws(ManagementError) -> [String] in
      var problems = topology.problems(
        in: try administration.eventBindings(of: topology.names, in: service.virtualHost))
      for (account, rights) in accounts where account.user != administration.user {
        let found = try administration.rights(of: account.user, in: account.virtualHost)
        if let found, found != rights {
          problems.append(
            "broker user \(account.user) has other rights than it needs: \(found.summary)")
        } else if found == nil {
          problems.append(
            "broker user \(account.user) has no rights in virtual host \(account.virtualHost)")
        }
      }
      return problems
    }
    return problems
  }

  /// Each account with the rights it needs and no more.
  private var accounts: [(BrokerAccount, BrokerRights)] {
    [(service, .service(topology.names))]
      + (players.map { [($0, .player(topology.names))] } ?? [])
  }
}

extension BrokerRights {
  /// An administrator's.
  static let everything = BrokerRights(configure: ".*", write: ".*", read: ".*")

  /// The three expressions on one line.
  var summary: String { "configure \(configure), write \(write), read \(read)" }
}
