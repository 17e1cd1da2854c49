@testable import BrokerManagement
import Conformance
import CustomDump
@testable import EventBusLive
import FoundationEssentials
import Glibc
import LibCurl
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchWire
import RealServers
import Testing

extension LiveBusTests {
  @Suite("Broker administration")
  struct AdministrationTests {
    @Test(
      "A player's user can neither declare, bind, read nor publish elsewhere")
    func playerRights() async throws {
      try await BusLab.with { lab in
        let url = try Administrator.make().addUser("player", .player(), to: lab.host)
        let forbidden: [(String, (RabbitMQConnection) throws -> Void)] = [
          ("declare", { try $0.declareQueue("mine") }),
          ("declare an exchange", { try $0.declareExchange("cubist.mine", kind: .topic) }),
          ("delete", { try $0.deleteQueue("cubist.slots.00") }),
          ("purge", { try $0.purgeQueue("cubist.slots.00") }),
          (
            "bind",
            {
              try $0.bindQueue(
                "cubist.slots.00", exchange: "cubist.outcomes", routingKey: "#")
            }
          ),
          ("consume events", { try $0.consume("cubist.slots.00") }),
          ("consume queries", { try $0.consume("cubist.queries") }),
          ("get", { _ = try $0.get("cubist.jobs") }),
          ("publish outcomes", { try Self.publish("cubist.outcomes", "match.1", on: $0) }),
          ("publish push jobs", { try Self.publish("", "cubist.jobs", on: $0) }),
          ("publish past the slots", { try Self.publish("", "cubist.slots.00", on: $0) }),
          (
            "answer somebody else",
            { try Self.publish("", "amq.rabbitmq.reply-to.somebody.else", on: $0) }
          ),
          ("publish to the broker's exchanges", { try Self.publish("amq.topic", "#", on: $0) }),
          ("redeclare an exchange", { try $0.declareExchange("cubist.events", kind: .fanout) }),
          ("delete an exchange", { try $0.deleteExchange("cubist.events") }),
          (
            "unbind",
            {
              try $0.unbindQueue("cubist.slots.00", exchange: "cubist.events", routingKey: "0")
            }
          ),
          (
            "bind queries elsewhere",
            { try $0.bindQueue("cubist.queries", exchange: "amq.fanout", routingKey: "") }
          ),
          ("take events one by one", { _ = try $0.get("cubist.slots.00") }),
          ("take queries", { _ = try $0.get("cubist.queries") }),
          ("ask as a gateway", { try Self.publish("cubist.gateways", "cubist.gateways", on: $0) }),
          ("listen as a gateway", { try $0.declareQueue("cubist.gateways.1", exclusive: true) }),
          (
            "hear of changes",
            {
              try $0.bindQueue(
                "cubist.gateways.1", exchange: "cubist.outcomes", routingKey: "matches")
            }
          ),
        ]
        for (what, act) in forbidden {
          let connection = try lab.connect(url)
          defer { connection.close() }
          #expect("a player may \(what)") {
            try act(connection)
          } throws: { error in
            (error as? RabbitMQError)?.replyCode == 403
          }
        }
      }
    }

