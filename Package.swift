// swift-tools-version: 6.2
import PackageDescription

// The layers, lowest first. A module imports only from layers below its own;
// Tests/TidyTests holds every source file to this list. See docs/architecture.md.

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

/// deploy/test sets the variable: its tests compute most in these modules, and take a third of the
/// time where they are optimized; the others would only take longer to build. Whatever a build for
/// debugging checks is checked all the same.
let optimized: Set =
  Context.environment["CUBIST_TEST_BUILD"] == nil
  ? []
  : [
    "CubistBasics", "CubeRules", "CubeLexicon", "CubePlay", "SHA2", "MatchCore", "MatchRecord",
    "MatchWire", "MatchInterfaces", "MatchService", "PlayerClient", "MatchSimulation",
    "HTTPServer", "LibPQ", "LibRabbitMQ",
  ]
let optimization: [SwiftSetting] = [.unsafeFlags(["-O", "-assert-config", "Debug"])]

/// The commit that is built: the word of whoever packages an archive, else Git's.
let commit: String? = {
  if let told = Context.environment["CUBIST_COMMIT"] {
    return told.allSatisfy { $0.isHexDigit } ? told : nil
  }
  return Context.gitInformation.map {
    $0.currentCommit + ($0.hasUncommittedChanges ? "-dirty" : "")
  }
}()

// SHA-256 and Ed25519 come from libsodium. A program outside that is to need no C library of the
// system takes them from swift-crypto: `traits: ["SwiftCrypto"]`. Nothing here does.
let sodium: Target.Dependency = .target(
  name: "CSodium", condition: .when(traits: ["Libsodium"]))
let swiftCrypto: Target.Dependency = .product(
  name: "Crypto", package: "swift-crypto", condition: .when(traits: ["SwiftCrypto"]))
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let issueReporting: Target.Dependency = .product(
  name: "IssueReporting", package: "xctest-dynamic-overlay")
let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser")

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies,
    swiftSettings: settings + (optimized.contains(name) ? optimization : [])
  )
}

