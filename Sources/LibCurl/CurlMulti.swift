import CCurl
import CubistBasics
import SystemCalls

/// Sends requests by libcurl, many at a time, over connections that it keeps.
///
/// Speaks HTTP/1.1 and HTTP/2 as each request says, and otherwise as ``CurlClient`` does. Confined
/// to one thread at a time.
///
/// A request's time runs while answers are polled for. Its owner may do something else for longer:
/// that counts as a second, and an answer that came meanwhile is one.
///
/// Many requests share a connection of HTTP/2, and libcurl keeps it when one of them is given up. Its
/// other side may have stopped for good, and acknowledge what comes all the same. So a connection on
/// which nothing was answered while a request waited for its whole time ends with that request. And a
/// connection on which frames come without end is ended: see ``CurlAllowance``.
package final class CurlMulti {
  package typealias Answer = (number: UInt64, result: Result<CurlResponse, CurlError>)

  private struct Running {
    var number: UInt64
    var handle: CurlHandle
    /// The time served when it began.
    var begunAt: UInt64
    /// Whether it may share its connection.
    var isHTTP2: Bool
  }

  /// The longest time between two polls that counts, in nanoseconds.
  private static let longestPause: UInt64 = 1_000_000_000
  /// The longest wait until the next look at the requests' time.
  private static let longestWait: Int32 = 100

  private let multi: UnsafeMutableRawPointer
  private let settings: CurlSettings
  /// The requests under way, with their numbers.
  private var running: [UnsafeMutableRawPointer: Running] = [:]
  /// Handles that were used, for later requests.
  private var spare: [CurlHandle] = []
  private var answers: [Answer] = []
  /// The time served when a request last ended by itself on a connection of HTTP/2, by the port of
  /// this side.
  private var heardAt: [Int: UInt64] = [:]
  private let allowance = CurlAllowance()
  private let uptime: () -> UInt64
  /// The longest time of a request in nanoseconds; nil: as long as it needs.
  private let timeout: UInt64?
  /// The time that counts for requests, in nanoseconds, and the uptime up to which it was counted.
  private var (served, countedAt): (UInt64, UInt64)

  /// - Parameters:
  ///   - connections: Connections at most. Requests beyond them wait; their time runs.
  ///   - hostConnections: Connections to one host at most.
  ///   - uptime: The nanoseconds by which the time of requests is counted.
  /// - Throws: `unusable` where libcurl has no memory, or is too old for a setting (before 7.87).
  package init(
    _ settings: CurlSettings = .init(), connections: Int = 256, hostConnections: Int = 32,
    uptime: @escaping () -> UInt64 = { MonotonicClock.now }
  ) throws(CurlError) {
    guard CurlHandle.isPrepared, let multi = curl_multi_init() else {
      throw CurlError(.unusable, "libcurl cannot be used")
    }
    self.multi = multi
    self.uptime = uptime
    (served, countedAt) = (0, uptime())
    timeout = settings.timeout.map { UInt64(clamping: $0.milliseconds) &* 1_000_000 }
    // libcurl looks at the time before it looks for an answer.
    var settings = settings
    settings.timeout = nil
    self.settings = settings
    // A missing setting shows now, and not at the first request.
    spare = [try CurlHandle(settings, allowance)]
    let results = [
      ccurl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX)),
      ccurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections),
      ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, hostConnections),
      ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connections),
    ]
    if let failed = results.first(where: { $0 != CURLM_OK }) {
      throw CurlError(.unusable, String(cString: curl_multi_strerror(failed)))
    }
  }

  deinit {
    for handle in running.keys { curl_multi_remove_handle(multi, handle) }
    running = [:]
    spare = []
    curl_multi_cleanup(multi)
  }

  /// How many requests are under way.
  package var count: Int { running.count + answers.count }

  /// Begins a request. The answer comes by `poll`, with this number; also that the request cannot
  /// be sent at all.
  package func begin(_ number: UInt64, _ request: CurlRequest) {
    do throws(CurlError) {
      let handle =
        if let spare = spare.popLast() { spare } else { try CurlHandle(settings, allowance) }
      do throws(CurlError) { try handle.prepare(request) } catch {
        spare.append(handle)
        throw error
      }
      let result = curl_multi_add_handle(multi, handle.handle)
      guard result == CURLM_OK else {
        throw CurlError(.unusable, String(cString: curl_multi_strerror(result)))
      }
      countTime()
      running[handle.handle] = Running(
        number: number, handle: handle, begunAt: served, isHTTP2: request.isHTTP2)
    } catch {
      answers.append((number, .failure(error)))
    }
  }

  /// Goes on with the requests. Waits for the first answer, at most so long, and not at all if
  /// there are no requests.
  package func poll(_ wait: Duration) -> [Answer] {
    let end = MonotonicClock.now &+ UInt64(clamping: wait.wholeMilliseconds) &* 1_000_000
    perform()
    while answers.isEmpty, !running.isEmpty {
      let now = MonotonicClock.now
      guard now < end else { break }
      let left = min(Int32(clamping: (end - now) / 1_000_000 + 1), CurlMulti.longestWait)
      guard curl_multi_poll(multi, nil, 0, left, nil) == CURLM_OK else { break }
      perform()
    }
    defer { answers = [] }
    return answers
  }

  /// Takes what has come, and then gives up the requests whose time is over.
  private func perform() {
    var left: Int32 = 0
    allowance.isExceeded = false
    guard curl_multi_perform(multi, &left) == CURLM_OK else { return }
    var result = CURLE_OK
    while let ended = ccurl_next_ended(multi, &result) {
      if running[ended]?.isHTTP2 == true { heardAt[ccurl_local_port(ended)] = served }
      end(ended, result)
    }
    countTime()
    guard let timeout else { return }
    for (handle, request) in running where served &- request.begunAt >= timeout {
      if request.isHTTP2, !hasAnswered(handle, since: request.begunAt) {
        ccurl_end_connection(handle)
      }
      end(handle, CURLE_OPERATION_TIMEDOUT)
    }
  }

  /// Whether something was answered on the connection of a request since.
  private func hasAnswered(_ handle: UnsafeMutableRawPointer, since time: UInt64) -> Bool {
    heardAt[ccurl_local_port(handle)].map { $0 >= time } ?? false
  }

  private func end(_ ended: UnsafeMutableRawPointer, _ result: CURLcode) {
    guard let request = running.removeValue(forKey: ended) else { return }
    answers.append((request.number, outcome(of: request, result)))
    curl_multi_remove_handle(multi, ended)
    spare.append(request.handle)
  }

  private func outcome(
    of request: Running, _ result: CURLcode
  ) -> Result<CurlResponse, CurlError> {
    let outcome = request.handle.outcome(of: result)
    guard request.isHTTP2, allowance.isExceeded, case .failure(let error) = outcome,
      error.code == .cutOff
    else { return outcome }
    return .failure(
      CurlError(
        .cutOff, "the server sent more than \(CurlAllowance.limit) bytes in a second by HTTP/2"))
  }

  private func countTime() {
    let now = uptime()
    let passed = min(now &- countedAt, CurlMulti.longestPause)
    served &+= passed
    allowance.refill(passed)
    countedAt = now
  }
}
