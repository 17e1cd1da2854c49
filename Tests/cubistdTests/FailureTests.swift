import BrokerManagement
import EventBusLive
import LibPQ
import Logging
import MatchInterfaces
import MatchService
import Synchronization
import Testing

@testable import cubistd

@Suite("Failures an operator reads")
struct FailureTests {
  // Failure: OperatorFailure.settings: Settings are missing or wrong. The command names all of them
  //   at once.
  @Test("Every setting that is missing is named at once, with an example, and is a matter of usage")
  func missingSettings() throws {
    let failure = #expect(throws: OperatorFailure.self) {
      _ = try ServiceSettings.load(
        needing: [.database, .broker, .serviceKeys], environment: ["CUBIST_QUEUES": "many"])
    }
    let text = try #require(failure).description
    for name in ["CUBIST_DATABASE", "CUBIST_BROKER", "CUBIST_SERVICE_KEYS", "CUBIST_QUEUES"] {
      #expect(text.contains("\(name) is"), "\(name) in \(text)")
    }
    #expect(text.contains("\"many\""))
    #expect(failure?.exitCode == 64)
  }

  @Test("A variable that is no setting is warned of at the start, once")
  func unknownSetting() throws {
    let lines = Mutex<[String]>([])
    let sink = LineSink { line in
      lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }
    let log = Logger.make(level: .info, clock: .live, sink: sink)
    RunCommand.warn(of: ["CUBIST_QUEUS": "8", "CUBIST_QUEUES": "8"], log)
    let told = lines.withLock { $0 }
    #expect(told.count == 1)
    #expect(told.first?.contains("CUBIST_QUEUS is no setting") == true)
    #expect(told.first?.contains("did you mean CUBIST_QUEUES?") == true)
  }

  @Test("A command that needs only the database asks for nothing else")
  func onlyDatabase() throws {
    let settings = try ServiceSettings.load(
      needing: [.database], environment: ["CUBIST_DATABASE": "host=localhost"])
    #expect(settings.database == "host=localhost")
  }

  // Failure: OperatorFailure.store: PostgreSQL, or the data in it, failed.
  // Failure: OperatorFailure.gatewayBroker: RabbitMQ failed, as a gateway connects. The remedy
  //   names its setting.
  // Failure: OperatorFailure.broker: RabbitMQ failed.
  // Failure: CheckStore.count: The command reports it.
  // Failure: OperatorStore.hiddenWords, OperatorStore.status, OperatorStore.figures,
  //   OperatorStore.account, OperatorStore.reports, OperatorStore.service,
  //   OperatorStore.keepService, OperatorStore.addCertificate, OperatorStore.pushKey,
  //   OperatorStore.keepPushKey, OperatorStore.registrationNeedsCode,
  //   OperatorStore.setRegistration, OperatorStore.registrationCodes, OperatorStore.reply,
  //   OperatorStore.deliveries, OperatorStore.acts: The command reports it.
  // Failure: OperatorStore.revokeKey: Nothing is revoked.
  // Failure: OperatorStore.stopRecovery: The recovery goes on.
  // Failure: OperatorStore.stopInvitations: The codes stay good.
  // Failure: OperatorStore.removePlayer: The account stays.
  // Failure: OperatorStore.export: Nothing is printed.
  @Test("A server that does not answer is named, with the command that starts it")
  func unavailable() {
    let database = OperatorFailure.store(.unavailable("refused"))
    #expect(database.exitCode == 69)
    #expect(database.description.contains("PostgreSQL cannot be reached: refused"))
    #expect(database.description.contains("CUBIST_DATABASE"))
    #expect(database.description.contains("cubistd up"))
    let broker = OperatorFailure.broker(.disconnected("refused"))
    #expect(broker.exitCode == 69)
    #expect(broker.description.contains("RabbitMQ cannot be reached: refused"))
    #expect(broker.description.contains("CUBIST_BROKER"))
    #expect(broker.description.contains("cubistd up"))
    let frozen = OperatorFailure.broker(.timedOut("no answer"))
    #expect(frozen.exitCode == 69)
    #expect(frozen.description.contains("RabbitMQ does not answer: no answer"))
  }

  // Failure: OperatorFailure.databaseReadOnly: The database runs and takes no writes. Commands that
  //   only read go on.
  @Test("A database that takes no writes is called that, and not one that is down")
  func readOnly() {
    let failure = OperatorFailure.databaseReadOnly(
      "host=db: the server's sessions are not read-write")
    #expect(failure.exitCode == 69)
    #expect(failure.description.hasPrefix("PostgreSQL takes no writes: host=db"))
    #expect(failure.description.contains("`SELECT pg_is_in_recovery()`"))
    #expect(!failure.description.contains("Start it"))
    #expect(Finding(failure).name == "databaseReadOnly")
  }

  @Test(
    "Where nothing says where the database is, the files of the package and of `cubistd up` are named"
  )
  func settingsFiles() {
    let failure = #expect(throws: OperatorFailure.self) {
      _ = try ServiceSettings.load(needing: [.database], environment: [:])
    }
    #expect(failure?.description.contains("CUBIST_CONFIG=/etc/cubist/cubistd.env") == true)
    #expect(failure?.description.contains("CUBIST_CONFIG=FOLDER/.cubist/cubistd.conf") == true)
    let other = OperatorFailure.settings(["CUBIST_BROKER is not set"])
    #expect(!other.description.contains("CUBIST_CONFIG"))
  }

  // Failure: OperatorFailure.databasePooled: A pooler such as PgBouncer answers in PostgreSQL's place,
  //   and would share the sessions of roles with others, or take their time-outs away.
  @Test("A pooler in front of PostgreSQL is named, and nobody is told to start a server")
  func pooler() {
    let error = PostgreSQLError(
      .connectFailed, "FATAL:  unsupported startup parameter: options", sqlState: nil)
    let failure = Wiring.failure(of: error, PostgreSQLSettings())
    #expect(failure.exitCode == 64)
    let text = "\(failure)"
    #expect(text.contains("PgBouncer") && text.contains("CUBIST_DATABASE"), "\(text)")
    #expect(!text.contains("Start it") && !text.contains("cannot be reached"), "\(text)")
    let finding = Finding(failure)
    #expect(finding.name == "databasePooled" && finding.remedy.contains("PgBouncer"))
    guard
      case .store(.unavailable) = Wiring.failure(
        of: PostgreSQLError(.connectFailed, "refused", sqlState: nil), PostgreSQLSettings())
    else {
      Issue.record("a server that is away is no pooler")
      return
    }
  }

  // Failure: OperatorFailure.management: RabbitMQ's management API failed.
  // Failure: OperatorFailure.file: A file cannot be used.
  // Failure: OperatorFailure.servers: The private servers of `up` failed.
  // Failure: OperatorFailure.unreadable: An argument or a file cannot be read.
  // Failure: OperatorFailure.notFound: The named thing does not exist.
  // Failure: OperatorFailure.wrong: A thing is missing or wrong, such as a violation that a check
  //   found.
  // Failure: OperatorFailure.interrupted: A signal such as Ctrl-C ended the command.
  @Test(
    "Exit codes tell kinds of failure apart",
    arguments: [
      (OperatorFailure.wrong("x"), Int32(1)), (.store(.unusable("x")), 1),
      (.broker(.unroutable("x")), 1), (.unreadable("x"), 2), (.file(path: "x", reason: "y"), 2),
      (.notFound("x"), 3), (.databaseMissing("x"), 3), (.settings(["x"]), 64), (.servers("x"), 69),
      (.management(.unreachable(endpoint: "x", reason: "y")), 69),
      (.broker(.notPermitted("x")), 77),
      (.management(.notPermitted(endpoint: "x", user: "y")), 77), (.interrupted(status: 130), 130),
    ])
  func exitCodes(failure: OperatorFailure, code: Int32) {
    #expect(failure.exitCode == code)
  }

  @Test("A database that nobody serves is told by its address, without the password")
  func realDatabase() throws {
    let settings = ServiceSettings(
      database: "host=127.0.0.1 port=1 user=u password=hunter2 dbname=d", broker: "",
      serviceKeys: "")
    let failure = #expect(throws: OperatorFailure.self) {
      _ = try OperatorConnection.open(settings, as: "test")
    }
    let text = try #require(failure).description
    #expect(failure?.exitCode == 69)
    #expect(text.contains("127.0.0.1"))
    #expect(!text.contains("hunter2"))
  }

  @Test("A broker's URL that cannot be read is named by its setting, without the password")
  func badBroker() throws {
    let failure = #expect(throws: OperatorFailure.self) {
      _ = try BrokerAccount(url: "amqp://u:hunter2@h:port/", setting: "CUBIST_BROKER")
    }
    let text = try #require(failure).description
    #expect(text.contains("CUBIST_BROKER"))
    #expect(!text.contains("hunter2"))
    #expect(failure?.exitCode == 64)
  }
}
