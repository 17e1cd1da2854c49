// swift-tools-version: 6.2
import PackageDescription

// A game's program, outside of Cubist's package. The path is that of the checkout. With the trait
// it needs no C library of the system.
let package = Package(
  name: "SampleClient",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "cubist-service", path: "../..", traits: ["SwiftCrypto"])],
  targets: [
    .executableTarget(
      name: "SampleClient",
      dependencies: [
        .product(name: "PlayerClient", package: "cubist-service"),
        .product(name: "MatchCore", package: "cubist-service"),
        .product(name: "MatchWire", package: "cubist-service"),
      ])
  ])
