import MatchCore
import MatchWire
import PlayerClient
import Testing

@testable import cubist

@Suite("Times in refusals")
struct TimeTextTests {
  private static let match = Made.match(0x1234)

  @Test("A nudge too early says how long to wait, and until when")
  func nudgeTooEarly() throws {
    let lab = CommandLab()
    lab.service.views[Self.match] = try Made.view(Self.match, seatToPlay: 1)
    lab.service.home = Made.home([Made.summary(Self.match, yourTurn: false)])
    let from = Made.now.adding(seconds: 12_000)
    lab.service.onEvent = { _ in .reply(.refused(.nudgeTooEarly(from: from))) }
    let run = lab.run("nudge 1234")
    #expect(run.status == 1)
    #expect(
      run.errors.contains(
        "You can remind the other player in 3 h 20 min (at 05:07 UTC).\n"), "\(run.errors)")
  }

  @Test(
    "No refusal tells a time in milliseconds",
    arguments: [
      (.nudgeTooEarly(from: Made.now), "at 2026-05-01 01:47 UTC."),
      (
        .rematchDeclined(retryAt: Made.now.adding(seconds: 86_400)),
        "in 1 day (at 2026-05-02 01:47 UTC)."
      ),
      (
        .recoveryPending(until: Made.now.adding(seconds: 900)),
        "takes effect in 15 min (at 02:02 UTC)."
      ),
      (.eventTooOld(serviceTime: Made.now), "time is 2026-05-01 01:46:40 UTC."),
      (.clockAhead(serviceTime: Made.now), "time is 2026-05-01 01:46:40 UTC."),
    ] as [(Refusal, String)])
  func times(refusal: Refusal, time: String) {
    let error = ClientError.refused(
      name: refusal.name, message: refusal.message, refusal: refusal)
    let text = ErrorText.text(error, TypedArguments(), now: Made.now)
    #expect(text.contains(time) && !text.contains(".000Z"), "\(text)")
  }

  @Test("A wrong clock is told the service's time to the second")
  func wrongClock() {
    for error in [
      ClientError.clockSkewed(aheadSeconds: 600, serviceTime: Made.now),
      .queryRefused(name: "expired", message: "", refusal: .expired(serviceTime: Made.now)),
    ] {
      let text = ErrorText.text(error, TypedArguments(), now: Made.now)
      #expect(text.contains("time is 2026-05-01 01:46:40 UTC. Set your clock"), "\(text)")
    }
  }
}
