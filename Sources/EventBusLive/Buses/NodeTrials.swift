/// Chooses the node to try to reply to next, of the broker's nodes that are not proven yet.
///
/// A stranger can make up any number for a node. A reply to an absent node ends the connection that
/// sends it. It also leaves an atom behind, and the broker has a limited number of atoms. So
/// numbers are tried apart from one another. The most requested numbers come first, and few absent
/// ones are tried. With A made-up addresses and H true ones a second, a node is tried at the latest
/// once it has been asked for as often as A / H fills the time between two trials.
struct NodeTrials {
  /// The limits on kept numbers, kept replies and trials.
  struct Limits {
    /// Numbers of nodes.
    var candidates = 256
    /// Replies that wait for a node to be proven.
    var replies = 1_024
    /// Bytes of their bodies.
    var bytes = 4 * 1_024 * 1_024
    /// Trials that may fail at once. One more may with each refill.
    var burst = 20
    var refillNanoseconds: UInt64 = 60_000_000_000
    /// The time that a failed number is left alone.
    var pauseNanoseconds: UInt64 = 600_000_000_000
  }

  private struct Candidate {
    var address: String
    var count: Int
    var place: Int
    var replies: [ReplyLines.Reply] = []
  }

  private let limits: Limits
  private var candidates: [UInt32: Candidate] = [:]
  private var failed: [UInt32: UInt64] = [:]
  /// Nodes that were there before. They come first and cost nothing.
  private var preferred: Set<UInt32> = []
  private var failureCount = 0
  private var lastRefill: UInt64 = 0
  private var (places, replyCount, byteCount) = (0, 0, 0)
  /// The node that is being tried.
  private(set) var trying: UInt32?

  init(limits: Limits = Limits()) { self.limits = limits }

  /// Keeps a reply until its node is proven.
  /// - Returns: Whether the reply is kept.
  mutating func keep(_ reply: ReplyLines.Reply, for node: UInt32, at uptime: UInt64) -> Bool {
    if let until = failed[node] {
      guard uptime >= until else { return false }
      failed[node] = nil
    }
    let inherited = makeRoom(for: node)
    places += 1
    var candidate =
      candidates[node] ?? Candidate(address: reply.replyTo, count: inherited, place: places)
    candidate.count += 1
    let isKept =
      replyCount < limits.replies && byteCount + reply.body.count <= limits.bytes
    if isKept {
      candidate.replies.append(reply)
      replyCount += 1
      byteCount += reply.body.count
    }
    candidates[node] = candidate
    return isKept
  }

  /// Pushes out the least requested number if there is no room for another one.
  ///
  /// - Returns: The count that the newcomer takes over. With it, many numbers that are asked for
  ///   once do not push out a number that is asked for again and again. Source: Metwally et al.,
  ///   "Efficient computation of frequent and top-k elements in data streams" (Space-Saving).
  private mutating func makeRoom(for node: UInt32) -> Int {
    guard candidates[node] == nil, candidates.count >= limits.candidates,
      let least = candidates.filter({ $0.key != trying }).min(by: {
        ($0.value.count, $0.value.place) < ($1.value.count, $1.value.place)
      })
    else { return 0 }
    _ = take(least.key)
    return least.value.count
  }

  /// Begins the next trial if one is due: the node, and an address there.
  mutating func next(at uptime: UInt64) -> (node: UInt32, address: String)? {
    guard trying == nil, !candidates.isEmpty else { return nil }
    refill(at: uptime)
    let mayFail = failureCount < limits.burst
    let allowed = candidates.filter { mayFail || preferred.contains($0.key) }
    let best = allowed.max { one, other in
      let (isFirst, isOther) = (preferred.contains(one.key), preferred.contains(other.key))
      if isFirst != isOther { return isOther }
      return (one.value.count, -one.value.place) < (other.value.count, -other.value.place)
    }
    guard let best else { return nil }
    trying = best.key
    return (best.key, best.value.address)
  }

  private mutating func refill(at uptime: UInt64) {
    guard failureCount > 0 else {
      lastRefill = uptime
      return
    }
    let passed = (uptime &- lastRefill) / limits.refillNanoseconds
    failureCount -= min(failureCount, Int(clamping: passed))
    lastRefill = lastRefill &+ passed &* limits.refillNanoseconds
    failed = failed.filter { uptime < $0.value }
  }

  /// The node is there. Returns the replies that waited for it.
  mutating func succeed(_ node: UInt32) -> [ReplyLines.Reply] {
    if trying == node { trying = nil }
    failed[node] = nil
    preferred.remove(node)
    return take(node)
  }

  /// The node on trial is not there. Returns how many replies waited for it.
  mutating func fail(at uptime: UInt64) -> Int {
    guard let node = trying else { return 0 }
    trying = nil
    if preferred.remove(node) == nil {
      refill(at: uptime)
      failureCount += 1
    }
    failed[node] = uptime &+ limits.pauseNanoseconds
    return take(node).count
  }

  /// The trial says nothing about its node: it could not be made, or something else ended it.
  mutating func abort() { trying = nil }

  /// These nodes were there until a connection was lost.
  mutating func prefer(_ nodes: Set<UInt32>) { preferred.formUnion(nodes) }

  /// How many numbers and replies are kept.
  var kept: (candidates: Int, replies: Int, bytes: Int) {
    (candidates.count, replyCount, byteCount)
  }

  private mutating func take(_ node: UInt32) -> [ReplyLines.Reply] {
    let replies = candidates.removeValue(forKey: node)?.replies ?? []
    replyCount -= replies.count
    byteCount -= replies.reduce(0) { $0 + $1.body.count }
    return replies
  }
}
