/// The metrics of the service: a closed list. docs/metrics.md describes each.
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

  // The whole service, as its leading steward samples it.
  case sampleTimestamp = "cubist_sample_timestamp_seconds"
  case clockLag = "cubist_clock_lag_seconds"
  case queueMessages = "cubist_queue_messages"
  case queueConsumers = "cubist_queue_consumers"
  case queueLimit = "cubist_queue_limit_messages"
  case outboxJobs = "cubist_outbox_jobs"
  case outboxAge = "cubist_outbox_age_seconds"
  case heldJobs = "cubist_held_jobs"
  case ratingWait = "cubist_rating_wait_seconds"
  case ranksWaiting = "cubist_ranks_waiting"
  case deadLetters = "cubist_dead_letters"
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
    switch self {
    case .workerBatchEvents: .histogram([1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
    case .workerBatchSeconds, .workerCommitSeconds, .workerAnswerSeconds, .workerConfirmSeconds,
      .workerQueueSeconds, .gatewayRequestSeconds, .gatewayReplySeconds, .pushAttemptSeconds:
      .histogram([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30])
    // There are hundreds of statements.
    case .statementSeconds: .histogram([0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10])
    case .pushLag, .deadlineLag:
      .histogram([0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 300, 1_800, 7_200, 21_600])
    case .processCPU: .counter
    default: rawValue.hasSuffix("_total") ? .counter : .gauge
    }
  }

  /// The names of its labels. No player can add values to one.
  package var labels: [String] {
    switch self {
    case .buildInfo: ["release", "commit"]
    case .roleUp, .rolesAbsent: ["role"]
    case .interruptions: ["role", "side"]
    case .events: ["result", "refusal"]
    case .busPublished: ["kind"]
    case .busDropped: ["kind", "reason"]
    case .busUnconfirmed: ["reason"]
    case .statementSeconds, .slowStatements: ["statement"]
    case .push: ["result"]
    case .pushAnswers: ["provider", "answer"]
    case .pushAttemptSeconds, .pushSilence: ["provider"]
    case .queries: ["query", "result"]
    case .gatewayRequests: ["route", "status"]
    case .gatewayRequestSeconds: ["route"]
    case .gatewayRefused: ["refusal"]
    case .gatewayProblems: ["problem"]
    case .gatewayLimited: ["limit"]
    case .clockLag, .queueMessages, .queueConsumers, .queueLimit: ["queue"]
    case .deadLetters: ["kind"]
    default: []
    }
  }
}
