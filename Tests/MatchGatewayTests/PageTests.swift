import CWeb
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import RawHTTP
import RealServers
import Testing

@testable import MatchGateway

@Suite("The page for browsers", .ownThreads)
struct PageTests {
  /// As Chromium asks for a page.
  static let browser =
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
  static let gzip = "Accept-Encoding: gzip, deflate, br, zstd"
  static let policy = """
    default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; base-uri 'self'; \
    form-action 'none'; frame-ancestors 'none'
    """

  static let sources = URL(
    filePath: #filePath.replacing("Tests/MatchGatewayTests/PageTests.swift", with: "Web"))

  let lab: Lab
  let client: RawClient

  init() throws {
    lab = try Lab()
    client = try lab.connect()
  }

  /// The page's folder, as its index names it.
  func folder() throws -> String {
    let index = try client.ask("GET", "/", [Self.browser]).text
    let base = try #require(index.firstMatch(of: /<head>\n<base href="\/([0-9a-f]{32})\/">/))
    return "/\(base.1)"
  }

  /// The names that a text of the page mentions.
  static func names(in text: String) -> Set<String> {
    let attributes = text.matches(of: /(?:href|src)="([a-z.-]+)"/).map { String($0.1) }
    let imports = text.matches(of: /from "\.\/([a-z.-]+)"/).map { String($0.1) }
    return Set(attributes + imports)
  }

  /// The names of files that are loaded when they are needed, without those of the gallery.
  static func laterNames(in text: String) -> Set<String> {
    let imports = text.matches(of: /import\("\.\/([a-z.-]+)"\)/).map { String($0.1) }
    let addresses = text.matches(of: /(?:new URL\(|href: )"([a-z.-]+)"/).map { String($0.1) }
    return Set(imports + addresses).subtracting(["gallery.js"])
  }

  /// Everything that a browser loads, with its address.
  ///
  /// - Parameter withPlayer: Whether for a player at the service, too.
  func loaded(withPlayer: Bool = false) throws -> [String: RawClient.Answer] {
    let folder = try folder()
    var open = Self.names(in: try client.ask("GET", "/", [Self.browser]).text)
    var answers: [String: RawClient.Answer] = [:]
    while let name = open.popFirst() {
      let answer = try client.ask("GET", "\(folder)/\(name)", ["Accept: */*"])
      #expect(answer.status == 200, "\(name)")
      answers["\(folder)/\(name)"] = answer
      if name.hasSuffix(".js") {
        open.formUnion(Self.names(in: answer.text))
        if withPlayer { open.formUnion(Self.laterNames(in: answer.text)) }
      }
      open = open.filter { answers["\(folder)/\($0)"] == nil }
    }
    return answers
  }

  /// A page without the card of its link.
  private static func body(_ page: RawClient.Answer) -> String {
    page.text.split(separator: "\n").filter { !$0.contains("\"og:") && !$0.contains("twitter:") }
      .joined(separator: "\n")
  }

  @Test("The links of invitations and shared games are the page; what cannot be a code is nothing")
  func links() throws {
    let index = try client.ask("GET", "/", [Self.browser])
    for code in [
      "g/K7QM2XPA", "g/k7qm2xpa", "g/ABCD", "g/ABCDEFGHIJKLMNOP", "s/ABCDEFGHIJKLMNOP",
      "g/k7qm-2xpa",
    ] {
      let page = try client.ask("GET", "/\(code)", [Self.browser, "Sec-Fetch-Mode: navigate"])
      #expect(page.status == 200, "\(code)")
      #expect(Self.body(page) == Self.body(index))
      #expect(page.text.contains("og:title") && page.body != index.body)
      #expect(page["content-security-policy"] == Self.policy)
      #expect(page["cache-control"] == "no-cache")
    }
    for code in ["", "ABC", "ABCDEFGHIJKLMNOPQ", "K7QM%32XPA", "%C3%9F%C3%9F", "a-b-c", "ABCD/"] {
      for folder in ["g", "s"] {
        let answer = try client.ask("GET", "/\(folder)/\(code)", [Self.browser])
        #expect(answer.status == 404, "\(code)")
      }
    }
    #expect(try client.ask("POST", "/g/K7QM2XPA", [], []).status == 405)
  }

  @Test("A browser gets the page at the address of the service, a program a few words")
  func index() throws {
    let page = try client.ask("GET", "/", [Self.browser])
    #expect(page.status == 200 && page["content-type"] == "text/html; charset=utf-8")
    #expect(page.text.hasPrefix("<!doctype html>") && page["cache-control"] == "no-cache")
    #expect(page.fields.contains { $0.name.lowercased() == "vary" && $0.value.contains("Accept") })
    let tag = try #require(page["etag"])
    let known = try client.ask("GET", "/", [Self.browser, "If-None-Match: \(tag)"])
    #expect(known.status == 304 && known.body.isEmpty && known["etag"] == tag)
    let head = try client.ask("HEAD", "/", [Self.browser])
    #expect(head.status == 200 && head["content-length"] == "\(page.body.count)")
    for accept in [[], ["Accept: */*"], ["Accept: text/plain"], ["Accept: text/html;q=0, */*"]] {
      let words = try client.ask("GET", "/", accept)
      #expect(words.status == 200 && words["content-type"] == "text/plain", "\(accept)")
      #expect(words.text.contains("/v1/openapi.json") && words["etag"] != tag)
    }
    #expect(try client.ask("GET", "/", ["Accept: application/json"]).status == 406)
    #expect(try client.ask("POST", "/", [], []).status == 405)
  }

  @Test("Every file that the page loads is there, of its own type, and kept for ever")
  func files() throws {
    let answers = try loaded(withPlayer: true)
    let names = Set(answers.keys.map { String($0.split(separator: "/")[1]) })
    let embedded = UnsafeBufferPointer(start: cubist_web_files, count: cubist_web_files_count)
    #expect(
      names.union(["index.html", "worker.js", "card.png"])
        == Set(embedded.map { String(cString: $0.name) }))
    let types = [
      "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
      "svg": "image/svg+xml", "wasm": "application/wasm",
      "webmanifest": "application/manifest+json",
    ]
    for (path, answer) in answers {
      let ending = String(path.split(separator: ".").last ?? "")
      #expect(answer["content-type"] == types[ending], "\(path)")
      #expect(answer["cache-control"] == "public, max-age=31536000, immutable")
      #expect(answer["content-encoding"] == nil)
      let name = String(path.split(separator: "/")[1])
      let source = try Data(contentsOf: Self.sources.appending(path: name))
      #expect(answer.body == Array(source), "\(name): touch Sources/CWeb/web.c and build again")
      let head = try client.ask("HEAD", path)
      #expect(head.status == 200 && head["content-length"] == "\(answer.body.count)")
      let tag = try #require(answer["etag"])
      #expect(try client.ask("GET", path, ["If-None-Match: \(tag)"]).status == 304)
    }
  }

  @Test("The service worker is asked for each time, and names the build and all files of the game")
  func worker() throws {
    let folder = try folder()
    let worker = try client.ask("GET", "/worker.js", ["Accept: */*"])
    #expect(worker.status == 200 && worker["cache-control"] == "no-cache")
    #expect(worker["content-type"] == "text/javascript; charset=utf-8")
    let tag = try #require(worker["etag"])
    #expect(try client.ask("GET", "/worker.js", ["If-None-Match: \(tag)"]).status == 304)
    let source = try String(contentsOf: Self.sources.appending(path: "worker.js"), encoding: .utf8)
    let lines = worker.text.split(separator: "\n", maxSplits: 3)
    try #require(lines.count == 4)
    #expect(lines[0] == "const build = \"\(folder.dropFirst())\";")
    #expect(lines[1].hasPrefix("const files = [") && lines[3] == source)
    let files = lines[1].matches(of: /"([^"]*)"/).map { "\(folder)/\($0.1)" }
    let others = ["index.html", "trailer.js"].map { "\(folder)/\($0)" }
    #expect(try Set(files) == Set(loaded().keys).union(others))
    #expect(Set(files).count == files.count)
    // A browser takes nothing but a file with its digest.
    let digests = lines[2].matches(of: /"([^"]*)": "sha256-([^"]*)"/)
    #expect(Set(digests.map { "\(folder)/\($0.1)" }).isSuperset(of: files))
    for digest in digests {
      let bytes = try client.ask("GET", "\(folder)/\(digest.1)").body
      let expected = Data(Hash(sha256Of: Array(bytes)).bytes).base64EncodedString()
      #expect(digest.2 == expected, "\(digest.1)")
    }
  }

