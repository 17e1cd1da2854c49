import CustomDump
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import Synchronization
import Testing

@testable import MatchService

@Suite("Settings")
struct SettingsTests {
  static let complete = [
    "CUBIST_DATABASE": "postgresql://cubist:geheim@db/cubist",
    "CUBIST_BROKER": "amqps://cubistd:geheim@broker:5671/v",
    "CUBIST_SERVICE_KEYS": "/etc/cubist/keys.json",
  ]

  func read(
    _ environment: [String: String], files: [String: String] = [:]
  ) -> Result<ServiceSettings, SettingsProblems> {
    ServiceSettings.read(
      environment: environment,
      readFile: { path throws(SettingsReader.FileFailure) in
        guard let text = files[path] else {
          throw SettingsReader.FileFailure(reason: "No such file or directory")
        }
        return text
      })
  }

  func problems(
    _ environment: [String: String], files: [String: String] = [:]
  ) -> [String] {
    guard case .failure(let problems) = read(environment, files: files) else { return [] }
    return problems.problems.map(\.description)
  }

  @Test("A setting that is left out has its default")
  func defaults() throws {
    let settings = try read(Self.complete).get()
    expectNoDifference(
      settings,
      ServiceSettings(
        database: "postgresql://cubist:geheim@db/cubist",
        broker: "amqps://cubistd:geheim@broker:5671/v", brokerManagement: nil,
        serviceKeys: "/etc/cubist/keys.json",
        roles: [.worker, .scheduler, .relay, .reader, .push, .rater], layout: .standard,
        logLevel: .info, workerBatch: 512, workers: 1))
  }

