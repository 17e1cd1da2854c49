import MatchInterfaces

/// Stores over the same data, as if each had a connection of its own: what the conformance suite
/// needs.
struct StoreSet {
  var worker: WorkerStore
  var otherWorker: WorkerStore
  var scheduler: SchedulerStore
  var otherScheduler: SchedulerStore
  var relay: RelayStore
  var otherRelay: RelayStore
  var push: PushStore
  var reader: ReaderStore
  var operators: OperatorStore
  var check: CheckStore
}