    @Test("A player's user gets nothing out of the management API")
    func noManagement() async throws {
      try await BusLab.with { lab in
        _ = try Administrator.make().addUser("player", .player(), to: lab.host)
        let player = try Administrator.with(
          user: "\(lab.host.name)-player", password: Administrator.password("player"))
        let forbidden: [(String, () throws -> Void)] = [
          ("list queues", { _ = try player.queues(in: lab.host.name) }),
          ("list nodes", { _ = try player.nodes() }),
          ("make a user", { try player.createUser("mine", password: "x") }),
          (
            "raise its own rights",
            {
              try player.permit("\(lab.host.name)-player", .service(), in: lab.host.name)
            }
          ),
        ]
        for (what, act) in forbidden {
          #expect("a player may \(what)") {
            try act()
          } throws: { error in
            guard case ManagementError.notPermitted = error else { return false }
            return true
          }
        }
      }
    }

    @Test("A user is told with its tags, and its password from another one")
    func user() async throws {
      try await BusLab.withVirtualHost { host in
        let administrator = try Administrator.make()
        let name = "\(host.name)-somebody"
        #expect(try administrator.user(name) == nil)
        try administrator.createUser(name, password: "é:\u{1f600}", tags: "monitoring")
        let user = try #require(try administrator.user(name))
        #expect(user.tags == ["monitoring"])
        #expect(user.has(password: "é:\u{1f600}"))
        for other in ["", "é:", "é:\u{1f600} "] { #expect(!user.has(password: other), "\(other)") }
        try administrator.deleteUser(name)
        #expect(try administrator.hasVirtualHost(host.name))
        #expect(try !administrator.hasVirtualHost("\(host.name)-none"))
      }
    }

    @Test("A user with the tag monitoring sees everything but rights, and changes nothing")
    func monitoring() async throws {
      try await BusLab.with { lab in
        let administrator = try Administrator.make()
        let (name, host) = ("\(lab.host.name)-monitor", lab.host.name)
        let password = Administrator.password("monitor")
        try administrator.createUser(name, password: password, tags: "monitoring")
        let monitor = try Administrator.with(user: name, password: password)
        #expect(throws: (any Error).self) { try monitor.queues(in: host) }
        try administrator.permit(
          name, BrokerRights(configure: "^$", write: "^$", read: "^$"), in: host)
        #expect(try administrator.isAdministrator())
        #expect(try !monitor.isAdministrator())
        let names = try monitor.queues(in: host).map(\.name)
        #expect(try names == administrator.queues(in: host).map(\.name) && !names.isEmpty)
        #expect(try monitor.eventBindings(in: host) == administrator.eventBindings(in: host))
        #expect(try monitor.nodes().flatMap(\.alarms) == [])
        #expect(try !monitor.policies(in: host).contains(.gateways()))
        try administrator.apply(.gateways(), in: host)
        #expect(try monitor.policies(in: host).contains(.gateways()))
        for act: () throws -> Void in [
          { _ = try monitor.rights(of: name, in: host) },
          { try monitor.createUser(name, password: password, tags: "administrator") },
          { try monitor.apply(.gateways(), in: host) },
        ] {
          #expect {
            try act()
          } throws: { error in
            guard case ManagementError.notPermitted = error else { return false }
            return "\(error)".contains("monitoring")
          }
        }
      }
    }

    @Test("Whether a feature flag is on is told, and nothing of one that the broker does not know")
    func flags() async throws {
      try await onThreads {
        let administrator = try Administrator.make()
        #expect(try administrator.isOn(flag: "quorum_queue") == true)
        #expect(try administrator.isOn(flag: "cubist_0.1.0") == nil)
        let peril = try administrator.peril(of: "player")
        let version = try #require(try administrator.version())
        let flagIsOn = try administrator.isOn(flag: BrokerVersion.flag) ?? false
        #expect((peril != nil) == version.isEndedByAnyAccount(flagIsOn: flagIsOn))
      }
    }

    private static func publish(
      _ exchange: String, _ routingKey: String, on connection: RabbitMQConnection
    ) throws {
      try connection.enableConfirms()
      try connection.publish(
        exchange: exchange, routingKey: routingKey, properties: .init(), body: [1],
        mandatory: true)
      // The refusal or the confirmation.
      _ = try connection.poll(wait: .seconds(120))
    }

    @Test("The service's rights and a player's are enough for both")
    func enough() async throws {
      try await BusLab.with { lab in
        let administration = try Administrator.make()
        let service = try administration.addUser("service", .service(), to: lab.host)
        let player = try administration.addUser("player", .player(), to: lab.host)
        try lab.topology.declare(at: lab.address(service))
        let slot = lab.slot(of: 1)
        async let worked: Void = onThread {
          let bus = try WorkerBus.live(lab.context(service), layout: lab.topology.layout)
          try bus.consume([0, 1])
          let delivery = try #require(try bus.receive(1).first)
          try bus.acknowledge(delivery.tag)
          try bus.publish([
            .push(.numbered(1)), .outcome(routingKey: "match.1", body: [1]),
            .reply(
              to: try #require(delivery.replyTo),
              correlationID: delivery.correlationID ?? "", body: [2]),
          ])
          #expect(try bus.awaitConfirmed(1) == [PushJob.numbered(1).id])
          try bus.publish([.push(.numbered(2)), .push(.numbered(3))])
          #expect(try bus.awaitConfirmed(2).count == 2)
          bus.close()
          let pushBus = try PushBus.live(lab.context(service))
          let job = try #require(try pushBus.receiveOne())
          try pushBus.retry([.init(job, after: .oneSecond)])
          try pushBus.acknowledge([try #require(try pushBus.receiveOne()).tag])
          pushBus.close()
          try RelayBus.live(lab.context(service)).close()
          try SchedulerBus.live(lab.context(service)).publish([(slot, [3])])
          try ReaderBus.live(lab.context(service)).close()
        }
        async let asked: Void = onThread {
          let bus = try lab.player(player)
          let answer = try bus.request(
            PlayerMessage(destination: .events(slot), body: [1]), .seconds(120))
          #expect(answer == .reply([2]))
          bus.close()
        }
        try await worked
        try await asked
      }
    }

    @Test("Rights are as last set, and a user can be deleted twice")
    func users() throws {
      try RealServers.withVirtualHost { (host: VirtualHost) throws in
        let administration = try Administrator.make()
        let user = "\(host.name)-ann/é"
        #expect(try administration.rights(of: user, in: host.name) == nil)
        try administration.createUser(user, password: "one")
        #expect(try administration.rights(of: user, in: host.name) == nil)
        for rights in [BrokerRights.player(), .gateway(), .service(Names(prefix: "a.b-"))] {
          try administration.permit(user, rights, in: host.name)
          #expect(try administration.rights(of: user, in: host.name) == rights)
        }
        try administration.createUser(user, password: "two")
        #expect(try administration.rights(of: user, in: host.name) != nil)
        for _ in 0..<2 { try administration.deleteUser(user) }
        #expect(try administration.rights(of: user, in: host.name) == nil)
      }
    }

    @Test("Rights without limits leave a user's limits as they are, and a limit can go alone")
    func limitsStay() throws {
      try RealServers.withVirtualHost { (host: VirtualHost) throws in
        let administration = try Administrator.make()
        let user = "\(host.name)-ann"
        try administration.createUser(user, password: "one")
        var rights = BrokerRights(configure: "^$", write: "^$", read: "^$")
        try administration.permit(user, rights, in: host.name)
        #expect(try administration.rights(of: user, in: host.name) == rights)
        try administration.permit(user, .player(), in: host.name)
        try administration.permit(user, rights, in: host.name)
        rights.limits = BrokerRights.player().limits
        #expect(try administration.rights(of: user, in: host.name) == rights)
        try administration.createUser(user, password: "two")
        rights.limits = .init(connections: nil, channels: 7)
        try administration.permit(user, rights, in: host.name)
        #expect(try administration.rights(of: user, in: host.name) == rights)
        try administration.deleteUser(user)
      }
    }

    @Test(
      "A user has so many connections and channels; one more is refused for now, by a reason of its own",
      arguments: [
        BrokerRights.Limits(connections: 3, channels: nil), .init(connections: nil, channels: 3),
      ])
    func limits(_ limits: BrokerRights.Limits) async throws {
      try await BusLab.with { lab in
        var rights = BrokerRights.player()
        rights.limits = limits
        let administration = try Administrator.make()
        let url = try administration.addUser("player", rights, to: lab.host)
        var open: [RabbitMQConnection] = []
        defer { for connection in open { connection.close() } }
        var refusal: RabbitMQError?
        // The broker counts them a moment after they are there.
        while refusal == nil, open.count < 50 {
          do { open.append(try lab.connect(url)) } catch let error as RabbitMQError {
            refusal = error
          }
        }
        let error = try #require(refusal)
        #expect(open.count >= 3 && open.count < 50)
        #expect(error.replyCode == 530 && error.isRetryable, "\(error)")
        guard case .disconnected = BusError(error) else {
          Issue.record("\(error)")
          return
        }
        // Nobody else's are counted, and one that ends makes room.
        try lab.connect(administration.addUser("other", .player(), to: lab.host)).close()
        for connection in open { connection.close() }
        open = []
        let again = try awaiting { try? lab.connect(url) }
        open.append(try #require(again))
      }
    }

    @Test("Rights match the names and nothing that resembles them")
    func patterns() throws {
      let names = Names(prefix: "test+1.")
      let player = try Regex(BrokerRights.player(names).write)
      for name in [names.events, names.queries] { #expect(name.wholeMatch(of: player) != nil) }
      for name in [
        "cubist.events", "testt1.cubist.events", "test+1.cubistXevents", names.push,
        names.events(queue: 0), "amq.default", "",
      ] { #expect(name.wholeMatch(of: player) == nil, "\(name)") }
      let service = try Regex(BrokerRights.service(names).write)
      for name in [names.events(queue: 7), names.push, names.outcomes, "amq.default"] {
        #expect(name.wholeMatch(of: service) != nil, "\(name)")
      }
      let gateway = BrokerRights.gateway(names)
      let (own, other) = (names.gateway(.max), "\(names.gatewayQueries).x")
      for (pattern, good, bad) in [
        (gateway.configure, [own], [other, names.gatewayQueries, names.outcomes]),
        (
          gateway.write, [own, names.events, names.queries, names.gatewayQueries],
          [other, names.outcomes, names.push, "amq.default", ""]
        ),
        (gateway.read, [own, names.outcomes], [other, names.gatewayQueries, names.queries]),
      ] {
        let regex = try Regex(pattern)
        for name in good { #expect(name.wholeMatch(of: regex) != nil, "\(name)") }
        for name in bad { #expect(name.wholeMatch(of: regex) == nil, "\(name)") }
      }
      for name in ["cubist.events", "amq.topic", "test+1.cubist", "xtest+1.cubist.dead"] {
        #expect(name.wholeMatch(of: service) == nil, "\(name)")
      }
    }

    @Test("Queues are listed with their messages")
    func queues() async throws {
      try await BusLab.with { lab in
        let scheduler = try SchedulerBus.live(lab.context())
        defer { scheduler.close() }
        try scheduler.publish([(lab.slot(of: 1), [1, 2, 3]), (lab.slot(of: 1), [4])])
        let administration = try Administrator.make()
        // The broker gathers statistics at intervals.
        let queues = try #require(
          try awaiting {
            let queues = try administration.queues(in: lab.host.name)
            return queues.contains {
              $0.name == "cubist.slots.01" && $0.bytes == 4 && $0.ready == 2
            } ? queues : nil
          })
        expectNoDifference(
          queues.map(\.name),
          [
            "cubist.gateways", "cubist.jobs", "cubist.jobs.retry.1", "cubist.jobs.retry.10",
            "cubist.jobs.retry.1800", "cubist.jobs.retry.18000", "cubist.jobs.retry.300",
            "cubist.jobs.retry.60", "cubist.jobs.retry.7200", "cubist.queries", "cubist.slots.00",
            "cubist.slots.01",
          ])
        let busy = try #require(queues.first { $0.name == "cubist.slots.01" })
        #expect(busy.ready == 2 && busy.bytes == 4 && busy.unacknowledged == 0)
        #expect(busy.consumers == 0 && busy.isRunning)
        #expect(queues.allSatisfy { $0.absentMembers == [] })
        #expect(try administration.nodes().flatMap(\.alarms) == [])
      }
    }

    @Test("The servers for tests may open as many files as the system allows, and tell of them")
    func files() throws {
      let administration = try BrokerAdministration(url: RealServers.environment().managementURL)
      // A broker that was just started does not know yet.
      let nodes = try awaiting { () -> [BrokerAdministration.NodeReport]? in
        let nodes = try administration.nodes()
        return nodes.contains { $0.fileLimit == nil || $0.freeBytes == nil } ? nil : nodes
      }
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let wanted = min(Int(clamping: limit.rlim_max), 65_536)
      for node in try #require(nodes) {
        #expect(try #require(node.fileLimit) >= wanted && #require(node.fileCount) > 0)
        #expect(try #require(node.freeBytes) > #require(node.freeLimit))
      }
    }

    @Test("The nodes where a queue's replica is missing are named")
    func absentMembers() throws {
      let answer = """
        [{"name": "a", "members": ["rabbit@a", "rabbit@b", "rabbit@c"], "online": ["rabbit@b"],
          "messages_ready": 3, "state": "running"},
         {"name": "b", "members": ["rabbit@a"], "online": ["rabbit@a"]},
         {"name": "new", "members": ["rabbit@a"]}, {"name": "classic"}]
        """
      let reports = try JSONDecoder().decode(
        [BrokerAdministration.QueueReport].self, from: Data(answer.utf8))
      expectNoDifference(
        reports.map(\.absentMembers), [["rabbit@a", "rabbit@c"], [], [], []])
      #expect(reports[0].ready == 3 && reports[0].isRunning)
    }

    // Failure: ManagementError.badURL: The URL is not one of the management API.
    @Test(
      "A bad URL of the management API is named without its password",
      arguments: [
        "", "amqp://ann:secret@host:1", "http://host:15672", "http://ann@host:15672",
        "http://ann:secret@host", "http://ann:secret@host:0", "http://ann:secret@host:70000",
        "http://ann:secret@:15672", "http://ann:sec%ret@host:1", "http://ann:secret@ho st:1",
        "http://ann:secret@host:1/api", "http://ann:%ff@host:1",
        "http://ann:secret@host:1?cacertfile=/a", "https://ann:secret@host:1?cafile=/a",
        "https://ann:secret@host:1?cacertfile=", "https://ann:secret@host:1?cacertfile=%zz",
      ])
    func badURL(url: String) throws {
      #expect {
        try BrokerAdministration(url: url)
      } throws: { error in
        guard case ManagementError.badURL = error else { return false }
        return !"\(error)".contains("sec") && "\(error)".contains("http://user:password")
      }
    }

    // Failure: ManagementError.unreachable: Nobody answers.
    // Failure: ManagementError.notPermitted: The password is wrong or a right is missing.
    @Test("Nobody there, a wrong password and no API are told apart")
    func unreachable() throws {
      let here = try Administrator.make()
      let endpoint = try #require(here.description.split(separator: "@").last)
      let secret = try BrokerAdministration(url: "http://ann:secret@[::1]:15672/")
      for text in ["\(secret)", String(reflecting: secret), String(customDumping: secret)] {
        #expect(text.contains("http://ann@[::1]:15672"))
        #expect(!text.contains("secret") && !text.contains("YW5u"))
      }
      #expect {
        try BrokerAdministration(url: "http://a:b@127.0.0.1:1").nodes()
      } throws: { error in
        guard case ManagementError.unreachable("127.0.0.1:1", _) = error else { return false }
        return true
      }
      #expect(
        throws: ManagementError.notPermitted(endpoint: String(endpoint), user: "cubist")
      ) {
        try Administrator.with(user: "cubist", password: "wrong").nodes()
      }
    }

    // Failure: ManagementError.malformed: The answer does not come from this API.
    @Test("A server that does not speak HTTP is told from an API")
    func noAPI() throws {
      let broker = try RealServers.environment().plainAMQP
      let address = try #require(broker.split(separator: "@").last?.split(separator: "/").first)
      #expect {
        try BrokerAdministration(url: "http://a:b@\(address)", timeoutSeconds: 60).nodes()
      } throws: { error in
        guard case ManagementError.malformed("list nodes", _) = error else { return false }
        return true
      }
    }

    // Failure: ManagementError.notTrusted: No trusted authority vouches for the server, or it has
    //   another name, or it speaks no TLS. The password is not sent.
    @Test("Only a server that its authority vouches for is told the password over HTTPS")
    func verified() throws {
      let environment = try RealServers.environment()
      let url = environment.managementURL
      let trusted = try BrokerAdministration(url: url)
      #expect(try trusted.nodes().flatMap(\.alarms) == [])
      #expect(trusted.description.hasPrefix("https://cubist@localhost:"))
      let withoutAuthority = String(url.prefix { $0 != "?" })
      let otherHost = url.replacing("@localhost:", with: "@other.localhost:")
      let noTLS = environment.plainManagementURL.replacing("http://", with: "https://")
      for url in [withoutAuthority, otherHost, noTLS] {
        #expect {
          try BrokerAdministration(url: url).nodes()
        } throws: { error in
          guard case ManagementError.notTrusted = error else { return false }
          return "\(error)".contains("cacertfile") && !"\(error)".contains("cubist:")
        }
      }
    }
  }
}
