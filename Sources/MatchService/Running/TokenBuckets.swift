/// One bucket of tokens for each of many holders. A minute fills it; each take empties it a little.
struct TokenBuckets<Holder: Hashable & Sendable>: Sendable {
  private struct Bucket {
    var tokens: Double
    var filledAt: UInt64
  }

  /// How many tokens a bucket holds.
  let perMinute: Double
  private var buckets: [Holder: Bucket] = [:]

  init(perMinute: Int) { self.perMinute = Double(perMinute) }

  /// How many holders are remembered.
  var count: Int { buckets.count }

  /// Takes tokens from a holder's bucket. If there are too few, takes none and gives the seconds
  /// until there are enough. A cost that is more than a bucket holds takes a whole bucket.
  mutating func take(_ cost: Double = 1, from holder: Holder, at uptime: UInt64) -> Int64? {
    let cost = min(cost, perMinute)
    var bucket = buckets[holder] ?? Bucket(tokens: perMinute, filledAt: uptime)
    bucket.tokens = tokens(of: bucket, uptime)
    bucket.filledAt = uptime
    defer { buckets[holder] = bucket }
    guard bucket.tokens < cost else {
      bucket.tokens -= cost
      return nil
    }
    return max(1, Int64(((cost - bucket.tokens) * 60 / perMinute).rounded(.up)))
  }

  /// The tokens that a holder has.
  func tokens(of holder: Holder, at uptime: UInt64) -> Double {
    buckets[holder].map { tokens(of: $0, uptime) } ?? perMinute
  }

  /// Takes tokens from a holder's bucket, even if they are not there yet. A holder owes ten
  /// minutes' tokens at most.
  mutating func owe(_ cost: Double, by holder: Holder) {
    guard let bucket = buckets[holder] else { return }
    buckets[holder]?.tokens = max(-10 * perMinute, bucket.tokens - cost)
  }

  /// Forgets the holders of full buckets if more than `limit` holders are remembered: a new bucket
  /// would be just as full.
  mutating func forgetFull(beyond limit: Int, at uptime: UInt64) {
    guard buckets.count > limit else { return }
    buckets = buckets.filter { tokens(of: $0.value, uptime) < perMinute }
  }

  private func tokens(of bucket: Bucket, _ uptime: UInt64) -> Double {
    let seconds = Double(uptime &- bucket.filledAt) / 1_000_000_000
    return min(perMinute, bucket.tokens + seconds * perMinute / 60)
  }
}
