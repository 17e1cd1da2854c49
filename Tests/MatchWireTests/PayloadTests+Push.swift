// swift-format-ignore-file: NeverForceUnwrap

import MatchCore
import Testing

@testable import MatchCore
@testable import MatchWire

extension PayloadTests {
  @Test(
    "A device's registration with a field of another service, or without one of its own, is refused",
    arguments: [
      (#""route":"webPush","token":"x""#, "token is no field of a device of webPush"),
      (#""endpoint":"https://a/""#, "endpoint is no field of a device of app"),
      (#""route":"app","key":"x""#, "key is no field of a device of app"),
      (#""route":"apns","secret":"x""#, "secret is no field of a device of apns"),
      (#""route":"apns""#, "token is missing"), (#""route":"webPush""#, "endpoint is missing"),
      (#""route":"fcm""#, "route is not app, webPush or apns"),
      (
        #""route":"apns","token":"abc""#,
        "token is not 64 to 200 hexadecimal digits in lower case"
      ),
      (
        #""route":"webPush","endpoint":"http://a/""#,
        "endpoint is not an https URL of visible ASCII characters without user and fragment"
      ),
      (
        #""route":"webPush","endpoint":"https://a/","key":"BA""#,
        "key is not 65 bytes of an uncompressed point in base64url without padding"
      ),
    ])
  func services(fields: String, fault: String) {
    let payload =
      PayloadTests.head
      + #""deviceRegistered"\#(PayloadTests.from),"device":"d",\#(fields),"permission":"denied"}"#
    #expect(throws: Refusal.malformed(fault)) { try PayloadCodec.decodeEvent(Array(payload.utf8)) }
  }

  @Test("The longest change of settings and the longest registration fit into their payloads")
  func longest() throws {
    let hours = QuietHours(
      from: MinuteOfDay("22:00")!, until: MinuteOfDay("07:30")!, late: .dropped)
    let change = SettingsChange(
      displayName: .set(DisplayName(String(repeating: "😀", count: 16))!),
      kinds: Dictionary(uniqueKeysWithValues: PushJob.Kind.optional.map { ($0, false) }),
      reminders: false, isBot: true, isLeaving: false,
      push: PushChange(
        timeZone: .set(TimeZoneName(String(repeating: "z", count: 64))!), language: .german,
        quietHours: hours.map { .set($0) }, isBundled: false, takesNudges: false,
        digest: .set(MinuteOfDay("08:00")!), review: .set(.wednesday)))
    let endpoint = "https://a/" + String(repeating: "x", count: 1_014)
    let device = Device(
      name: DeviceName(String(repeating: "d", count: 32))!,
      route: .webPush(
        WebPushSubscription(
          endpoint: endpoint, key: [4] + Array(repeating: 0, count: 64),
          secret: Array(repeating: 0, count: 16))!), permission: .notDetermined)
    for action in [Event.Action.settingsChanged(change), .deviceRegistered(device)] {
      let event = PayloadTests.event(action)
      let payload = PayloadCodec.encode(event)
      #expect(payload.count <= event.payloadLimit)
      #expect(try PayloadCodec.decodeEvent(payload) == event)
    }
  }

  @Test("Push jobs and notices come back as they were sent")
  func jobs() throws {
    let event = PayloadTests.event(.matchForfeited(PayloadTests.match))
    var waited = PushJob(
      .yourTurn, to: PayloadTests.player, match: PayloadTests.match, turn: 3, causedBy: event)
    waited.hasWaitedForOthers = true
    let jobs = [
      waited,
      PushJob(
        .yourTurn, to: PayloadTests.player, match: PayloadTests.match, turn: 3, causedBy: event),
      PushJob(.matchEnded, to: PayloadTests.player, match: PayloadTests.match, causedBy: event),
      PushJob(dailyReady: PayloadTests.daily, to: PayloadTests.player),
    ]
    for job in jobs { #expect(try PushJobCodec.decode(PushJobCodec.encode(job)) == job) }
    #expect(throws: Refusal.self) { try PushJobCodec.decode([]) }
    let notice = OutcomeNotice(
      .init(source: NoticeSource(rawValue: 7), number: 3),
      changes: [
        .init(match: PayloadTests.match, version: 5, players: [PlayerID(rawValue: 1)])
      ],
      players: [PlayerID(rawValue: 2)])
    #expect(OutcomeNotice(notice.encoded) == notice)
    #expect(OutcomeNotice([1, 2, 3]) == nil)
  }
}
