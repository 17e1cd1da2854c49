/// The metrics of the service: a closed list. `deploy/make-pages` writes the tables of docs/metrics.md from
/// it; a comment above cases names their table.
package enum Metric: String, Hashable, Sendable, CaseIterable {
  // The process.
  case buildInfo = "cubist_build_info"
  case processStart = "process_start_time_seconds"
  case processCPU = "process_cpu_seconds_total"
  case processMemory = "process_resident_memory_bytes"
  case processOpenDescriptors = "process_open_fds"
  case processMostDescriptors = "process_max_fds"
  case roleUp = "cubist_role_up"
  case interruptions = "cubist_interruptions_total"

  // Workers.
  case events = "cubist_events_total"
  case workerBatches = "cubist_worker_batches_total"
  case workerBatchEvents = "cubist_worker_batch_events"
  case workerBatchSeconds = "cubist_worker_batch_seconds"
  case workerCommitSeconds = "cubist_worker_commit_seconds"
  case workerQueueSeconds = "cubist_worker_queue_seconds"
  case workerAnswerSeconds = "cubist_worker_answer_seconds"
  case workerConfirmSeconds = "cubist_worker_confirm_seconds"
  case workerStoreWaits = "cubist_worker_store_waits_total"
  case workerConflicts = "cubist_worker_conflicts_total"
  case workerBuried = "cubist_worker_buried_total"
  case cacheHits = "cubist_cache_hits_total"
  case cacheMisses = "cubist_cache_misses_total"
  case deadlineLag = "cubist_deadline_lag_seconds"

  // Buses.
  case busPublished = "cubist_bus_published_total"
  case busDropped = "cubist_bus_dropped_total"
  case busConfirmed = "cubist_bus_confirmed_total"
  case busUnconfirmed = "cubist_bus_unconfirmed_total"

  // The database.
  case statementSeconds = "cubist_store_statement_seconds"
  case slowStatements = "cubist_store_slow_statements_total"

  // Other roles.
  case push = "cubist_push_total"
  case pushAnswers = "cubist_push_answers_total"
  case pushAttemptSeconds = "cubist_push_attempt_seconds"
  case pushLag = "cubist_push_lag_seconds"
  case pushSilence = "cubist_push_silence_seconds"
  case relayJobs = "cubist_relay_jobs_total"
  case relayUnconfirmed = "cubist_relay_unconfirmed_total"
  case schedulerTicks = "cubist_scheduler_ticks_total"
  case schedulerDeadlines = "cubist_scheduler_deadlines_total"
  case schedulerMergers = "cubist_scheduler_mergers_total"
  case schedulerRefused = "cubist_scheduler_refused_total"
  case schedulerFailures = "cubist_scheduler_failures_total"
  case schedulerClockJumps = "cubist_scheduler_clock_jumps_total"
  case raterMatches = "cubist_rater_matches_total"
  case queries = "cubist_queries_total"
  case readerWaiting = "cubist_reader_waiting"

  // Gateways.
  case gatewayRequests = "cubist_gateway_requests_total"
  case gatewayRequestSeconds = "cubist_gateway_request_seconds"
  case gatewayReplySeconds = "cubist_gateway_reply_seconds"
  case gatewayRefused = "cubist_gateway_refused_total"
  case gatewayProblems = "cubist_gateway_problems_total"
  case gatewayLimited = "cubist_gateway_limited_total"
  case gatewayHoles = "cubist_gateway_holes_total"
  case gatewayConnections = "cubist_gateway_connections"
  case gatewayStreams = "cubist_gateway_streams"
  case gatewayWaits = "cubist_gateway_waits"

  // The whole service.
  case sampleTimestamp = "cubist_sample_timestamp_seconds"
  case clockLag = "cubist_clock_lag_seconds"
  case clockAdded = "cubist_clock_added_seconds"
  case queueMessages = "cubist_queue_messages"
  case queueConsumers = "cubist_queue_consumers"
  case queueLimit = "cubist_queue_limit_messages"
  case queueMissing = "cubist_queue_missing"
  case topologyFaults = "cubist_topology_faults"
  case outboxJobs = "cubist_outbox_jobs"
  case outboxAge = "cubist_outbox_age_seconds"
  case heldJobs = "cubist_held_jobs"
  case ratingWait = "cubist_rating_wait_seconds"
  case ranksWaiting = "cubist_ranks_waiting"
  case deadLetters = "cubist_dead_letters"
  case problems = "cubist_problems"
  case keyEnd = "cubist_key_end_timestamp_seconds"
  case rolesAbsent = "cubist_roles_absent"
  case databaseConnections = "cubist_database_connections"
  case databaseMostConnections = "cubist_database_max_connections"
  case databaseSize = "cubist_database_size_bytes"
  case standbyLag = "cubist_standby_lag_bytes"
}

