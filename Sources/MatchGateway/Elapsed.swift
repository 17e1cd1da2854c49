extension UInt64 {
  /// The nanoseconds since an earlier uptime; zero if another thread read a later one.
  func elapsed(since earlier: UInt64) -> UInt64 { self > earlier ? self - earlier : 0 }
}
