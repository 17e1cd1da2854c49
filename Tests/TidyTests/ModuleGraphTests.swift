import CustomDump
import Testing

@Suite("The house")
struct ModuleGraphTests {
  @Test("A module depends only on layers below its own", arguments: ModuleGraph.modules)
  func layers(name: String) throws {
    let module = try #require(ModuleGraph.byName[name])
    #expect(module.layer >= 0, "docs/architecture.md has no layer for it")
    for dependency in module.modules.sorted() {
      let lower = try #require(ModuleGraph.byName[dependency], "\(dependency) is in no layer")
      #expect(lower.layer < module.layer, "\(name) may not depend on \(dependency)")
    }
  }

  @Test("Sources, Package.swift and docs/architecture.md have the same modules")
  func folders() throws {
    let folders = try Tree.folders(in: "Sources")
    #expect(folders.count > 30)
    expectNoDifference(ModuleGraph.modules, folders)
    let layers = ModuleGraph.layers(in: try Tree.text("docs/architecture.md"))
    expectNoDifference(layers.keys.sorted(), folders)
  }

  @Test("A source file imports only modules that its own may")
  func imports() throws {
    let sources = try SourceText.all.get().filter { $0.key.hasPrefix("Sources/") }
    #expect(!sources.isEmpty)
    var wrong: [String] = []
    for (path, source) in sources {
      guard let module = ModuleGraph.byName[String(path.split(separator: "/")[1])] else { continue }
      let allowed = module.modules.union(module.products).union(module.system)
      for (number, name) in Self.imports(in: source) where !allowed.contains(name) {
        wrong.append("\(path):\(number) imports \(name)")
      }
    }
    expectNoDifference(wrong.sorted(), [])
  }

  @Test("Imports are found in all their forms")
  func importForms() {
    let source = SourceText(
      """
      import A
      @testable public import B
      private import struct C.D
      // import E
      @preconcurrency import F.G; import H
      #if canImport(I)
      """)
    #expect(Self.imports(in: source).map(\.1) == ["A", "B", "C", "F", "H"])
  }

  private static func imports(in source: SourceText) -> [(Int, String)] {
    // Made once: a regex is compiled wherever its literal is evaluated.
    let form = /\bimport\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/
    return source.code.enumerated().filter { $0.1.contains("import") }.flatMap { index, line in
      line.matches(of: form).map { (index + 1, String($0.1)) }
    }
  }