extension Metric {
  /// How values of a metric add up.
  package enum Kind: Hashable, Sendable {
    case counter
    case gauge
    /// The upper bounds of its buckets, from the lowest; one without a bound comes last by itself.
    case histogram([Double])

    package var name: String {
      switch self {
      case .counter: "counter"
      case .gauge: "gauge"
      case .histogram: "histogram"
      }
    }
  }

  package var kind: Kind {
    if let buckets = declaration.buckets { return .histogram(buckets) }
    return rawValue.hasSuffix("_total") ? .counter : .gauge
  }
  /// The names of its labels. No player can add values to one.
  package var labels: [String] { declaration.labels }
  /// One sentence for the `HELP` line.
  package var help: String { declaration.help }

  private struct Declaration {
    var help: String
    var labels: [String]
    /// Nil: it is no histogram.
    var buckets: [Double]?

    init(_ help: String, by labels: String..., in buckets: [Double]? = nil) {
      (self.help, self.labels, self.buckets) = (help, labels, buckets)
    }
  }

  private var declaration: Declaration {
    switch self {
    case .buildInfo:
      .init("The release and the commit of this build; always 1.", by: "release", "commit")
    case .processStart: .init("When the process started, in seconds since 1970.")
    case .processCPU: .init("Time on processors that the process has used.")
    case .processMemory: .init("Memory of the process in RAM.")
    case .processOpenDescriptors: .init("File descriptors that the process has open.")
    case .processMostDescriptors: .init("File descriptors that the process may have open.")
    case .roleUp:
      .init(
        "Whether a role works (1), or begins, is interrupted, hangs or has stopped (0).", by: "role"
      )
    case .interruptions: .init("Restarts of roles after an interruption.", by: "role", "side")
    case .events: .init("Events that workers answered.", by: "result", "refusal")
    case .workerBatches: .init("Batches that workers judged and committed.")
    case .workerBatchEvents:
      .init("Events in a batch.", in: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
    case .workerBatchSeconds:
      .init("Time from the begin of a batch until its replies were published.", in: .responses)
    case .workerCommitSeconds: .init("Round trip of a batch's commit.", in: .responses)
    case .workerQueueSeconds:
      .init(
        "Time from the sending of a tick through a queue until its batch was answered.",
        in: .responses)
    case .workerAnswerSeconds:
      .init("Time from the delivery of an event until its reply was published.", in: .responses)
    case .workerConfirmSeconds:
      .init("Time from the publishing of push jobs to the broker's confirm.", in: .responses)
    case .workerStoreWaits: .init("Waits of a worker for a failed store, with everything in hand.")
    case .workerConflicts: .init("Batches judged again after another process changed something.")
    case .workerBuried: .init("Events that workers gave up.")
    case .cacheHits: .init("Matches that a worker found in its memory.")
    case .cacheMisses: .init("Matches that a worker did not find in its memory.")
    case .deadlineLag:
      .init(
        "Time from the due time of a deadline, credits included, until the match was ended.",
        in: .lags)
    case .busPublished: .init("Messages sent.", by: "kind")
    case .busDropped: .init("Messages dropped before sending.", by: "kind", "reason")
    case .busConfirmed: .init("Messages that the broker confirmed.")
    case .busUnconfirmed: .init("Messages that the broker did not confirm.", by: "reason")
    // There are hundreds of statements: few buckets.
    case .statementSeconds:
      .init(
        "Round trips to PostgreSQL, by the first or the slow statement.", by: "statement",
        in: [0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10])
    case .slowStatements: .init("Statements that took longer than a second.", by: "statement")
    case .push: .init("Push jobs by their results.", by: "result")
    case .pushAnswers: .init("Answers of push services.", by: "provider", "answer")
    case .pushAttemptSeconds:
      .init(
        "Time from a request to a push service until its answer.", by: "provider", in: .responses)
    case .pushLag:
      .init("Time from the publishing of a push job until a push service took it.", in: .lags)
    case .pushSilence:
      .init("Time for which a provider's push services have taken nothing.", by: "provider")
    case .relayJobs: .init("Push jobs relayed.")
    case .relayUnconfirmed: .init("Relayed push jobs that were not confirmed.")
    case .schedulerTicks: .init("Ticks sent.")
    case .schedulerDeadlines: .init("Deadlines sent.")
    case .schedulerMergers: .init("Mergers of waiting matches sent.")
    case .schedulerRefused: .init("Times that the broker took no events of a scheduler or steward.")
    case .schedulerFailures: .init("Pieces of a scheduler's or steward's work that failed.")
    case .schedulerClockJumps: .init("Jumps of the database's clock that a scheduler noticed.")
    case .raterMatches: .init("Matches rated.")
    case .queries: .init("Queries answered.", by: "query", "result")
    case .readerWaiting: .init("Queries that wait for a change now.")
    case .gatewayRequests:
      .init(
        "Requests that a gateway answered; the status 499 if the client had left.",
        by: "route", "status")
    case .gatewayRequestSeconds:
      .init(
        "Time of a request to a gateway until the head of its answer.", by: "route", in: .responses)
    case .gatewayReplySeconds:
      .init(
        "Time from the publishing of an event by a gateway to its reply.", in: .responses
      )
    case .gatewayRefused:
      .init("Envelopes that a gateway refused before the broker saw them.", by: "refusal")
    case .gatewayProblems: .init("Problems that a gateway told.", by: "problem")
    case .gatewayLimited: .init("Uses that a limit of a gateway held off.", by: "limit")
    case .gatewayHoles: .init("Holes in the numbers of notices.")
    case .gatewayConnections: .init("Connections of clients that are open now.")
    case .gatewayStreams: .init("Streams of changes that are open now.")
    case .gatewayWaits: .init("Messages whose replies a gateway waits for now.")
    case .sampleTimestamp: .init("When the service was last sampled, in seconds since 1970.")
    case .clockLag:
      .init("How far the clock of a queue of events is behind the service's time.", by: "queue")
    case .clockAdded:
      .init("What is added to the database's clock; below 0 if it is ahead of the service's time.")
    case .queueMessages: .init("Messages that wait in a queue of the broker.", by: "queue")
    case .queueConsumers:
      .init("Consumers of a queue of the broker, without those on standby.", by: "queue")
    case .queueLimit:
      .init("Most messages in a queue, by the settings of the process that samples.", by: "queue")
    case .queueMissing:
      .init(
        "Whether a queue of the service is missing on the broker (1) or there (0).", by: "queue")
    case .topologyFaults:
      .init("What differs in the broker's exchanges, bindings and rights, as far as it is seen.")
    case .outboxJobs: .init("Push jobs that the broker has not confirmed.")
    case .outboxAge: .init("How long the oldest job of the outbox has waited; 0 if there is none.")
    case .heldJobs: .init("Push jobs that wait for their hour.")
    case .ratingWait: .init("How long the oldest unrated match has waited; 0 if there is none.")
    case .ranksWaiting: .init("Players who wait to be ranked anew.")
    case .deadLetters: .init("Dead letters in the database.", by: "kind")
    case .problems:
      .init("Matches, players and parts of the service that cannot be handled.", by: "part")
    case .keyEnd: .init("When the working key's certificate ends, in seconds since 1970.")
    case .rolesAbsent:
      .init("Whether no role of a kind gives a sign of life (1) or some does (0).", by: "role")
    case .databaseConnections:
      .init("Sessions of clients that the PostgreSQL server has, of all users.")
    case .databaseMostConnections: .init("Sessions that the PostgreSQL server allows.")
    case .databaseSize: .init("Size of the database on disk.")
    case .standbyLag: .init("Bytes of the log that the standby furthest behind has not replayed.")
    }
  }
}

extension [Double] {
  fileprivate static let responses = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
  ]
  fileprivate static let lags = [
    0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 300, 1_800, 7_200, 21_600,
  ]
}