  @Test("Everything can be said")
  func everything() throws {
    var environment = Self.complete
    environment["CUBIST_BROKER_MANAGEMENT"] = "http://localhost:15672"
    environment["CUBIST_ROLES"] = "reader, push"
    environment["CUBIST_QUEUES"] = "64"
    environment["CUBIST_PUSH_LOG"] = "/tmp/push"
    environment["CUBIST_LOG_LEVEL"] = "debug"
    environment["CUBIST_WORKER_BATCH"] = "1"
    environment["CUBIST_WORKERS"] = "64"
    environment["CUBIST_LIMIT_EVENTS"] = "30"
    environment["CUBIST_LIMIT_REQUESTS"] = "5"
    environment["CUBIST_LIMIT_MATCHES"] = "0"
    environment["CUBIST_LIMIT_QUERIES"] = "90"
    environment["CUBIST_LIMIT_INVITATIONS"] = "1000"
    environment["CUBIST_LIMIT_STRANGERS"] = "0"
    environment["CUBIST_LIMIT_REGISTRATIONS"] = "7"
    environment["CUBIST_LIMIT_BLOCKS"] = "8"
    environment["CUBIST_LIMIT_TESTS"] = "9"
    environment["CUBIST_PUSH_STRANGE"] = "0"
    environment["CUBIST_RESERVED_NAMES"] = "chief, Judge"
    let settings = try read(environment).get()
    #expect(settings.brokerManagement == "http://localhost:15672")
    #expect(settings.roles == [.reader, .push])
    #expect(settings.layout.queueCount == 64)
    #expect(settings.push == PushWays([LogSettings(path: "/tmp/push")]))
    #expect(settings.logLevel == .debug)
    #expect(settings.workerBatch == 1)
    #expect(settings.workers == 64)
    #expect(
      settings.limits
        == PlayerLimits(
          eventsPerMinute: 30, openRequests: 5, runningMatches: nil, queriesPerMinute: 90,
          invitations: 1_000, strangerInvitations: nil, registrationsPerHour: 7,
          blocks: 8, testsPerMinute: 9))
    #expect(settings.pushStrangePerMinute == nil)
    #expect(settings.reservedNames.names.map(\.text) == ["chief", "Judge"])
  }

  @Test("Names are reserved by a list, by default or none, and a wrong one is named")
  func reservedNames() throws {
    func names(_ text: String?) throws -> ReservedNames {
      var environment = Self.complete
      environment["CUBIST_RESERVED_NAMES"] = text
      return try read(environment).get().reservedNames
    }
    #expect(try names(nil) == .standard)
    #expect(try names("-") == .none)
    expectNoDifference(
      problems(Self.complete.merging(["CUBIST_RESERVED_NAMES": "chief,no"]) { $1 }),
      [
        "CUBIST_RESERVED_NAMES is \"chief,no\", not a list of names of 3 to 16 of A-Z a-z 0-9 _ -, "
          + "or a single - for none; for example: CUBIST_RESERVED_NAMES=admin,support,robot"
      ])
  }

  // Failure: SettingsProblems: Each problem has its name and an example.
  @Test("Everything that is wrong is said at once, with an example each")
  func everythingWrong() {
    expectNoDifference(
      problems([
        "CUBIST_BROKER": "localhost", "CUBIST_SERVICE_KEYS": "", "CUBIST_QUEUES": "0",
        "CUBIST_ROLES": "worker,worker", "CUBIST_LOG_LEVEL": "loud",
        "CUBIST_WORKER_BATCH": "many", "CUBIST_WORKERS": "65",
      ]),
      [
        "CUBIST_BROKER does not begin with amqp:// or amqps://; for example: "
          + "CUBIST_BROKER=amqps://cubistd@broker.example/cubist",
        "CUBIST_DATABASE is not set; for example: "
          + "CUBIST_DATABASE=postgresql://cubist@localhost/cubist",
        "CUBIST_LOG_LEVEL is \"loud\", not one of trace, debug, info, notice, warning, error, "
          + "critical; for example: CUBIST_LOG_LEVEL=info",
        "CUBIST_QUEUES is \"0\", not a number from 1 to 1024; for example: CUBIST_QUEUES=16",
        "CUBIST_ROLES is \"worker,worker\", not a list of worker, scheduler, relay, reader, push, "
          + "rater, gateway; for example: CUBIST_ROLES=worker,scheduler,relay,reader,push,rater",
        "CUBIST_SERVICE_KEYS is not set; for example: "
          + "CUBIST_SERVICE_KEYS=/etc/cubist/service-keys.json",
        "CUBIST_WORKERS is \"65\", not a number from 1 to 64; for example: CUBIST_WORKERS=1",
        "CUBIST_WORKER_BATCH is \"many\", not a number from 1 to 4096; "
          + "for example: CUBIST_WORKER_BATCH=512",
      ])
  }

  @Test("Each queue has the capacity that is said, within bounds")
  func capacity() throws {
    var environment = Self.complete
    #expect(try read(environment).get().capacity == .standard)
    environment["CUBIST_CAPACITY_EVENTS"] = "100"
    environment["CUBIST_CAPACITY_EVENTS_MB"] = "1"
    environment["CUBIST_CAPACITY_QUERIES"] = "200"
    environment["CUBIST_CAPACITY_QUERIES_MB"] = "2"
    environment["CUBIST_CAPACITY_JOBS"] = "10000000"
    environment["CUBIST_CAPACITY_JOBS_MB"] = "100000"
    let capacity = try read(environment).get().capacity
    #expect(capacity.events == QueueCapacity.Length(messages: 100, megabytes: 1))
    #expect(capacity.queries == QueueCapacity.Length(messages: 200, megabytes: 2))
    #expect(capacity.jobs == QueueCapacity.Length(messages: 10_000_000, megabytes: 100_000))
    #expect(
      problems(["CUBIST_CAPACITY_JOBS": "0"].merging(Self.complete) { $1 }) == [
        "CUBIST_CAPACITY_JOBS is \"0\", not a number from 100 to 10000000; "
          + "for example: CUBIST_CAPACITY_JOBS=200000"
      ])
  }

  @Test("Rows are kept as long as is said, and never shorter than somebody needs them")
  func retention() throws {
    var environment = Self.complete
    #expect(try read(environment).get().retention == .standard)
    environment["CUBIST_KEEP_REPLIES"] = "30"
    environment["CUBIST_KEEP_JOBS"] = "90"
    environment["CUBIST_KEEP_REPORTS"] = "7"
    environment["CUBIST_KEEP_ACTS"] = "365"
    environment["CUBIST_KEEP_GAMES"] = "92"
    let kept = try read(environment).get().retention
    #expect([kept.replies, kept.jobs, kept.reports, kept.acts] == [30, 90, 7, 365])
    #expect(kept.games == 92)
    // An event may come again on its seventh day.
    #expect(
      problems(["CUBIST_KEEP_REPLIES": "7"].merging(Self.complete) { $1 }) == [
        "CUBIST_KEEP_REPLIES is \"7\", not a number from 8 to 3650; "
          + "for example: CUBIST_KEEP_REPLIES=8"
      ])
    // The check looks for the matches of kept replies and notifications.
    environment["CUBIST_KEEP_GAMES"] = "91"
    #expect(
      problems(environment) == [
        "CUBIST_KEEP_GAMES is 91, and has to be 0 (for ever) or 92 at least: two days more than "
          + "CUBIST_KEEP_REPLIES and CUBIST_KEEP_JOBS; for example: CUBIST_KEEP_GAMES=365"
      ])
  }

  @Test("A gateway has limits of its own, and runs by itself where it is told to listen")
  func gateway() throws {
    #expect(try read(Self.complete).get().gateway == nil)
    var environment = Self.complete
    environment["CUBIST_GATEWAY_LISTEN"] = "[::1]:8080"
    let standard = try read(environment).get()
    #expect(standard.gateway == GatewaySettings(listen: ListenAddress(host: "::1", port: 8_080)))
    #expect(standard.roles == RoleName.standard + [.gateway])
    environment["CUBIST_ROLES"] = "reader"
    #expect(try read(environment).get().roles == [.reader])
    environment["CUBIST_GATEWAY_PROXIES"] = "127.0.0.1, 10.0.0.0/8"
    environment["CUBIST_GATEWAY_ORIGINS"] = "https://a.example,http://localhost:3000"
    environment["CUBIST_GATEWAY_URL"] = "https://play.example"
    environment["CUBIST_GATEWAY_STREAMS"] = "0"
    environment["CUBIST_GATEWAY_HEAD_SECONDS"] = "3"
    environment["CUBIST_HEALTH_LISTEN"] = "localhost:9000"
    let settings = try read(environment).get()
    #expect(settings.gateway?.proxies.count == 2)
    #expect(
      settings.gateway?.origins == .some(["https://a.example", "http://localhost:3000"]))
    #expect(settings.gateway?.publicAddress == "https://play.example")
    #expect(settings.gateway?.streams == nil && settings.gateway?.headTime == .seconds(3))
    #expect(settings.healthListen == ListenAddress(host: "localhost", port: 9_000))
    for (name, value) in [
      ("LISTEN", "8080"), ("LISTEN", "::1:8080"), ("LISTEN", "a:99999"), ("PROXIES", "proxy"),
      ("ORIGINS", "a.example"), ("ORIGINS", "https://a.example/"), ("BODY", "100"),
      ("STREAMS", "-1"), ("URL", "play.example"), ("URL", "*"),
      ("URL", "https://a.example,https://b.example"),
    ] {
      var wrong = environment
      wrong["CUBIST_GATEWAY_\(name)"] = value
      #expect(problems(wrong).count == 1, "\(name)=\(value)")
    }
    environment["CUBIST_GATEWAY_PROXIES"] = "127.0.0.1, nginx,10.0.0.0/8,10.0.0.0/99"
    #expect(
      problems(environment) == [
        "CUBIST_GATEWAY_PROXIES has the entry \"10.0.0.0/99\", which is no address and no range; "
          + "for example: CUBIST_GATEWAY_PROXIES=127.0.0.1,10.0.0.0/8",
        "CUBIST_GATEWAY_PROXIES has the entry \"nginx\", which is no address and no range; "
          + "for example: CUBIST_GATEWAY_PROXIES=127.0.0.1,10.0.0.0/8",
      ])
    let alone = ServiceSettings.read(environment: [:], needing: [.gatewayBroker, .gatewayListen])
    guard case .failure(let missing) = alone else {
      Issue.record("nothing is missing")
      return
    }
    #expect(missing.problems.map(\.name) == ["CUBIST_GATEWAY_BROKER", "CUBIST_GATEWAY_LISTEN"])
  }

  @Test(
    "Addresses are written as they are read", arguments: ["10.1.2.3", "::1", "2001:db8::5:0:1"])
  func address(_ text: String) {
    #expect(InternetAddress(text)?.description == text)
    #expect(InternetAddress("::ffff:10.1.2.3")?.description == "10.1.2.3")
  }

  @Test("A variable that is no setting is named, with the setting that was probably meant")
  func unknown() {
    var environment = Self.complete
    for name in [
      "CONFIG", "PROFILE", "URL", "TEST_POSTGRES", "BROKER_FILE", "DATABSE", "GATEWAY_LISTENS",
      "DATABSE_FILE", "NOTHING_LIKE_IT", String(repeating: "X", count: 100_000),
    ] {
      environment["CUBIST_\(name)"] = "secret"
    }
    environment["PATH"] = "/bin"
    let texts = UnknownSetting.all(in: environment).map(\.description)
    #expect(
      texts.dropLast() == [
        "CUBIST_DATABSE is no setting that there is; did you mean CUBIST_DATABASE?",
        "CUBIST_DATABSE_FILE is no setting that there is; did you mean CUBIST_DATABASE_FILE?",
        "CUBIST_GATEWAY_LISTENS is no setting that there is; did you mean CUBIST_GATEWAY_LISTEN?",
        "CUBIST_NOTHING_LIKE_IT is no setting that there is",
      ])
    #expect(texts.count == 5 && texts.allSatisfy { $0.count < 200 })
    #expect(UnknownSetting.all(in: Self.complete).isEmpty)
  }

  @Test("What is wrong and what is missing are told under one head")
  func head() {
    guard case .failure(let problems) = read(["CUBIST_QUEUES": "0"]) else {
      Issue.record("nothing is wrong")
      return
    }
    #expect(problems.description.hasPrefix("Settings are missing or wrong:\n  CUBIST_BROKER is"))
  }

  @Test("A command that needs less misses less")
  func needing() throws {
    let settings = try ServiceSettings.read(
      environment: ["CUBIST_DATABASE": "host=db"], needing: [.database]
    ).get()
    #expect(settings.database == "host=db")
    #expect(settings.broker == "")
  }

  @Test("A file of settings is read, with comments; the environment wins over it")
  func file() throws {
    let text = """
      # The database of the service
      CUBIST_DATABASE = host=db user=cubist

      CUBIST_BROKER=amqp://broker\r
      CUBIST_SERVICE_KEYS=/keys
      CUBIST_QUEUES=8
      """
    let settings = try read(
      ["CUBIST_CONFIG": "/conf", "CUBIST_QUEUES": "4", "PATH": "/bin"], files: ["/conf": text]
    ).get()
    #expect(settings.database == "host=db user=cubist")
    #expect(settings.broker == "amqp://broker")
    #expect(settings.layout.queueCount == 4)
  }

  @Test("A fault in a file is named by its line, never with a possible password")
  func fileProblems() {
    let text = "CUBIST_DATABSE=secret\nCUBIST_QUEUES=1\nCUBIST_QUEUES=2\njust secret\n"
    var environment = Self.complete
    environment["CUBIST_CONFIG"] = "/conf"
    let example = "; for example: CUBIST_QUEUES=16"
    expectNoDifference(
      problems(environment, files: ["/conf": text]),
      [
        "CUBIST_CONFIG names /conf, whose line 1 sets CUBIST_DATABSE, which is no setting; "
          + "CUBIST_DATABASE is one\(example)",
        "CUBIST_CONFIG names /conf, whose line 3 sets CUBIST_QUEUES a second time\(example)",
        "CUBIST_CONFIG names /conf, whose line 4 is no setting that there is\(example)",
      ])
    let missing = problems(environment)
    #expect(missing.count == 1 && missing[0].contains("/conf"), "a file that is not there")
    for line in ["secret=CUBIST_QUEUES", "CUBIST_secret=1", "CUBIST_\u{c9}=1"] {
      #expect(
        problems(environment, files: ["/conf": line]) == [
          "CUBIST_CONFIG names /conf, whose line 1 is no setting that there is\(example)"
        ])
    }
  }

  @Test("A fault of a value is named with the file and the line that it comes from")
  func places() {
    var environment = Self.complete
    environment["CUBIST_CONFIG"] = "/conf"
    environment["CUBIST_WORKERS"] = "none"
    environment["CUBIST_LOG_LEVEL_FILE"] = "/run/level"
    let conf = "# What is ours\nCUBIST_QUEUES=0\nCUBIST_WORKERS=2\n"
    expectNoDifference(
      problems(environment, files: ["/conf": conf, "/run/level": "loud"]).map {
        String($0.prefix { $0 != ";" })
      },
      [
        "CUBIST_LOG_LEVEL is \"loud\", not one of trace, debug, info, notice, warning, error, "
          + "critical (/run/level)",
        "CUBIST_QUEUES is \"0\", not a number from 1 to 1024 (/conf, line 2)",
        "CUBIST_WORKERS is \"none\", not a number from 1 to 64",
      ])
  }

  @Test("A secret may come from a file of its own; the setting itself wins")
  func secretFile() throws {
    var environment = Self.complete
    environment["CUBIST_DATABASE"] = nil
    environment["CUBIST_DATABASE_FILE"] = "/run/db"
    environment["CUBIST_BROKER_FILE"] = "/nowhere"
    let settings = try read(environment, files: ["/run/db": "host=db password=x\n"]).get()
    #expect(settings.database == "host=db password=x")
    #expect(settings.broker == Self.complete["CUBIST_BROKER"])
  }

  // Failure: SettingsReader.FileFailure: A settings file cannot be read.
  @Test("An unreadable secret file is one problem, not two")
  func secretFileMissing() {
    var environment = Self.complete
    environment["CUBIST_DATABASE"] = nil
    environment["CUBIST_DATABASE_FILE"] = "/nowhere"
    expectNoDifference(
      problems(environment),
      [
        "CUBIST_DATABASE_FILE names /nowhere, which cannot be read (No such file or directory); "
          + "for example: CUBIST_DATABASE_FILE=/run/secrets/CUBIST_DATABASE"
      ])
  }

  /// A value of each setting with everything secret that it can hold.
  private static func secretValue(of name: SettingName) -> String {
    switch name {
    case .broker: "amqps://s3cret:s3cret@broker:5671/s3cret?cacertfile=s3cret"
    case .brokerManagement: "https://s3cret:s3cret@broker:15672/s3cret?cacertfile=s3cret"
    case .playerBroker, .gatewayBroker: "amqps://s3cret:s3/cr@s3cret@broker:5671/s3cret"
    case .push: "webhook,webPush,apns"
    case .pushWebhookURL: "https://s3cret:s3cret@push.example/s3cret?s3cret"
    case .pushAPNsURL: "https://api.sandbox.push.apple.com"
    default:
      switch name.exampleByKind {
      case .open(let text): text
      case .address: "postgresql://cubist:s3cret@db/cubist?password=s3cret"
      case .secret: "whsec_s3cret" + String(repeating: "A", count: 34)
      }
    }
  }

  @Test("The first line of a log has the settings, and nothing secret of any of them")
  func firstLine() throws {
    let environment = Dictionary(
      uniqueKeysWithValues: SettingName.allCases.map { ($0.rawValue, Self.secretValue(of: $0)) })
    let settings = try read(environment).get()
    let lines = Mutex<[String]>([])
    let sink = LineSink { line in
      lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }
    Logger(label: "test") { label in
      JSONLogHandler(label: label, level: .info, clock: .live, sink: sink)
    }.info("process begins", metadata: ["settings": .dictionary(settings.metadata)])
    let line = try #require(lines.withLock { $0.first })
    #expect(line.contains(#""settings.broker":"amqps://broker:5671""#))
    #expect(line.contains(#""settings.queues":16,"#))
    #expect(line.contains(#""settings.database":"set""#))
    #expect(line.contains(#""settings.gatewayWaits":4096,"#))
    for text in [line, settings.description] {
      #expect(!text.contains("s3cret") && !text.contains("s3/cr"), "\(text)")
    }
  }

  @Test("No password is in a description, a dump or a problem")
  func redaction() throws {
    var environment = Self.complete
    environment["CUBIST_BROKER_MANAGEMENT"] = "http://op:ge/he@im@broker:15672/"
    environment["CUBIST_PLAYER_BROKER"] = "amqps://player:ge/he@im@broker:5671/"
    environment["CUBIST_GATEWAY_BROKER"] = "amqps://gateway:ge/he@im@broker:5671/"
    let settings = try read(environment).get()
    var dumped = ""
    customDump(settings, to: &dumped)
    dump(settings, to: &dumped)
    for text in [settings.description, "\(settings)", String(reflecting: settings), dumped] {
      #expect(!text.contains("geheim"))
      #expect(!text.contains("he@im"))
    }
    #expect(settings.description.contains("broker=amqps://broker:5671 "))
    #expect(settings.description.contains("brokerManagement=http://broker:15672 "))
    #expect(settings.description.contains("playerBroker=amqps://broker:5671 "))
    #expect(settings.description.contains("gatewayBroker=amqps://broker:5671 "))
    #expect(
      problems(Self.complete.merging(["CUBIST_BROKER_MANAGEMENT": "amqp://h"]) { $1 }) == [
        "CUBIST_BROKER_MANAGEMENT does not begin with http:// or https://; for example: "
          + "CUBIST_BROKER_MANAGEMENT=http://operator@localhost:15672"
      ])
    let wrong = problems(["CUBIST_BROKER": "user:geheim@host"]).joined()
    #expect(!wrong.contains("geheim"))
  }
}
