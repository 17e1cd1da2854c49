/// One module and its permitted imports.
struct LayeredModule {
  let name: String
  let layer: Int
  let modules: Set<String>
  let products: Set<String>
  let system: Set<String>

  init(
    _ name: String, layer: Int, _ modules: Set<String> = [], products: Set<String> = [],
    system: Set<String> = ModuleGraph.system
  ) {
    self.name = name
    self.layer = layer
    self.modules = modules
    self.products = products
    self.system = system
  }
}

/// The permitted imports of each module.
///
/// This repeats the manifest on purpose: a new dependency has to be written in two places.
enum ModuleGraph {
  /// The C library goes by a name of its own on each platform.
  static let system: Set = [
    "Darwin", "FoundationEssentials", "Glibc", "Musl", "Synchronization",
  ]
  private static let basics: Set = ["CubistBasics", "SystemCalls"]
  private static let domain: Set = ["MatchCore", "CubeRules", "CubeLexicon"]
  private static let interfaces = domain.union(["MatchInterfaces", "MatchWire"])

  static let modules: [LayeredModule] = [
    // Parts without the game: one runs anywhere Swift does, one needs a system.
    LayeredModule("CubistBasics", layer: 0, system: []),
    LayeredModule("SystemCalls", layer: 0),
    LayeredModule("SHA2", layer: 0, products: ["Crypto"], system: []),
    LayeredModule("CEmbedded", layer: 0),
    LayeredModule("CRabbitMQ", layer: 0),
    LayeredModule("CPostgreSQL", layer: 0),
    LayeredModule("CCurl", layer: 0),
    LayeredModule("CSodium", layer: 0),
    LayeredModule("CTerminal", layer: 0),
    LayeredModule("CRelease", layer: 0),
    LayeredModule("CWeb", layer: 0),
    // The rules of the game run anywhere too.
    LayeredModule("CubeRules", layer: 1, ["CubistBasics"], system: []),
    // The screen knows nothing of the game.
    LayeredModule(
      "TerminalScreen", layer: 2, ["CubistBasics", "CTerminal"],
      system: system.union(["Dispatch"])),
    LayeredModule(
      "CubeLexicon", layer: 2, ["CubeRules", "CubistBasics", "SystemCalls", "CEmbedded"]),
    // Playing runs in a browser too.
    LayeredModule("CubePlay", layer: 3, ["CubeRules", "CubeLexicon"], system: []),
    // Neither service nor name is needed to play in a terminal.
    LayeredModule(
      "GameScreens", layer: 4, ["CubePlay", "CubeRules", "CubeLexicon", "TerminalScreen"],
      system: system.union(["Dispatch"])),
    // The page runs in a browser only; natively it is tested.
    LayeredModule(
      "CubistPage", layer: 4, ["CubePlay", "CubeRules", "CubeLexicon", "CubistBasics"], system: []),
    LayeredModule(
      "DemoGame", layer: 6,
      ["GameScreens", "CubePlay", "CubeRules", "CubeLexicon", "TerminalScreen"]),
    // The domain is pure: no clock, no file, no lock.
    LayeredModule(
      "MatchCore", layer: 3, ["CubeRules", "CubeLexicon", "CubistBasics", "SHA2"], system: []),
    // A record is read and verified in a browser too.
    LayeredModule("MatchRecord", layer: 4, domain.union(["CubistBasics"]), system: []),
    LayeredModule(
      "MatchWire", layer: 5, domain.union(["MatchRecord", "CubistBasics"]), products: ["Crypto"],
      system: ["FoundationEssentials"]),
    // The page's player runs in a browser only; natively it is tested.
    LayeredModule(
      "PagePlayer", layer: 7,
      [
        "ServiceNews", "CubistPage", "CubePlay", "CubeLexicon", "CubeRules", "MatchWire",
        "MatchRecord", "MatchCore", "CubistBasics",
      ], system: []),
    // The service's answers, as the game shows them on a terminal and on a page.
    LayeredModule(
      "ServiceNews", layer: 6, domain.union(["MatchWire", "CubePlay"]), system: []),
    LayeredModule(
      "MatchInterfaces", layer: 6, domain.union(["MatchWire", "SystemCalls", "CRelease"]),
      products: ["IssueReporting", "Logging"]),
    LayeredModule("LibRabbitMQ", layer: 6, basics.union(["CRabbitMQ"])),
    LayeredModule("LibPQ", layer: 6, basics.union(["CPostgreSQL"])),
    LayeredModule("LibCurl", layer: 6, basics.union(["CCurl"])),
    LayeredModule("ServiceMetrics", layer: 6, products: ["Metrics"]),
    LayeredModule(
      "EventBusLive", layer: 7,
      [
        "ServiceMetrics", "MatchInterfaces", "MatchWire", "MatchCore", "CubistBasics",
        "SystemCalls", "LibRabbitMQ",
      ],
      products: ["Logging", "Metrics"]),
    LayeredModule(
      "MatchStoreLive", layer: 7,
      interfaces.union(basics).union(["ServiceMetrics", "LibPQ", "CEmbedded"]),
      products: ["Logging", "Metrics"]),
    LayeredModule("PrivateServers", layer: 7, basics.union(["LibPQ"])),
    LayeredModule(
      "BrokerManagement", layer: 8,
      ["EventBusLive", "MatchInterfaces", "MatchWire", "CubistBasics", "LibCurl", "SHA2"]),
    LayeredModule(
      "MatchService", layer: 9, interfaces.union(basics).union(["ServiceMetrics", "CSodium"]),
      products: ["Crypto", "Logging", "Metrics"]),
    LayeredModule(
      "MatchGateway", layer: 10,
      [
        "MatchService", "ServiceMetrics", "MatchInterfaces", "MatchWire", "MatchCore",
        "CubistBasics", "SystemCalls", "CEmbedded", "CWeb",
      ],
      products: [
        "Hummingbird", "HummingbirdCore", "Logging", "Metrics", "NIOCore", "NIOEmbedded",
        "NIOHTTP1", "NIOHTTPCompression", "NIOPosix",
      ]),
    LayeredModule(
      "PlayerClient", layer: 9, interfaces.union(basics).union(["CubePlay"]),
      products: ["Crypto"],
      system: system.union(["Dispatch", "Foundation", "FoundationNetworking"])),
    LayeredModule(
      "MatchSimulation", layer: 10,
      interfaces.union(["MatchService", "PlayerClient", "CubistBasics"]),
      products: ["Crypto", "Logging"]),
    LayeredModule(
      "cubist", layer: 11,
      interfaces.union(basics).union([
        "PlayerClient", "EventBusLive", "ServiceNews", "CubePlay", "DemoGame", "GameScreens",
        "TerminalScreen",
      ]),
      products: ["ArgumentParser", "Logging"],
      system: system.union(["Dispatch", "Foundation"])),
    // It has to be small, and to run on machines where none of its parts are installed.
    LayeredModule("cubist-demo", layer: 11, ["DemoGame", "GameScreens", "TerminalScreen"]),
    LayeredModule(
      "cubistd", layer: 11,
      interfaces.union(basics).union([
        "MatchGateway", "MatchService", "MatchSimulation", "PlayerClient", "BrokerManagement",
        "EventBusLive", "MatchStoreLive", "LibRabbitMQ", "LibPQ", "LibCurl", "PrivateServers",
        "CubePlay", "ServiceMetrics",
      ]),
      products: ["ArgumentParser", "Crypto", "Logging", "Metrics"],
      system: system.union(["Dispatch", "Foundation"])),
  ]

  static let byName = Dictionary(uniqueKeysWithValues: modules.map { ($0.name, $0) })

  /// Everything a module drags into a build.
  static func reach(_ name: String) -> Set<String> {
    var reached: Set<String> = []
    var open = [name]
    while let next = open.popLast() {
      for module in byName[next]?.modules ?? [] where reached.insert(module).inserted {
        open.append(module)
      }
    }
    return reached
  }
}