  @Test("The index is in the folder, too, and its base is right at addresses of any depth")
  func base() throws {
    let index = try client.ask("GET", "/", [Self.browser])
    let same = try client.ask("GET", "\(folder())/index.html")
    #expect(Self.body(same) == Self.body(index) && same["content-type"] == index["content-type"])
    #expect(same["cache-control"]?.contains("immutable") == true)
    let base = try #require(index.text.firstMatch(of: /<base href="([^"]*)">/)).1
    for page in ["/", "/g/CODE", "/g/CODE/"] {
      let address = try #require(URL(string: "https://play.example.org\(page)"))
      let main = URL(string: "main.js", relativeTo: URL(string: String(base), relativeTo: address))
      #expect(try client.ask("GET", #require(main).path).status == 200)
    }
  }

  @Test("The manifest describes an app that can be installed")
  func manifest() throws {
    let answer = try client.ask("GET", "\(folder())/manifest.webmanifest")
    let manifest = try #require(
      JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    let expected = ["name": "Cubist", "display": "standalone", "start_url": "/", "scope": "/"]
    for (name, value) in expected { #expect(manifest[name] as? String == value) }
    let icons = try #require(manifest["icons"] as? [[String: String]])
    for icon in icons {
      let file = try client.ask("GET", "\(folder())/\(#require(icon["src"]))")
      #expect(file.status == 200 && file["content-type"] == icon["type"])
    }
    #expect(!icons.isEmpty)
  }

  @Test("Every answer about the page has the policy, refusals too")
  func policy() throws {
    let folder = try folder()
    var answers = [
      try client.ask("GET", "/", [Self.browser]), try client.ask("GET", "/"),
      try client.ask("GET", "\(folder)/nothing.js"), try client.ask("POST", "\(folder)/main.js"),
      try client.ask("OPTIONS", "/"), try client.ask("HEAD", "\(folder)/main.js"),
      try client.ask("GET", "/", [Self.browser, "If-None-Match: *"]),
      try client.ask("GET", "/worker.js"), try client.ask("POST", "/worker.js"),
      try client.ask("GET", "/g/K7QM2XPA"), try client.ask("POST", "/g/K7QM2XPA"),
    ]
    #expect(answers.map(\.status) == [200, 200, 404, 405, 204, 200, 304, 200, 405, 200, 405])
    answers += try loaded(withPlayer: true).values
    for answer in answers {
      #expect(answer["content-security-policy"] == Self.policy)
      #expect(answer["x-content-type-options"] == "nosniff")
      #expect(answer["referrer-policy"] == "no-referrer")
      #expect(answer["x-frame-options"] == "DENY")
      #expect(answer["cross-origin-opener-policy"] == "same-origin")
    }
    #expect(try client.ask("GET", "/v1/service")["content-security-policy"] == nil)
  }

  @Test("Compressed content is the same content, with a tag of its own")
  func compressed() throws {
    var plain = try loaded()
    plain["/"] = try client.ask("GET", "/", [Self.browser])
    plain["/worker.js"] = try client.ask("GET", "/worker.js")
    for (path, plain) in plain {
      let packed = try client.ask("GET", path, [Self.browser, Self.gzip])
      #expect(packed["content-encoding"] == "gzip" && packed.body.count < plain.body.count)
      #expect(packed["content-length"] == "\(packed.body.count)")
      #expect(packed["etag"] != plain["etag"] && packed["content-type"] == plain["content-type"])
      #expect(try Self.unpacked(packed.body) == plain.body, "\(path)")
      for answer in [plain, packed] {
        #expect(
          answer.fields.contains {
            $0.name.lowercased() == "vary" && $0.value.contains("Accept-Encoding")
          })
      }
    }
  }

