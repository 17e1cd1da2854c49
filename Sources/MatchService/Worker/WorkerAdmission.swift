package import MatchInterfaces
import Synchronization

/// When a worker may take a share of the queues: not before it has shown that it lasts. So a worker
/// that ends again and again takes nothing from the others.
package enum WorkerAdmission {
  /// How long a worker lasts, in seconds, before it takes anything from others.
  package static let proofSeconds: Int64 = 10
  /// Each worker that died young lately doubles that time, at most so many times.
  package static let doublingLimit = 4

  /// How long a worker has to last, in seconds, after so many have died young.
  package static func requiredSeconds(
    after youngDeaths: Int, proof: Int64 = proofSeconds
  ) -> Int64 {
    proof << Int64(min(max(0, youngDeaths), doublingLimit))
  }

  /// Whether a worker that has lasted for so long may take its share. It takes unserved queues at
  /// once. A worker that worked well before it lost its connections comes back as it was.
  package static func isAdmitted(
    lasting seconds: Int64, isProven: Bool, _ standing: WorkerStanding,
    proof: Int64 = proofSeconds
  ) -> Bool {
    !standing.isServed || standing.isMember || isProven
      || seconds >= requiredSeconds(after: standing.youngDeathCount, proof: proof)
  }
}

/// Whether a worker has shown that it lasts: kept while it is made anew with new connections.
package final class WorkerProof: Sendable {
  private let given: Atomic<Bool>

  /// Nothing shown yet.
  package init() { given = Atomic(false) }

  /// Whether it worked well when it was last heard of.
  package var isGiven: Bool {
    get { given.load(ordering: .relaxed) }
    set { given.store(newValue, ordering: .relaxed) }
  }
}
