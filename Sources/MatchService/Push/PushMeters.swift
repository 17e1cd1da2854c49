import MatchCore
import MatchInterfaces
import Metrics
import ServiceMetrics

/// A push worker's counters and measures; labels are from closed sets only. Each is made once.
struct PushMeters {
  private struct Answered: Hashable {
    var provider: String
    var verdict: PushStore.Answer.Verdict
  }

  private let results = MeterFamily<String, Counter> { Counter(.push, [("result", $0)]) }
  private let answers = MeterFamily<Answered, Counter> {
    Counter(.pushAnswers, [("provider", $0.provider), ("answer", $0.verdict.rawValue)])
  }
  private let attempts = MeterFamily<String, Timer> {
    Timer(.pushAttemptSeconds, [("provider", $0)])
  }
  private let silences = MeterFamily<String, Gauge> {
    Gauge(.pushSilence, [("provider", $0)])
  }
  private let lag = Timer(.pushLag)

  func count(_ result: String) { results[result].increment() }

  func answered(_ answer: PushStore.Answer) {
    answers[Answered(provider: answer.provider, verdict: answer.verdict)].increment()
  }

  /// A provider's request was answered after so long, or given up.
  func attempted(_ provider: String, nanoseconds: UInt64) {
    attempts[provider].recordNanoseconds(Int64(clamping: nanoseconds))
  }

  /// A provider's push services have taken nothing for so long. Zero: they do, or it is no trouble
  /// of the service.
  func silent(_ provider: String, nanoseconds: UInt64) {
    silences[provider].record(Double(nanoseconds) / 1e9)
  }

  /// A job was handed over. A copy for further devices counts no more.
  func handedOver(_ delivery: PushBus.Delivery, at now: Instant) {
    guard delivery.reached.isEmpty, let publishedAt = delivery.publishedAt else { return }
    let wait = now.microseconds(since: publishedAt)
    if wait >= 0 { lag.recordMicroseconds(wait) }
  }
}