func executable(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// Without IssueReportingTestSupport a Linux test passes although issues were reported. So every
/// test target is declared here; a tidy test holds the manifest to it.
func tests(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
  resources: [Resource] = []
) -> Target {
  .testTarget(
    name: name,
    dependencies: dependencies + [
      issueReporting,
      .product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay"),
      .product(name: "CustomDump", package: "swift-custom-dump"),
    ],
    exclude: exclude,
    resources: resources,
    swiftSettings: settings
  )
}

/// Everything that parses input from outside.
let fuzzed: [Target.Dependency] = [
  "CubeRules", "CubeLexicon", "MatchCore", "MatchWire", "LibRabbitMQ", "LibPQ", "CRabbitMQ",
  "CPostgreSQL", "HTTPServer",
]

let package = Package(
  name: "cubist-service",
  products: [
    .library(name: "CubeRules", targets: ["CubeRules"]),
    .library(name: "CubeLexicon", targets: ["CubeLexicon"]),
    .library(name: "CubePlay", targets: ["CubePlay"]),
    .library(name: "MatchCore", targets: ["MatchCore"]),
    .library(name: "MatchRecord", targets: ["MatchRecord"]),
    .library(name: "MatchWire", targets: ["MatchWire"]),
    .library(name: "MatchInterfaces", targets: ["MatchInterfaces"]),
    .library(name: "PlayerClient", targets: ["PlayerClient"]),
    // The bus of a bot or a game server; it needs librabbitmq.
    .library(name: "EventBusLive", targets: ["EventBusLive"]),
    // Preloaded by tests.
    .library(name: "counting", type: .dynamic, targets: ["CCounting"]),
    .library(name: "fulldisk", type: .dynamic, targets: ["CFullDisk"]),
    .library(name: "killing", type: .dynamic, targets: ["CKilling"]),
    .library(name: "trusting", type: .dynamic, targets: ["CTrusting"]),
    .executable(name: "cubist", targets: ["cubist"]),
    .executable(name: "cubist-demo", targets: ["cubist-demo"]),
    .executable(name: "cubistd", targets: ["cubistd"]),
  ],
  traits: [
    .default(enabledTraits: ["Libsodium"]),
    .trait(name: "Libsodium", description: "SHA-256 and Ed25519 by the system's libsodium."),
    .trait(
      name: "SwiftCrypto",
      description: "SHA-256 and Ed25519 by swift-crypto, for programs without C libraries."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.3"),
    .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.1"),
  ],
  targets: [
    // Layer 0: modules that know nothing of the game, and the C libraries.
    module("CubistBasics"),
    module("SystemCalls"),
    .target(name: "CEmbedded", exclude: ["english.lexicon", "openapi.json", "README.md"]),
    // A new commit compiles this target again, and no other.
    .target(
      name: "CRelease",
      cSettings: commit.map { [.define("CUBIST_COMMIT", to: "\"\($0)\"")] } ?? []),
    .target(name: "CTerminal"),
    .target(name: "CWeb"),
    .systemLibrary(
      name: "CRabbitMQ", pkgConfig: "librabbitmq", providers: [.apt(["librabbitmq-dev"])]),
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(
      name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CEpoll"),

    // Layer 1: a server of HTTP, which knows nothing of the game.
    module("HTTPServer", ["SystemCalls", "CEpoll"]),

    // Layer 1: hashes.
    module("SHA2", [sodium, swiftCrypto]),

    // Layer 1: the game.
    module("CubeRules", ["CubistBasics"]),

    // Layer 2: the word list.
    module("CubeLexicon", ["CubeRules", "CubistBasics", "SystemCalls", "CEmbedded"]),

    // Layer 2: the whole screen of a terminal.
    module("TerminalScreen", ["CubistBasics", "CTerminal"]),

    // Layer 3: playing, for every face of the game, and the domain.
    module("CubePlay", ["CubeRules", "CubeLexicon"]),
    module("MatchCore", ["CubeRules", "CubeLexicon", "CubistBasics", "SHA2"]),

    // Layer 4: the game on a terminal.
    module("GameScreens", ["CubePlay", "CubeRules", "CubeLexicon", "TerminalScreen"]),

    // Layer 4: the game in a browser.
    module("CubistPage", ["CubePlay", "CubeRules", "CubeLexicon", "CubistBasics"]),

    // Layer 4: the record of a match, read and verified.
    module("MatchRecord", ["MatchCore", "CubeRules", "CubeLexicon", "CubistBasics"]),

    // Layer 5: the messages.
    module(
      "MatchWire",
      [
        "MatchRecord", "MatchCore", "CubeRules", "CubeLexicon", "CubistBasics", "SHA2", sodium,
        swiftCrypto,
      ]),

    // Layer 6: the service's answers as the game shows them.
    module(
      "ServiceNews",
      ["MatchWire", "MatchCore", "CubePlay", "CubeRules", "CubeLexicon"]),

    // Layer 6: the game against a robot, without a service.
    module(
      "DemoGame", ["GameScreens", "CubePlay", "CubeRules", "CubeLexicon", "TerminalScreen"]),

    // Layer 6: the interfaces, and the C libraries as Swift APIs.
    module(
      "MatchInterfaces",
      [
        "MatchWire", "MatchCore", "CubeRules", "CubeLexicon", "SystemCalls", "CRelease", logging,
        issueReporting,
      ]),
    module("LibRabbitMQ", ["CubistBasics", "SystemCalls", "CRabbitMQ"]),
    module("LibPQ", ["CubistBasics", "SystemCalls", "CPostgreSQL"]),
    module("LibCurl", ["CubistBasics", "SystemCalls", "CCurl"]),
    module("LibCrypto", ["COpenSSL"]),

    // Layer 6: the list of metrics, and their text for Prometheus.
    module("ServiceMetrics", [metrics]),

    // Layer 7: the live values of the interfaces.
    module(
      "EventBusLive",
      [
        "ServiceMetrics", "MatchInterfaces", "MatchWire", "MatchCore", "CubistBasics",
        "SystemCalls", "LibRabbitMQ", logging, metrics,
      ]),
    module(
      "MatchStoreLive",
      [
        "ServiceMetrics", "MatchInterfaces", "MatchWire", "MatchCore", "CubeRules", "CubeLexicon",
        "LibPQ", "CubistBasics", "SystemCalls", "CEmbedded", logging, metrics,
      ]),

    // Layer 7: the player of the page in a browser, at a service.
    module(
      "PagePlayer",
      [
        "ServiceNews", "CubistPage", "CubePlay", "CubeLexicon", "CubeRules", "MatchWire",
        "MatchRecord", "MatchCore", "CubistBasics",
      ]),

    // Layer 7: PostgreSQL and RabbitMQ for one machine.
    module("PrivateServers", ["LibPQ", "CubistBasics", "SystemCalls"]),

    // Layer 8: the broker's users and rights, for operators.
    module(
      "BrokerManagement",
      ["EventBusLive", "MatchInterfaces", "MatchWire", "CubistBasics", "LibCurl", "SHA2"]),

    // Layer 9: the running parts.
    module(
      "MatchService",
      [
        "ServiceMetrics", "MatchInterfaces", "MatchWire", "MatchCore", "CubeRules", "CubeLexicon",
        "CubistBasics", "SystemCalls", "SHA2", "LibCrypto", logging, metrics,
      ]),
    module(
      "PlayerClient",
      [
        "MatchInterfaces", "MatchWire", "MatchCore", "CubePlay", "CubeRules", "CubeLexicon",
        "CubistBasics", "SystemCalls",
      ]),

    // Layer 10: players by HTTP.
    module(
      "MatchGateway",
      [
        "MatchService", "ServiceMetrics", "MatchInterfaces", "MatchWire", "MatchCore",
        "CubistBasics", "SystemCalls", "HTTPServer", "CEmbedded", "CWeb", "CZlib", logging,
        metrics,
      ]),

    // Layer 10: the whole service in one process.
    module(
      "MatchSimulation",
      [
        "MatchService", "PlayerClient", "MatchInterfaces", "MatchWire", "MatchCore", "CubeRules",
        "CubeLexicon", "CubistBasics", logging,
      ]),

    // Layer 11: the command lines.
    executable(
      "cubist",
      [
        "PlayerClient", "EventBusLive", "MatchInterfaces", "ServiceNews", "MatchWire", "MatchCore",
        "CubePlay", "CubeRules", "CubeLexicon", "DemoGame", "GameScreens", "TerminalScreen",
        "CubistBasics", "SystemCalls", argumentParser, logging,
      ]),
    executable("cubist-demo", ["DemoGame", "GameScreens", "TerminalScreen", "SystemCalls"]),
    executable(
      "cubist-simulate",
      [
        "MatchSimulation", "MatchService", "MatchInterfaces", "MatchWire", "MatchCore",
        "CubistBasics", "SystemCalls", argumentParser,
      ]),
    executable(
      "cubistd",
      [
        "MatchGateway", "MatchService", "PlayerClient", "BrokerManagement",
        "EventBusLive", "MatchStoreLive", "LibRabbitMQ", "LibPQ", "LibCurl", "PrivateServers",
        "ServiceMetrics", "MatchInterfaces",
        "MatchWire", "MatchCore", "CubePlay", "CubeRules", "CubeLexicon", "CubistBasics",
        "SystemCalls", argumentParser, logging, metrics,
      ]),

    // Tests mirror Sources. RealServers hands a test its own vhost and database. Chaos kills real
    // servers under load, for tests and for deploy/chaos.
    .target(
      name: "RealServers",
      dependencies: ["LibCurl", "LibPQ", "LibRabbitMQ", "CubistBasics", "CRabbitMQ"],
      path: "Tests/RealServers", swiftSettings: settings),
    // Sockets that send any bytes to a server of HTTP.
    .target(
      name: "RawHTTP", dependencies: ["SystemCalls"], path: "Tests/RawHTTP",
      swiftSettings: settings),
    // Programs in a pseudo-terminal, and a terminal emulator that reads their output.
    .systemLibrary(
      name: "CVTerm", path: "Tests/CVTerm", pkgConfig: "vterm", providers: [.apt(["libvterm-dev"])]),
    .target(
      name: "PseudoTerminal", dependencies: ["CVTerm"], path: "Tests/PseudoTerminal",
      swiftSettings: settings),
    .executableTarget(
      name: "screen-probe", dependencies: ["TerminalScreen"], path: "Tests/ScreenProgram",
      swiftSettings: settings),
    // The conformance suites for every store and every bus, the live ones and the simulated ones.
    .target(
      name: "Conformance",
      dependencies: [
        "MatchInterfaces", "MatchWire", "MatchCore", "CubeRules", "CubeLexicon", "CubistBasics",
        "SystemCalls", .product(name: "CustomDump", package: "swift-custom-dump"),
      ],
      path: "Tests/Conformance", swiftSettings: settings),
    // A gateway in front of a real broker.
    .target(
      name: "GatewayLab",
      dependencies: [
        "MatchGateway", "EventBusLive", "MatchService", "MatchInterfaces", "SystemCalls",
      ],
      path: "Tests/GatewayLab", swiftSettings: settings),
    // What tests ask of a service, on real servers or in one process, and what they do with either.
    .target(
      name: "TestedService",
      dependencies: [
        "PlayerClient", "MatchService", "MatchInterfaces", "MatchWire", "MatchCore", "CubeRules",
        "CubeLexicon", "CubistBasics",
      ],
      path: "Tests/TestedService", swiftSettings: settings),
    // An event of each type.
    .target(
      name: "EventExamples", dependencies: ["MatchCore"], path: "Tests/EventExamples",
      swiftSettings: settings),
    .target(
      name: "Chaos",
      dependencies: [
        "EventExamples", "PrivateServers", "RealServers", "PlayerClient", "BrokerManagement",
        "EventBusLive", "LibRabbitMQ", "MatchStoreLive", "LibPQ", "MatchService",
        "MatchInterfaces", "MatchWire", "MatchCore", "CubeRules", "CubeLexicon", "CubistBasics",
        "SystemCalls", logging,
      ],
      path: "Tests/Chaos", swiftSettings: settings),
    .executableTarget(
      name: "cubist-chaos", dependencies: ["Chaos", "MatchService", "SystemCalls", argumentParser],
      path: "Tests/ChaosProgram", swiftSettings: settings),
    // Fills a database, to measure checks of a million turns.
    .executableTarget(
      name: "ManyMatches",
      dependencies: [
        "MatchLoad", "MatchService", "MatchStoreLive", "LibPQ", "MatchInterfaces", "MatchWire",
        "MatchCore", "CubeRules", "CubeLexicon", "CubistBasics",
      ],
      path: "Tests/ManyMatches", exclude: ["fan-out"], swiftSettings: settings),
    // Fills a database with as much as years of play leave, to time players' queries: for deploy/load
    // and for the benchmark of growth.
    .target(
      name: "LargeStore",
      dependencies: ["MatchStoreLive", "LibPQ", "MatchInterfaces", "MatchWire", "MatchCore"],
      path: "Tests/LargeStore", swiftSettings: settings),
    .executableTarget(
      name: "cubist-load", dependencies: ["LargeStore", "MatchStoreLive", "LibPQ"],
      path: "Tests/LoadProgram", swiftSettings: settings),
    // Matches with prepared turns, and a worker that judges them without servers: for tests that
    // count allocations and instructions, and for benchmarks.
    .target(
      name: "MatchLoad",
      dependencies: [
        "MatchService", "MatchInterfaces", "MatchWire", "MatchCore", "CubeRules", "CubeLexicon",
        "CubistBasics", logging,
      ],
      path: "Tests/MatchLoad", swiftSettings: settings),
    // Preloaded into a process: counts its allocations and traffic.
    .target(name: "CCounting", path: "Tests/CCounting"),
    // Preloaded into a PostgreSQL: its disk is full while a file is there.
    .target(name: "CFullDisk", path: "Tests/CFullDisk"),
    // Preloaded into a process: kills it in front of any of its steps.
    .target(name: "CKilling", path: "Tests/CKilling"),
    // Preloaded into a process: its requests trust the certificates of a test's server.
    .target(name: "CTrusting", path: "Tests/CTrusting"),
    .executableTarget(
      name: "cubist-counts",
      dependencies: ["MatchLoad", "MatchInterfaces", "CubeRules", "CubeLexicon"],
      path: "Tests/CountsProgram", swiftSettings: settings,
      // Valgrind gives up on some debug information.
      linkerSettings: [.unsafeFlags(["-Xlinker", "--strip-debug"])]),
    tests(
      "CubeRulesTests", ["CubeRules", "MatchCore", "CubistBasics", "SHA2"],
      resources: [.copy("Fixtures")]),
    tests("CubeLexiconTests", ["CubeLexicon", "CubeRules", "CubistBasics"]),
    tests("CubePlayTests", ["CubePlay", "MatchCore", "CubeLexicon", "CubeRules", "CubistBasics"]),
    tests(
      "DemoGameTests",
      [
        "DemoGame", "cubist-demo", "cubist", "cubistd", "cubist-simulate", "GameScreens",
        "CubePlay", "CubeRules", "CubeLexicon", "TerminalScreen", "PseudoTerminal", "CubistBasics",
      ]),
    tests("CubistPageTests", ["CubistPage", "CubePlay", "CubeLexicon", "CubeRules"]),
    tests("TerminalScreenTests", ["TerminalScreen", "PseudoTerminal", "CubistBasics"]),
    tests("CubistBasicsTests", ["CubistBasics"]),
    tests("SystemCallsTests", ["SystemCalls"]),
    tests(
      "HTTPServerTests", ["HTTPServer", "CubistBasics", "SystemCalls", "RawHTTP", "RealServers"]),
    tests("SHA2Tests", ["SHA2", "CubistBasics"]),
    tests(
      "MatchCoreTests",
      ["EventExamples", "MatchCore", "CubeRules", "CubeLexicon", "CubistBasics", "SHA2"]),
    tests(
      "MatchWireTests",
      [
        "EventExamples", "MatchWire", "MatchRecord", "MatchCore", "CubeRules", "CubeLexicon",
        "CubistBasics",
      ],
      resources: [.copy("Fixtures")]),
    tests(
      "PagePlayerTests",
      [
        "PagePlayer", "ServiceNews", "CubistPage", "CubePlay", "CubeRules", "CubeLexicon",
        "MatchWire", "MatchRecord", "MatchCore", "CubistBasics",
      ]),
    tests(
      "ServiceNewsTests",
      ["ServiceNews", "MatchWire", "MatchCore", "CubePlay", "CubeRules", "CubeLexicon"]),
    tests(
      "MatchInterfacesTests",
      ["MatchInterfaces", "MatchWire", "MatchCore", "CubeRules", "CubistBasics", logging]),
    tests(
      "LibRabbitMQTests",
      ["LibRabbitMQ", "RealServers", "CubistBasics", "SystemCalls", "CRabbitMQ"]),
    tests("LibPQTests", ["LibPQ", "RealServers"]),
    tests("LibCurlTests", ["LibCurl", "RealServers"]),
    tests("LibCryptoTests", ["LibCrypto", "COpenSSL", "CubistBasics"]),
    tests("ServiceMetricsTests", ["ServiceMetrics", metrics]),
    tests(
      "PrivateServersTests",
      [
        "PrivateServers", "cubistd", "Chaos", "RealServers", "MatchService", "MatchInterfaces",
        "LibPQ", "SystemCalls",
      ]),
    tests(
      "EventBusLiveTests",
      [
        "BrokerManagement", "EventBusLive", "LibRabbitMQ", "LibCurl", "MatchInterfaces",
        "MatchWire", "MatchCore", "CubistBasics", "SystemCalls", "Conformance", "RealServers",
        "Chaos", "GatewayLab", "PlayerClient", logging,
        .product(name: "InMemoryLogging", package: "swift-log"),
      ]),
    tests(
      "MatchStoreLiveTests",
      [
        "MatchStoreLive", "LibPQ", "MatchService", "MatchInterfaces", "MatchWire", "MatchCore",
        "CubeRules", "CubeLexicon", "CubistBasics", "Conformance", "RealServers", logging,
        .product(name: "InMemoryLogging", package: "swift-log"),
      ]),
    tests(
      "MatchServiceTests",
      [
        "EventExamples", "MatchService", "ServiceMetrics", "MatchInterfaces", "MatchWire",
        "MatchCore", "CubeRules",
        "CubeLexicon", "CubistBasics", "LibCrypto", "COpenSSL", logging,
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]),
    tests(
      "MatchGatewayTests",
      [
        "MatchGateway", "HTTPServer", "CWeb", "MatchService", "MatchInterfaces", "MatchWire",
        "MatchCore", "CubistBasics", "SystemCalls", "RawHTTP", "RealServers", logging,
        .product(name: "InMemoryLogging", package: "swift-log"),
      ]),
    tests(
      "PlayerClientTests",
      [
        "PlayerClient", "MatchInterfaces", "MatchWire", "MatchCore", "CubePlay", "CubeRules",
        "CubeLexicon", "CubistBasics",
      ]),
    tests(
      "MatchSimulationTests",
      [
        "MatchSimulation", "cubist-simulate", "MatchService", "PlayerClient", "MatchInterfaces",
        "MatchWire", "MatchCore", "CubeRules", "CubeLexicon", "Conformance",
      ]),
    tests("MatchLoadTests", ["MatchLoad", "CubeRules", "CubeLexicon"]),
    tests(
      "cubistTests",
      [
        "cubist", "PlayerClient", "MatchInterfaces", "ServiceNews", "MatchWire", "MatchCore",
        "CubePlay", "CubeRules", "CubeLexicon", "DemoGame", "GameScreens", "TerminalScreen",
        "CubistBasics",
      ], exclude: ["Golden", "Screens/Golden"]),
    tests(
      "cubistdTests",
      [
        "cubistd", "PrivateServers", "MatchGateway", "MatchService", "BrokerManagement",
        "MatchInterfaces", "MatchStoreLive", "LibPQ", "MatchWire", "MatchCore", "CubePlay",
        "SystemCalls", "Chaos", "RawHTTP", logging,
      ]),
    tests(
      "InProcessServiceTests",
      [
        "TestedService", "MatchSimulation", "MatchService", "PlayerClient", "MatchInterfaces",
        "MatchWire", "MatchCore", "CubeRules", "CubeLexicon", logging,
      ]),
    tests(
      "ServiceTests",
      [
        "TestedService", "cubistd", "MatchGateway", "MatchService", "PlayerClient",
        "BrokerManagement", "EventBusLive", "MatchStoreLive", "LibPQ", "LibRabbitMQ", "LibCurl",
        "MatchInterfaces", "MatchWire", "MatchCore", "CubeRules", "CubeLexicon", "CubePlay",
        "CubistBasics", "SystemCalls", "RealServers", "RawHTTP", "GatewayLab", "Chaos",
        "EventExamples", "PseudoTerminal", "LibCrypto", logging,
        .product(name: "InMemoryLogging", package: "swift-log"),
      ]),
    tests(
      "ChaosTests",
      [
        "Chaos", "cubistd", "RealServers", "MatchSimulation", "PlayerClient", "MatchInterfaces",
        "MatchWire", "MatchCore",
      ]),
    tests("FuzzTests", fuzzed, exclude: ["Corpus", "LibFuzzer", "Program"]),
    tests("TidyTests", []),
  ],
  cLanguageStandard: .gnu2x
)

// A program for other machines is stripped of debugging symbols. That saves a third of its size.
for target in package.targets where target.name == "cubist-demo" {
  target.linkerSettings = [.unsafeFlags(["-Xlinker", "-s"], .when(configuration: .release))]
}

// deploy/fuzz builds the fuzzing targets as a program. It sees internal declarations as tests do,
// and is linked with libFuzzer. An ordinary build needs none of that.
if Context.environment["CUBIST_FUZZ"] != nil {
  package.targets.removeAll { $0.type == .test }
  package.targets += [
    .target(name: "LibFuzzer", path: "Tests/FuzzTests/LibFuzzer"),
    .executableTarget(
      name: "fuzz", dependencies: fuzzed + ["LibFuzzer"], path: "Tests/FuzzTests",
      exclude: ["CorpusTests.swift", "Corpus", "LibFuzzer"],
      sources: ["Targets", "Program"], swiftSettings: settings),
  ]
}

// deploy/bench makes these programs, and deploy/typecheck checks them. An ordinary build needs none
// of that.
if Context.environment["CUBIST_BENCHMARKS"] != nil {
  package.targets += [
    .systemLibrary(
      name: "CSQLite", path: "Benchmarks/Sources/CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"])]),
    // The whole service, and the programs it is compared with.
    .executableTarget(
      name: "cubist-bench",
      dependencies: [
        "CEpoll", "MatchLoad", "LargeStore", "MatchService", "PrivateServers", "EventBusLive",
        "MatchStoreLive", "LibRabbitMQ", "LibPQ", "MatchInterfaces", "MatchWire", "MatchCore",
        "CubeRules", "CubeLexicon", "CubistBasics", "SystemCalls", argumentParser, logging,
      ],
      path: "Benchmarks/Sources/CubistBench", swiftSettings: settings,
      // Valgrind gives up on some debug information; the names of functions stay.
      linkerSettings: [.unsafeFlags(["-Xlinker", "--strip-debug"])]),
    // Rules and word list, in one process.
    .executableTarget(
      name: "cubist-bench-rules",
      dependencies: [
        "CSQLite", "MatchCore", "CubeRules", "CubeLexicon", "SystemCalls", "CCounting",
      ],
      path: "Benchmarks/Sources/BenchRules", swiftSettings: settings),
  ]
}

// deploy/demo builds these programs at once: `swift build` takes one product, or all of them.
if Context.environment["CUBIST_PROGRAMS"] != nil {
  let programs = ["cubist", "cubist-demo", "cubistd"]
  var needed: Set<String> = []
  var open = programs
  while let name = open.popLast() {
    guard needed.insert(name).inserted else { continue }
    for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
      switch dependency {
      case .targetItem(let name, _), .byNameItem(let name, _): open.append(name)
      case .productItem: break
      @unknown default: break
      }
    }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products.removeAll { !programs.contains($0.name) }
}