  @Test("The player's command line never brings PostgreSQL")
  func noPostgreSQL() {
    #expect(
      ModuleGraph.reach("cubist").isDisjoint(with: ["LibPQ", "CPostgreSQL", "MatchStoreLive"]))
    // The check can fail: the operator's command line does bring it.
    #expect(ModuleGraph.reach("cubistd").contains("CPostgreSQL"))
  }

  @Test(
    "A library for other packages needs no C library, with swift-crypto in its place",
    arguments: [
      "CubeRules", "CubeLexicon", "CubePlay", "MatchCore", "MatchRecord", "MatchWire",
      "PlayerClient",
    ])
  func noSystemLibrary(name: String) throws {
    let libraries = try Manifest.systemLibraries(in: Tree.text("Package.swift"))
    #expect(
      libraries == [
        "CRabbitMQ", "CPostgreSQL", "CCurl", "CSodium", "COpenSSL", "CZlib", "CEpoll",
      ])
    #expect(ModuleGraph.reach(name, trait: "SwiftCrypto").isDisjoint(with: libraries))
  }

  @Test("A module that no other package imports has nothing public")
  func access() throws {
    let libraries = try Manifest.libraries(in: Tree.text("Package.swift"))
    #expect(libraries.isSubset(of: ModuleGraph.byName.keys) && libraries.contains("PlayerClient"))
    let sources = try SourceText.all.get().filter { path, _ in
      path.hasPrefix("Sources/") && !libraries.contains(String(path.split(separator: "/")[1]))
    }
    #expect(!sources.isEmpty)
    let access = /\bpublic\b/
    let wrong = sources.flatMap { path, source in
      source.code.enumerated().filter { $0.1.contains(access) }.map { "\(path):\($0.0 + 1)" }
    }
    expectNoDifference(wrong.sorted(), [])
  }

  @Test("Players and service verify by libsodium; swift-crypto is for programs outside alone")
  func libraries() throws {
    let manifest = try Tree.text("Package.swift")
    #expect(manifest.contains(#".default(enabledTraits: ["Libsodium"])"#))
    #expect(
      manifest.matches(of: /"CSodium", condition: .when\(traits: \["Libsodium"\]\)/).count == 1)
    #expect(manifest.matches(of: /package: "swift-crypto"/).count == 1)
    for name in ModuleGraph.byName.keys { #expect(!ModuleGraph.reach(name).contains("Crypto")) }
    #expect(ModuleGraph.reach("PlayerClient", trait: "SwiftCrypto").contains("Crypto"))
    #expect(ModuleGraph.reach("cubist").contains("CSodium"))
    #expect(!ModuleGraph.reach("cubist").contains("COpenSSL"))
    #expect(ModuleGraph.reach("cubistd").isSuperset(of: ["CSodium", "COpenSSL"]))
    #expect(ModuleGraph.reach("cubist-demo").isDisjoint(with: ["CSodium", "COpenSSL"]))
  }

  @Test("A module that runs in a browser imports neither a package nor the system")
  func pureLayers() throws {
    let script = try Tree.text("deploy/wasm")
    let pure = [
      "CubistBasics", "CubeRules", "CubeLexicon", "CubePlay", "CubistPage", "MatchCore",
      "MatchRecord", "MatchWire", "PagePlayer", "ServiceNews",
    ]
    for name in pure {
      let module = try #require(ModuleGraph.byName[name])
      // Reading a word list from a file, libraries of cryptography and `Codable` are in files of
      // their own, which are left out there.
      let leavesOut = ["CubeLexicon", "MatchWire"].contains(name)
      #expect(module.products.isEmpty || leavesOut, "\(name)")
      #expect(module.system.isEmpty || leavesOut, "\(name)")
      #expect(script.contains(name), "deploy/wasm compiles \(name)")
    }
  }

  @Test("A program that only a variable of the environment builds is type-checked")
  func gatedPrograms() throws {
    let script = try Tree.text("deploy/typecheck")
    let gated = try #require(
      try Tree.text("Package.swift").split(separator: "\nif Context.environment", maxSplits: 1).last
    )
    let paths = gated.matches(of: /path: "((?:Benchmarks|Tests)\/[\w\/]+)"/).map { String($0.1) }
    #expect(paths.count > 4)
    expectNoDifference(paths.filter { !script.contains("\"\($0)") }, [])
  }

  @Test("Every folder of tests is a target that depends on IssueReportingTestSupport")
  func reportedIssues() throws {
    let manifest = try Tree.text("Package.swift")
    let folders = try Tree.folders(in: "Tests").filter { $0.hasSuffix("Tests") }
    #expect(!folders.isEmpty)
    expectNoDifference(Manifest.tests(in: manifest).sorted(), folders)
    // Its one declaration is in `tests`, which adds the product.
    let declarations = manifest.matches(of: /\.testTarget\([^\[]*\[([^\]]*)\]/)
    #expect(declarations.count == 1)
    for declaration in declarations {
      #expect(declaration.1.contains(#".product(name: "IssueReportingTestSupport""#))
    }
  }

  @Test("One canary shows that reported issues reach the test runner")
  func canary() throws {
    // Put together, so that this file is none.
    let canary = "reportIssue(" + "\"canary\")"
    let files = try Tree.files(in: "Tests", endingIn: [".swift"])
      .filter { try Tree.text($0).contains(canary) }
    #expect(files == ["Tests/TidyTests/CanaryTests.swift"])
  }
}
