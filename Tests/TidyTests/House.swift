/// One module of the house and its permitted imports.
struct HouseModule {
  let name: String
  /// Half floors count: the domain lies between the word list and the messages.
  let floor: Double
  let modules: Set<String>
  let products: Set<String>
  let system: Set<String>

  init(
    _ name: String, floor: Double, _ modules: Set<String> = [], products: Set<String> = [],
    system: Set<String> = House.system
  ) {
    self.name = name
    self.floor = floor
    self.modules = modules
    self.products = products
    self.system = system
  }
}

/// The permitted imports of each module.
///
/// This repeats the manifest on purpose: a new dependency has to be written in two places.
enum House {
  /// The C library goes by a name of its own on each platform.
  static let system: Set = [
    "Darwin", "FoundationEssentials", "Glibc", "Musl", "Synchronization",
  ]
  private static let basics: Set = ["CubistBasics", "SystemCalls"]
  private static let domain: Set = ["MatchCore", "CubeRules", "CubeLexicon"]
  private static let interfaces = domain.union(["MatchInterfaces", "MatchWire"])

  static let modules: [HouseModule] = [
    // What has nothing to do with the game: one part runs anywhere Swift does, one needs a system.
    HouseModule("CubistBasics", floor: 0, system: []),
    HouseModule("SystemCalls", floor: 0),
    HouseModule("SHA2", floor: 0, products: ["Crypto"], system: []),
    HouseModule("CEmbedded", floor: 0),
    HouseModule("CRabbitMQ", floor: 0),
    HouseModule("CPostgreSQL", floor: 0),
    HouseModule("CCurl", floor: 0),
    HouseModule("CSodium", floor: 0),
    HouseModule("CTerminal", floor: 0),
    // The rules of the game run anywhere too.
    HouseModule("CubeRules", floor: 0.5, ["CubistBasics"], system: []),
    // The screen knows nothing of the game.
    HouseModule(
      "TerminalScreen", floor: 1, ["CubistBasics", "CTerminal"],
      system: system.union(["Dispatch"])),
    HouseModule(
      "CubeLexicon", floor: 1, ["CubeRules", "CubistBasics", "SystemCalls", "CEmbedded"]),
    // Playing runs in a browser too.
    HouseModule("CubePlay", floor: 1.5, ["CubeRules", "CubeLexicon"], system: []),
    // Neither service nor name is needed to play in a terminal.
    HouseModule(
      "GameScreens", floor: 2, ["CubePlay", "CubeRules", "CubeLexicon", "TerminalScreen"],
      system: system.union(["Dispatch"])),
    HouseModule(
      "DemoGame", floor: 3,
      ["GameScreens", "CubePlay", "CubeRules", "CubeLexicon", "TerminalScreen"]),
    // The domain is pure: no clock, no file, no lock.
    HouseModule(
      "MatchCore", floor: 1.5, ["CubeRules", "CubeLexicon", "CubistBasics", "SHA2"], system: []),
    // A record is read and verified in a browser too.
    HouseModule("MatchRecord", floor: 2, domain.union(["CubistBasics"]), system: []),
    HouseModule(
      "MatchWire", floor: 2.5, domain.union(["MatchRecord", "CubistBasics"]), products: ["Crypto"],
      system: ["FoundationEssentials"]),
    HouseModule(
      "MatchInterfaces", floor: 3, domain.union(["MatchWire", "SystemCalls"]),
      products: ["IssueReporting"]),
    HouseModule("LibRabbitMQ", floor: 3, basics.union(["CRabbitMQ"])),
    HouseModule("LibPQ", floor: 3, basics.union(["CPostgreSQL"])),
    HouseModule("LibCurl", floor: 3, ["CubistBasics", "CCurl"]),
    HouseModule(
      "EventBusLive", floor: 4,
      ["MatchInterfaces", "MatchWire", "MatchCore", "CubistBasics", "LibRabbitMQ"],
      products: ["Logging", "Metrics"]),
    HouseModule(
      "MatchStoreLive", floor: 4, interfaces.union(["LibPQ", "CubistBasics", "CEmbedded"]),
      products: ["Logging", "Metrics"]),
    HouseModule("PrivateServers", floor: 4, basics.union(["LibPQ"])),
    HouseModule(
      "BrokerManagement", floor: 4.5,
      ["EventBusLive", "MatchInterfaces", "MatchWire", "CubistBasics", "LibCurl"]),
    HouseModule(
      "MatchService", floor: 5, interfaces.union(basics).union(["CSodium"]),
      products: ["Crypto", "Logging", "Metrics"]),
    HouseModule(
      "PlayerClient", floor: 5, interfaces.union(basics).union(["CubePlay"]),
      products: ["Crypto"]),
    HouseModule(
      "MatchSimulation", floor: 6,
      interfaces.union(["MatchService", "PlayerClient", "CubistBasics"]),
      products: ["Crypto", "Logging"]),
    HouseModule(
      "cubist", floor: 7,
      interfaces.union(basics).union([
        "PlayerClient", "EventBusLive", "CubePlay", "DemoGame", "GameScreens", "TerminalScreen",
      ]),
      products: ["ArgumentParser", "Logging"],
      system: system.union(["Dispatch", "Foundation"])),
    // It has to be small, and to run on machines where none of its parts are installed.
    HouseModule("cubist-demo", floor: 7, ["DemoGame", "GameScreens", "TerminalScreen"]),
    HouseModule(
      "cubistd", floor: 7,
      interfaces.union(basics).union([
        "MatchService", "MatchSimulation", "PlayerClient", "BrokerManagement", "EventBusLive",
        "MatchStoreLive", "LibRabbitMQ", "LibPQ", "LibCurl", "PrivateServers", "CubePlay",
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
