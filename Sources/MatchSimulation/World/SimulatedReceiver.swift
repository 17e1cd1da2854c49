import MatchCore
import MatchInterfaces

/// The push service behind the providers. It takes notifications, or refuses them for now. When
/// faults strike it answers late or twice, it lies, or its answer is lost.
final class SimulatedReceiver {
  /// An answer on its way to a push worker.
  private struct Answer {
    var number: UInt64
    var result: Result<PushResponse, PushFailure>
    var arrivesAt: Instant
  }

  /// The connections of one life of a push worker. Answers are lost with them.
  private final class Line {
    var answers: [Answer] = []
  }

  /// The treatment of one request.
  private struct Treatment {
    var result = Result<PushResponse, PushFailure>.success(PushResponse(status: 201))
    var isTaken = true
    var told = PushCheck.Told.taken
  }

  /// The jobs that were taken, or were said to be.
  private(set) var handed: Set<PushJobID> = []
  private(set) var refusals = 0
  var check: PushCheck
  /// Called when a fault strikes.
  var onStrike: (StaticString) -> Void = { _ in }
  private let provider: SimulatedProvider
  private let store: SimulatedStore
  /// The end of the time in which a job is of use.
  private let expiry: (PushJob) -> Instant?
  /// When the player was last told, with a sound, of a match that a job would wait after.
  private let lastSentAt: (PushJob) -> Instant?
  private let faults: FaultPlan
  /// Decides which requests are refused.
  private let random: SeededRandom
  /// Decides everything else.
  private let chance: SeededRandom
  private var refusal: Double
  private var line = Line()

  /// - Parameters:
  ///   - expiry: The end of the time in which a job is of use.
  ///   - lastSentAt: When the player was last told, with a sound, of a match that a job would wait
  ///     after.
  ///   - isRepeated: Whether several messages of the relay had a job.
  ///   - refusal: The probability of a refusal.
  init(
    of provider: SimulatedProvider, store: SimulatedStore, zones: TimeZones,
    expiry: @escaping (PushJob) -> Instant?, lastSentAt: @escaping (PushJob) -> Instant?,
    isRepeated: @escaping (PushJobID) -> Bool,
    faults: FaultPlan, refusal: Double, random: SeededRandom, chance: SeededRandom
  ) {
    (self.provider, self.store, self.faults, self.expiry) = (provider, store, faults, expiry)
    (self.refusal, self.random, self.chance) = (refusal, random, chance)
    self.lastSentAt = lastSentAt
    check = PushCheck(zones: zones, isRepeated: isRepeated)
  }

  /// Refuses no more.
  func calm() { refusal = 0 }

  /// When the next answer arrives that is on its way. Nil: none is.
  var nextArrival: Instant? { line.answers.map(\.arrivesAt).min() }

  /// The connections of a new life of the push worker. The former one has ended.
  /// - Parameter jobs: The jobs that are in a queue by now, and how many messages have each.
  func exchange(whileQueued jobs: [PushJobID: Int]) -> PushExchange {
    check.beginLife(whileQueued: jobs)
    let line = Line()
    self.line = line
    return PushExchange(
      send: { [unowned self] number, request in receive(request, number, line) },
      answers: { [unowned self] _ in
        let now = store.clock.now
        let arrived = line.answers.filter { $0.arrivesAt <= now }
        line.answers.removeAll { $0.arrivesAt <= now }
        return arrived.map { (number: $0.number, answer: $0.result) }
      })
  }

  private func receive(_ request: PushRequest, _ number: UInt64, _ line: Line) {
    guard let made = provider.contents(of: request) else { return }
    check.note(made.notification)
    let treatment = treatment(of: made.notification)
    if treatment.isTaken {
      check.take(made, told: treatment.told, store, lastSentAt: lastSentAt, expiry)
    }
    if treatment.isTaken || treatment.told == .taken {
      handed.formUnion(made.notification.jobs.map(\.id))
    }
    var answer = Answer(number: number, result: treatment.result, arrivesAt: store.clock.now)
    if faults.strikes(.pushSlow) {
      onStrike("is slow")
      answer.arrivesAt = answer.arrivesAt.adding(
        microseconds: Int64(chance.number(in: 100_000...8_000_000)))
    }
    line.answers.append(answer)
    if faults.strikes(.pushAnsweredTwice) {
      onStrike("answers twice")
      line.answers.append(answer)
    }
  }

  private func treatment(of notification: PushNotification) -> Treatment {
    let isRefused = random.happens(refusal)
    let (isLost, isLie) = (faults.strikes(.pushAnswerLost), faults.strikes(.pushLies))
    if isRefused {
      refusals += 1
      return Treatment(
        result: .success(PushResponse(status: 503)), isTaken: false, told: .otherwise)
    }
    if isLost {
      onStrike("loses its answer")
      return Treatment(
        result: .failure(PushFailure(reason: "the connection ended without an answer")),
        told: .nothing)
    }
    return isLie ? lie() : Treatment()
  }

  private func lie() -> Treatment {
    onStrike("lies")
    switch chance.below(4) {
    case 0:
      // It was lost there.
      return Treatment(isTaken: false)
    case 1:
      // The device lives.
      return Treatment(
        result: .success(PushResponse(status: 410)), isTaken: false, told: .otherwise)
    case 2:
      let pauses: [Duration] = [.seconds(-60), .zero, .seconds(1_000_000_000_000)]
      let response = PushResponse(status: 429, retryAfter: chance.pick(pauses))
      return Treatment(result: .success(response), isTaken: false, told: .otherwise)
    default:
      // The device has it.
      return Treatment(result: .success(PushResponse(status: 503)), told: .otherwise)
    }
  }
}