  /// By the program gzip.
  static func unpacked(_ bytes: [UInt8]) throws -> [UInt8] {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).gz")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/bin/gzip")
    process.arguments = ["--decompress", "--stdout", file.path()]
    process.standardOutput = output
    try process.run()
    let unpacked = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return Array(unpacked)
  }

  @Test("The first cube comes in 60 KB at most, the first move in 400 KB, of 1,000 bytes")
  func sizes() throws {
    let index = try client.ask("GET", "/", [Self.browser, Self.gzip]).body.count
    var sizes: [String: Int] = [:]
    for path in try loaded().keys {
      sizes[path] = try client.ask("GET", path, [Self.gzip]).body.count
    }
    let shell = sizes.filter { !$0.key.hasSuffix(".wasm") }.values.reduce(index, +)
    let all = sizes.values.reduce(index, +)
    #expect(shell <= 60_000 && all <= 400_000, "\(shell) and \(all) bytes")
  }

  @Test("Nothing else is there, and nothing of another build")
  func unknown() throws {
    let folder = try folder()
    let other = "/" + String(repeating: "0", count: 32)
    for path in [
      "\(folder)/", folder, "\(folder)/nothing", "\(folder)/worker.js", "\(folder)/gallery.html",
      "\(folder)/../main.js", "\(folder)/main.js/", "\(folder)/MAIN.JS", "\(folder)/main%2ejs",
      "\(other)/main.js", "/main.js", "/index.html", "/favicon.ico", "/v1/main.js",
    ] {
      let answer = try client.ask("GET", path, [Self.browser])
      #expect(answer.status == 404 && answer["cache-control"] == "no-store", "\(path)")
    }
    #expect(try client.ask("POST", "/v1/main.js", [], []).status == 404)
  }

  @Test(
    "Accept-Encoding is read as RFC 9110 has it",
    arguments: [
      (["gzip"], true), (["deflate, GZIP;q=0.5"], true), (["br", "gzip"], true), (["*"], true),
      (["x-gzip"], true), (["gzip;q=0"], false), (["gzip; q=0.0, *"], false), (["*;q=0"], false),
      (["br"], false), (["identity"], false), ([""], false), ([], false),
    ] as [([String], Bool)])
  func coding(_ fields: [String], _ isAllowed: Bool) {
    #expect(Accepting.allowsGzip(fields) == isAllowed)
  }
}
