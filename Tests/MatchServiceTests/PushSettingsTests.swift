import CustomDump
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("Settings of notifications")
struct PushSettingsTests {
  private static let environment = [
    "CUBIST_DATABASE": "host=db", "CUBIST_BROKER": "amqp://b", "CUBIST_SERVICE_KEYS": "/k",
  ]
  private static let apns = [
    "CUBIST_PUSH_APNS_KEY": "/p8", "CUBIST_PUSH_APNS_KEY_ID": "ABC123DEFG",
    "CUBIST_PUSH_APNS_TEAM": "DEF123GHIJ", "CUBIST_PUSH_APNS_TOPIC": "example.play.cubist",
  ]
  private static let webPush = [
    "CUBIST_PUSH_VAPID_KEY": "/vapid", "CUBIST_PUSH_CONTACT": "mailto:push@play.example",
  ]

  private func read(
    _ push: String?, _ more: [String: String] = [:]
  ) -> Result<ServiceSettings, SettingsProblems> {
    var environment = Self.environment.merging(more) { $1 }
    environment["CUBIST_PUSH"] = push
    return ServiceSettings.read(environment: environment)
  }

  private func problems(_ push: String?, _ more: [String: String] = [:]) -> [String] {
    guard case .failure(let found) = read(push, more) else { return [] }
    return found.problems.map { "\($0.name) \($0.what)" }
  }

  @Test("Several ways at once, in any order; the log alone if nothing is said")
  func ways() throws {
    #expect(try read(nil).get().push == PushWays([LogSettings()]))
    let all = try read("webPush, apns,log", Self.apns.merging(Self.webPush) { $1 }).get()
    #expect(all.push.names == "webPush,apns,log")
    #expect(all.push[Webhook.self] == nil)
    #expect(
      all.push[WebPushSettings.self]
        == WebPushSettings(keyPath: "/vapid", contact: "mailto:push@play.example"))
    expectNoDifference(
      all.push[APNsSettings.self],
      APNsSettings(
        keyPath: "/p8", keyID: "ABC123DEFG", team: "DEF123GHIJ", topic: "example.play.cubist"))
    #expect(all.push[APNsSettings.self]?.url == "https://api.push.apple.com")
    #expect(
      all.description.contains(
        "push=webPush,example.play.cubist@https://api.push.apple.com,- "))
  }

  @Test(
    "A list that says a way twice, or both log and webhook, or nothing, is refused",
    arguments: [
      "log,log", "webPush,webPush", "log,webhook", "webhook,apns,log", ",", "log,", "mail",
      "WebPush", "log;apns",
    ])
  func wrongLists(text: String) {
    #expect(PushWays.types(text) == nil)
    #expect(problems(text).first?.hasPrefix("CUBIST_PUSH is \"\(text)\", not a list of ") == true)
  }

  @Test("Each way says what it lacks, and a way that is not named lacks nothing")
  func lacking() {
    #expect(problems("log", ["CUBIST_PUSH_APNS_KEY_ID": "?"]) == [])
    expectNoDifference(
      problems("webPush"),
      ["CUBIST_PUSH_CONTACT is not set", "CUBIST_PUSH_VAPID_KEY is not set"])
    expectNoDifference(
      problems("apns"),
      [
        "CUBIST_PUSH_APNS_KEY is not set", "CUBIST_PUSH_APNS_KEY_ID is not set",
        "CUBIST_PUSH_APNS_TEAM is not set", "CUBIST_PUSH_APNS_TOPIC is not set",
      ])
  }

  @Test("Wrong values are named")
  func wrongValues() {
    var apns = Self.apns
    apns["CUBIST_PUSH_APNS_KEY_ID"] = "abc"
    apns["CUBIST_PUSH_APNS_TEAM"] = "DEF123GHIJK"
    apns["CUBIST_PUSH_APNS_TOPIC"] = "a b"
    apns["CUBIST_PUSH_APNS_URL"] = "http://api.push.apple.com"
    apns["CUBIST_PUSH_ALLOW"] = "10.0.0.0/8,example.org"
    expectNoDifference(
      problems("apns", apns),
      [
        "CUBIST_PUSH_ALLOW is \"10.0.0.0/8,example.org\", not a list of addresses and ranges",
        "CUBIST_PUSH_APNS_KEY_ID is not ten capital letters and digits",
        "CUBIST_PUSH_APNS_TEAM is not ten capital letters and digits",
        "CUBIST_PUSH_APNS_TOPIC is no bundle ID",
        "CUBIST_PUSH_APNS_URL is not https://, a host, perhaps a port",
      ])
    for contact in [
      "push@play.example", "mailto:", "mailto:a", "mailto:@b", "mailto:a@", "mailto:a@b@c",
      "https://", "http://play.example", "mailto:a b@c", "mailto:a\"@c", "https://ü.example",
      "mailto:" + String(repeating: "a", count: 300) + "@b",
    ] {
      var webPush = Self.webPush
      webPush["CUBIST_PUSH_CONTACT"] = contact
      #expect(
        problems("webPush", webPush)
          == ["CUBIST_PUSH_CONTACT is no mailto: with an address, and no https: URL"],
        "\(contact)")
    }
    #expect(WebPushSettings.isContact("https://play.example/push"))
  }

  @Test("An address of a test's own server, and networks of the operator's")
  func values() throws {
    var apns = Self.apns
    apns["CUBIST_PUSH_APNS_URL"] = "https://localhost:2197/"
    apns["CUBIST_PUSH_APNS_CA"] = "/ca"
    apns["CUBIST_PUSH_ALLOW"] = "127.0.0.0/8, ::1"
    let settings = try read("apns", apns).get()
    let read = try #require(settings.push[APNsSettings.self])
    #expect(read.url == "https://localhost:2197" && read.certificateAuthority == "/ca")
    let address = try #require(InternetAddress("127.3.2.1"))
    let other = try #require(InternetAddress("10.0.0.1"))
    #expect(settings.pushAllow.contains { $0.contains(address) })
    #expect(!settings.pushAllow.contains { $0.contains(other) })
    for url in [
      "https://", "https://a/b", "https://u@a", "https://a?b", "https://a#b", "ftp://a",
      "https://a b",
    ] { #expect(!APNsSettings.isURL(url), "\(url)") }
  }
}
