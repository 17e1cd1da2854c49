// swift-tools-version: 6.2
import PackageDescription

// The programs that deploy/bench builds and runs. A package of its own, so that none of its
// dependencies is the service's.

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

func service(_ name: String) -> Target.Dependency {
  .product(name: name, package: "cubist-service")
}

let package = Package(
  name: "cubist-benchmarks",
  dependencies: [
    .package(name: "cubist-service", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
  ],
  targets: [
    // The whole service, and the programs it is compared with.
    .executableTarget(
      name: "cubist-bench",
      dependencies: [
        service("CubeRules"), service("CubeLexicon"), service("MatchCore"), service("MatchWire"),
        service("LibRabbitMQ"), service("LibPQ"), service("MatchInterfaces"),
        service("EventBusLive"), service("MatchStoreLive"), service("MatchService"),
        service("PrivateServers"), service("LargeStore"), service("MatchLoad"),
        service("CubistBasics"), service("SystemCalls"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Histogram", package: "hdrhistogram-swift"),
      ],
      path: "Sources/CubistBench", swiftSettings: settings,
      // Valgrind gives up on some debug information; the names of functions stay.
      linkerSettings: [
        .unsafeFlags(["-Xlinker", "--strip-debug"], .when(configuration: .release))
      ]),
    // Rules and word list, in one process.
    .executableTarget(
      name: "cubist-bench-rules",
      dependencies: [
        service("CubeRules"), service("CubeLexicon"), service("MatchCore"), service("SystemCalls"),
        service("counting"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Sources/BenchRules", swiftSettings: settings),
  ]
)
