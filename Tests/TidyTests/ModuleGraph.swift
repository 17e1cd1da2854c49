/// One module and its permitted imports.
struct LayeredModule {
  let name: String
  let layer: Int
  let modules: Set<String>
  let products: Set<String>

  /// Modules of the system that it may import.
  var system: Set<String> {
    if ModuleGraph.pure.contains(name) { return [] }
    if name == "MatchWire" { return ["FoundationEssentials"] }
    return ModuleGraph.system.union(ModuleGraph.furtherSystem[name] ?? [])
  }
}

/// The modules of Sources: their dependencies by Package.swift, their layers by docs/architecture.md.
enum ModuleGraph {
  /// The C library goes by a name of its own on each platform.
  static let system: Set = [
    "Darwin", "FoundationEssentials", "Glibc", "Musl", "Synchronization",
  ]

  /// Modules without a clock, a file or a lock.
  static let pure: Set = [
    "CubistBasics", "SHA2", "CubeRules", "CubePlay", "CubistPage", "MatchCore", "MatchRecord",
    "PagePlayer", "ServiceNews",
  ]

  static let furtherSystem: [String: Set<String>] = [
    "TerminalScreen": ["Dispatch"], "GameScreens": ["Dispatch"],
    "PlayerClient": ["Dispatch", "Foundation", "FoundationNetworking"],
    "cubist": ["Dispatch", "Foundation"], "cubist-simulate": ["Dispatch"],
    "cubistd": ["Dispatch", "Foundation"],
  ]

  static let modules = byName.keys.sorted()

  static let byName: [String: LayeredModule] = {
    guard let manifest = try? Tree.text("Package.swift"),
      let declared = try? Manifest.dependencies(in: manifest),
      let page = try? Tree.text("docs/architecture.md")
    else { return [:] }
    let products = Set(Manifest.products(in: manifest).values)
    let layers = ModuleGraph.layers(in: page)
    return Dictionary(
      uniqueKeysWithValues: declared.map { name, dependencies in
        let module = LayeredModule(
          name: name, layer: layers[name] ?? -1, modules: dependencies.subtracting(products),
          products: dependencies.intersection(products))
        return (name, module)
      })
  }()

  /// The layers of the table whose rows begin with a number and names of modules.
  static func layers(in page: String) -> [String: Int] {
    let row = /\n\| (\d+) \| ([^|]*) \|/
    return page.matches(of: row).reduce(into: [:]) { layers, match in
      for name in match.2.matches(of: /`([\w-]+)`/) { layers[String(name.1)] = Int(match.1) }
    }
  }

  /// The trait that a module or product needs, by its name.
  private static let traits = (try? Tree.text("Package.swift")).map(Manifest.traits) ?? [:]

  /// Modules and products that a module drags into a build with one trait of the package.
  static func reach(_ name: String, trait: String = "Libsodium") -> Set<String> {
    var reached: Set<String> = []
    var open = [name]
    while let module = open.popLast().flatMap({ byName[$0] }) {
      for part in module.modules.union(module.products)
      where traits[part] ?? trait == trait && reached.insert(part).inserted {
        if byName[part] != nil { open.append(part) }
      }
    }
    return reached
  }
}
