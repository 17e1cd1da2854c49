/// The targets of Sources as Package.swift declares them.
enum Manifest {
  /// The manifest's variables for products, and the modules they bring.
  static func products(in manifest: String) -> [String: String] {
    let declaration = /let (\w+): Target\.Dependency = \.product\(\s*name: "(\w+)"/
    return manifest.matches(of: declaration).reduce(into: [:]) { products, match in
      products[String(match.1)] = String(match.2)
    }
  }

  /// The manifest's variables for targets of the package itself.
  private static func targets(in manifest: String) -> [String: String] {
    let declaration = /let (\w+): Target\.Dependency = \.target\(\s*name: "(\w+)"/
    return manifest.matches(of: declaration).reduce(into: [:]) { targets, match in
      targets[String(match.1)] = String(match.2)
    }
  }

  /// The trait that a module or product needs, by its name.
  static func traits(in manifest: String) -> [String: String] {
    let condition = /name: "(\w+)",[^)]*condition: \.when\(traits: \["(\w+)"\]\)/
    return manifest.matches(of: condition).reduce(into: [:]) { traits, match in
      traits[String(match.1)] = String(match.2)
    }
  }

  /// Dependencies by target; a product is named by its module.
  static func dependencies(in manifest: String) throws -> [String: Set<String>] {
    var found: [String: Set<String>] = [:]
    let variables = products(in: manifest).merging(targets(in: manifest)) { product, _ in product }
    let declaration = /\b(?:module|executable)\(\s*"([\w-]+)"(?:\s*,\s*\[([^\]]*)\])?\s*\)/
    for match in manifest.matches(of: declaration) {
      var dependencies: Set<String> = []
      for item in (match.2 ?? "").split(separator: ",") {
        let word = item.trimming { $0.isWhitespace }
        if word.hasPrefix("\"") {
          dependencies.insert(word.trimming { $0 == "\"" })
        } else if !word.isEmpty {
          guard let name = variables[word] else { throw UnknownProduct(word: word) }
          dependencies.insert(name)
        }
      }
      found[String(match.1)] = dependencies
    }
    // Targets of C have no dependencies, and no path: those with one are not in Sources.
    let cTarget = /\.(?:target|systemLibrary)\(\s*name:\s*"(C[A-Z]\w+)"(?!\s*,\s*path:)/
    for match in manifest.matches(of: cTarget) { found[String(match.1)] = [] }
    return found
  }

  /// The test targets.
  static func tests(in manifest: String) -> [String] {
    manifest.matches(of: /\btests\(\s*"(\w+)"/).map { String($0.1) }
  }

  /// The C libraries of the system that Sources are linked with.
  static func systemLibraries(in manifest: String) -> Set<String> {
    let declaration = /\.systemLibrary\(\s*name:\s*"(C[A-Z]\w+)"(?!\s*,\s*path:)/
    return Set(manifest.matches(of: declaration).map { String($0.1) })
  }

  /// The libraries for other packages.
  static func libraries(in manifest: String) -> Set<String> {
    Set(manifest.matches(of: /\.library\(name: "(\w+)", targets:/).map { String($0.1) })
  }

  struct UnknownProduct: Error {
    let word: String
  }
}

extension Substring {
  fileprivate func trimming(_ isOuter: (Character) -> Bool) -> String {
    var text = self
    while let last = text.last, isOuter(last) { text.removeLast() }
    return String(text.drop(while: isOuter))
  }
}

extension String {
  fileprivate func trimming(_ isOuter: (Character) -> Bool) -> String {
    self[...].trimming(isOuter)
  }
}
