import Foundation
import MatchCore
import MatchInterfaces
import MatchWire
import RawHTTP
import RealServers
import Testing

@testable import MatchGateway

@Suite("The description of the API", .ownThreads)
struct OpenAPITests {
  typealias Object = [String: Any]

  let document: Object

  init() throws {
    let json = try JSONSerialization.jsonObject(with: Data(OpenAPI.document))
    document = try #require(json as? Object)
  }

  /// The files of the page for browsers are no part of the API.
  static let routes = Route.allCases.filter { $0 == .root || !$0.isShown }

  /// Follows a reference to a component.
  func resolved(_ object: Object) throws -> Object {
    guard let reference = object["$ref"] as? String else { return object }
    var place = document
    for part in reference.split(separator: "/").dropFirst() {
      place = try #require(place[String(part)] as? Object, "\(reference)")
    }
    return place
  }

  /// Every operation: path, method, description.
  func operations() throws -> [(path: String, method: String, operation: Object)] {
    let paths = try #require(document["paths"] as? [String: Object])
    return paths.flatMap { path, methods in
      methods.compactMap { method, operation in
        (operation as? Object).map { (path, method.uppercased(), $0) }
      }
    }
  }

  /// The documented types of contents, by status.
  func contents(_ operation: Object) throws -> [Int: Set<String>] {
    let responses = try #require(operation["responses"] as? [String: Object])
    var contents: [Int: Set<String>] = [:]
    for (status, response) in responses {
      let types = try resolved(response)["content"] as? Object ?? [:]
      contents[try #require(Int(status))] = Set(types.keys)
    }
    return contents
  }

  @Test("It has the routes and methods that there are, no others")
  func routes() throws {
    let documented = Set(try operations().map { "\($0.method) \($0.path)" })
    // HEAD goes with every GET, OPTIONS with everything.
    let actual = Self.routes.flatMap { route in
      route.methods.filter { ["GET", "POST"].contains($0) }.map { "\($0) \(route.rawValue)" }
    }
    #expect(documented == Set(actual))
  }

  @Test("It has every problem by name, and every status that there is")
  func statuses() throws {
    let schemas = try #require((document["components"] as? Object)?["schemas"] as? [String: Object])
    let type = try #require(
      (schemas["Problem"]?["properties"] as? [String: Object])?["type"]?["enum"] as? [String])
    let problems = Self.problems
    #expect(Set(type) == Set(problems.map { "urn:cubist:problem:\($0.name)" }))
    for (path, method, operation) in try operations() {
      let documented = try contents(operation)
      let possible = problems.filter { problem in
        switch problem {
        case .lengthRequired, .unsupportedMediaType: method == "POST"
        case .alreadyUsed: path == "/v1/changes"
        case .notFound: !["/", "/v1/service", "/v1/openapi.json"].contains(path)
        default: true
        }
      }
      for problem in possible {
        #expect(
          documented[problem.status]?.contains("application/problem+json") == true,
          "\(method) \(path): \(problem.name)")
      }
    }
    let post = try #require(try operations().first { $0.path == "/v1/events" }).operation
    let query = try #require(try operations().first { $0.path == "/v1/queries" }).operation
    for status in [200, 202, 401, 403, 404, 409, 422, 429, 503] {
      #expect(try contents(post)[status]?.contains("application/json") == true)
      if status != 202 {
        #expect(try contents(query)[status]?.contains("application/json") == true)
      }
    }
  }

  /// Every problem that is told.
  static let problems: [Problem] =
    [
      .malformedRequest, .notFound, .methodNotAllowed([]), .notAcceptable, .requestTimeout,
      .lengthRequired, .bodyTooLarge(limit: 1), .unsupportedMediaType, .expectationFailed,
      .parameterInvalid("x"), .headersTooLarge, .notImplemented, .versionNotSupported,
      .brokerUnreachable, .brokerRefused, .notReady, .leaving, .alreadyUsed,
      .noAnswer, .misdirected,
    ]
    + [
      Limit.connections, .addressConnections, .addressRequests, .keyRequests, .registrations,
      .streams, .addressStreams, .waits, .addressWaits, .pipelining,
    ].map { .limited($0, retryAfter: 1) }

  @Test("Every problem is a document of RFC 9457")
  func problemDocuments() throws {
    for problem in Self.problems {
      let json = try JSONSerialization.jsonObject(with: Data(problem.body))
      let object = try #require(json as? Object)
      #expect(object["type"] as? String == "urn:cubist:problem:\(problem.name)")
      #expect(object["status"] as? Int == problem.status)
      #expect((object["title"] as? String)?.isEmpty == false)
      let detail = try #require(object["detail"] as? String)
      #expect(!detail.isEmpty)
      // Clients say it themselves, with the seconds.
      #expect(problem.retryAfter == nil || !detail.lowercased().contains("try again"))
      #expect((object["sent"] as? Bool) == (problem == .noAnswer ? nil : false))
    }
  }

  @Test("Every example is carried out, and answered as it says")
  func examples() throws {
    let lab = try Lab(answer: { message in
      switch message.destination {
      case .events:
        return [
          .reply(message.number, ReplyCodec.encode(.accepted(.noted), event: EventID(rawValue: 5)))
        ]
      case .queries:
        let overview = Overview(matches: [], inbox: nil, settings: "s")
        return [.reply(message.number, AnswerCodec.encode(overview, query: EventID(rawValue: 5)))]
      case .gatewayQueries:
        let id = (try? GatewayQuery(message.body))?.id
        return [.reply(message.number, AnswerCodec.encode(RecordAnswer(record: "{}"), query: id))]
      }
    })
    var count = 0
    for (path, method, operation) in try operations() {
      var (path, fields, parameters) = (path, [String](), [String]())
      for parameter in operation["parameters"] as? [Object] ?? [] {
        let parameter = try resolved(parameter)
        let name = try #require(parameter["name"] as? String)
        let example = try #require(parameter["example"])
        switch parameter["in"] as? String {
        case "path": path = path.replacingOccurrences(of: "{\(name)}", with: "\(example)")
        case "query": parameters.append("\(name)=\(example)")
        default: fields.append("\(name): \(example)")
        }
      }
      if !parameters.isEmpty { path += "?" + parameters.joined(separator: "&") }
      var body: [UInt8]?
      if let request = operation["requestBody"] as? Object {
        let content = try #require(request["content"] as? [String: Object])
        let type = try #require(content.keys.first)
        fields.append("Content-Type: \(type)")
        let text = try #require(content[type]?["x-example-base64"] as? String)
        body = Array(try #require(Data(base64Encoded: text)))
      }
      let answer = try lab.connect().ask(method, path, fields, body)
      let types = try #require(try contents(operation)[answer.status], "\(method) \(path)")
      #expect(answer.status == 200, "\(method) \(path)")
      let type = try #require(answer["content-type"])
      #expect(types.contains(type), "\(method) \(path): \(type)")
      count += 1
    }
    #expect(count == Self.routes.count)
  }

  @Test("It is served as it is")
  func served() throws {
    let lab = try Lab()
    let answer = try lab.connect().ask("GET", "/v1/openapi.json")
    #expect(answer.body == OpenAPI.document)
  }
}
