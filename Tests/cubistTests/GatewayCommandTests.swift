import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@testable import cubist

@Suite("Commands over HTTP, and with a wrong clock")
struct GatewayCommandTests {
  @Test("A gateway's address is remembered and used, with a warning where it is not encrypted")
  func connect() {
    let lab = CommandLab(isConnected: false)
    let run = lab.run("connect https://play.example.org/cubist")
    #expect(run.status == 0 && !run.errors.contains("not encrypted"))
    #expect(lab.memory.url == "https://play.example.org/cubist")
    #expect(lab.run("home").status == 0)
    #expect(lab.urls == Array(repeating: "https://play.example.org/cubist", count: 2))
    #expect(lab.run("connect http://127.0.0.1:80").errors.contains("not encrypted") == false)
    let warned = lab.run("connect http://play.example.org")
    #expect(
      warned.status == 0 && warned.errors.contains("http://play.example.org is not encrypted"))
    #expect(lab.run("connect amqp://play.example.org").errors.contains("not encrypted"))
    #expect(!lab.run("connect amqps://play.example.org").errors.contains("not encrypted"))
    #expect(!lab.run("connect amqp://localhost").errors.contains("not encrypted"))
    #expect(!lab.run("connect http://play.example.org --json").errors.contains("not encrypted"))
  }

  @Test(
    "A wrong URL is named, with one of its kind to try",
    arguments: [
      ("http://", "names no host", "connect https://HOST"),
      ("https://ada:secret@host", "a user or a password", "connect https://HOST"),
      ("play.example.org", "begins with https://", "connect https://HOST"),
      ("ftp://host", "begins with https://", "connect https://HOST"),
      ("amqp://host:x", "broker's URL", "connect amqp://USER:PASSWORD@HOST:5672/VHOST"),
    ])
  func mistakes(url: String, reason: String, next: String) throws {
    let failure = try #require(throws: CommandFailure.self) { try ServiceAddress(url: url) }
    #expect(failure.name == "badURL" && failure.status == .usage)
    #expect(failure.message.contains(reason), "\(failure.message)")
    #expect(!failure.message.contains("secret") && failure.message.hasSuffix("."))
    #expect(failure.next == ["cubist \(next)"])
  }

  @Test("A service elsewhere is not replaced by one that is started here")
  func unreachable() {
    let lab = CommandLab(isConnected: false)
    lab.service.onQuery = { _ in .error(.disconnected("https://play.example.org: no host")) }
    let far = lab.run("connect https://play.example.org")
    #expect(far.status == 69 && !far.errors.contains("cubistd up"))
    #expect(lab.run("connect http://127.0.0.1:8080").errors.contains("cubistd up"))
  }

  @Test("A limit of the gateway, and an address without a gateway, are told as they are")
  func told() {
    let lab = CommandLab()
    lab.service.onQuery = { _ in
      .error(.unavailable("https://host: Wait (addressRequests)", retryAfterSeconds: 17))
    }
    let limited = lab.run("home")
    #expect(limited.status == 69)
    #expect(limited.errors.contains("takes nothing more now: https://host: Wait (addressRequests)"))
    #expect(limited.errors.contains("Try again in 17 s."))
    #expect(!limited.errors.contains("cubistd up"))
    #expect(lab.run("home --json").errors.contains(#""retryAfter":17"#))
    lab.service.onQuery = { _ in
      .error(.unroutable("https://host answered 404 with text/html, as no gateway of Cubist does"))
    }
    let wrong = lab.run("home")
    #expect(wrong.errors.contains("as no gateway of Cubist does.\nTry: cubist connect URL"))
  }

  @Test("The log names the gateway")
  func log() {
    let lab = CommandLab()
    lab.memory.url = "https://play.example.org"
    #expect(
      lab.run("home -v").errors.contains("the service's gateway is https://play.example.org"))
  }

  @Test(
    "Wrong by three hours, commands go by the service's time",
    arguments: [-10_800, 10_800] as [Int64])
  func clock(offset: Int64) throws {
    let lab = CommandLab(isConnected: false)
    let serviceTime = Made.now.adding(seconds: offset)
    lab.service.info.now = serviceTime
    #expect(lab.run("connect https://play.example.org").status == 0)
    #expect(lab.memory.profile.clockOffset == offset * 1_000_000)
    lab.memory.profile.player = Made.ada
    lab.service.onEvent = { event in
      .reply(
        .accepted(
          .matchStarted(
            MatchTicket(
              match: MatchID(askedBy: event.player, event: event.id), version: 1, seat: 0,
              letters: String(repeating: "A", count: 81), previous: .zero, code: nil))))
    }
    let run = lab.run("start")
    #expect(run.status == 0, "\(run.errors)")
    let event = try #require(lab.service.events.last)
    #expect(event.id.time.microseconds(since: serviceTime) == 0)
  }
}
