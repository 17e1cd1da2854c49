package import MatchInterfaces

/// A push worker's knobs.
package struct PushWorkerSettings: Hashable, Sendable {
  /// How many jobs the store is asked about at once.
  package var batchLimit = 128
  /// Jobs in hand at most, those on their way included; among them players take turns.
  package var lineLimit = 2_048
  /// Requests on their way at most.
  package var flightLimit = 256
  /// Requests on their way to one origin at most.
  package var originLimit = 32
  /// Requests in a minute to one origin that is neither the operator's nor that of a browser's maker,
  /// and connections in a minute to one address of such an origin. Nil: any number.
  package var strangePerMinute: Int?
  /// How long to wait for answers before the next look for new jobs.
  package var answerWait: Duration = .milliseconds(20)
  /// If everything in hand waits for full origins, so often some of it makes room for other jobs.
  package var crowdNanoseconds: UInt64 = 1_000_000_000
  /// How long to wait for jobs when there are none.
  package var idleWait: Duration = .milliseconds(200)
  /// A step hands over no more jobs after this time. The jobs that are left wait for the next step.
  package var stepNanoseconds: UInt64 = 500_000_000
  /// How often the broker is served while jobs are handed over.
  package var heartbeatNanoseconds: UInt64 = 100_000_000
  /// From this delivery on a job is handed over alone, and that is noted before.
  package var trialFromDelivery = 10
  /// How many workers may end while they hand such a job over before it is given up.
  package var trialLimit = 3
  /// How often the store may give up on a job alone, while it takes others, before the job is given
  /// up.
  package var strikeLimit = 8
  /// Whether turns of a player that are sent in the same step come as one notification.
  package var isBundling = true
  /// The longest pause for a store that fails.
  package var longestStoreWait: Duration = .seconds(5)
  /// How long a provider may take nothing before the worker reports it as trouble.
  package var patience: Duration = .seconds(60)
  /// How long a job waits before each retry. After the last one it is given up. All of them last
  /// longer than a day, also if each is shorter by a fifth.
  package var delays =
    PushBus.RetryDelay.allCases + Array(repeating: PushBus.RetryDelay.fiveHours, count: 5)
  /// The first of these are all that there is for clients' own servers.
  package var clientDelayLimit = PushBus.RetryDelay.allCases.count

  package init() {}
}
