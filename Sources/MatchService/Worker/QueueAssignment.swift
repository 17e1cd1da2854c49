package import MatchInterfaces

/// Which worker consumes which queue: rendezvous hashing with a cap. So all living workers compute
/// the same even shares without talking to each other, and few queues move when a worker comes or
/// goes.
package enum QueueAssignment {
  /// The queues of one worker, in ascending order; none if it is not among the living.
  package static func queues(
    of worker: WorkerID, among living: [WorkerID], queueCount: Int
  ) -> [Int] {
    let workers = Array(Set(living)).sorted()
    guard workers.contains(worker) else { return [] }
    var free = Dictionary(
      uniqueKeysWithValues: workers.enumerated().map { index, id in
        (id, queueCount / workers.count + (index < queueCount % workers.count ? 1 : 0))
      })
    var own: [Int] = []
    for queue in 0..<queueCount {
      let ranked = workers.filter { free[$0, default: 0] > 0 }
      guard let owner = ranked.max(by: { weight($0, queue) < weight($1, queue) }) else { break }
      free[owner, default: 0] -= 1
      if owner == worker { own.append(queue) }
    }
    return own
  }

  /// The order in which a worker begins to consume its queues, different for each worker. Events
  /// that wait behind another queue's poisonous event for one worker may come before it for
  /// another.
  static func order(of queues: [Int], for worker: WorkerID) -> [Int] {
    queues.sorted { weight(worker, $0) < weight(worker, $1) }
  }

  /// A pseudo-random number of a worker and a queue (the finalizer of MurmurHash3, public domain).
  private static func weight(_ worker: WorkerID, _ queue: Int) -> UInt64 {
    var hash = UInt64(truncatingIfNeeded: worker.rawValue ^ (worker.rawValue >> 64))
    hash ^= (UInt64(queue) &+ 1) &* 0x9e37_79b9_7f4a_7c15
    hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
    hash = (hash ^ (hash >> 33)) &* 0xc4ce_b9fe_1a85_ec53
    return hash ^ (hash >> 33)
  }
}
