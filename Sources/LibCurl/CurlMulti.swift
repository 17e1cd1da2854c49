import CCurl
import CubistBasics
import SystemCalls

/// Sends requests by libcurl, many at a time, over connections that it keeps.
///
/// Speaks HTTP/1.1 and HTTP/2 as each request says, and otherwise as ``CurlClient`` does. Confined
/// to one thread at a time.
package final class CurlMulti {
  package typealias Answer = (number: UInt64, result: Result<CurlResponse, CurlError>)

  private let multi: UnsafeMutableRawPointer
  private let settings: CurlSettings
  /// The requests under way, with their numbers.
  private var running: [UnsafeMutableRawPointer: (number: UInt64, handle: CurlHandle)] = [:]
  /// Handles that were used, for later requests.
  private var spare: [CurlHandle] = []
  private var answers: [Answer] = []

  /// - Parameters:
  ///   - connections: Connections at most. Requests beyond them wait; their time runs.
  ///   - hostConnections: Connections to one host at most.
  /// - Throws: `unusable` where libcurl has no memory, or is too old for a setting (before 7.87).
  package init(
    _ settings: CurlSettings = .init(), connections: Int = 256, hostConnections: Int = 32
  ) throws(CurlError) {
    guard CurlHandle.isPrepared, let multi = curl_multi_init() else {
      throw CurlError(.unusable, "libcurl cannot be used")
    }
    self.multi = multi
    self.settings = settings
    // A missing setting shows now, and not at the first request.
    spare = [try CurlHandle(settings)]
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
      let handle = if let spare = spare.popLast() { spare } else { try CurlHandle(settings) }
      do throws(CurlError) { try handle.prepare(request) } catch {
        spare.append(handle)
        throw error
      }
      let result = curl_multi_add_handle(multi, handle.handle)
      guard result == CURLM_OK else {
        throw CurlError(.unusable, String(cString: curl_multi_strerror(result)))
      }
      running[handle.handle] = (number, handle)
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
      let left = Int32(clamping: (end - now) / 1_000_000 + 1)
      guard curl_multi_poll(multi, nil, 0, left, nil) == CURLM_OK else { break }
      perform()
    }
    defer { answers = [] }
    return answers
  }

  private func perform() {
    var left: Int32 = 0
    guard curl_multi_perform(multi, &left) == CURLM_OK else { return }
    var result = CURLE_OK
    while let ended = ccurl_next_ended(multi, &result) {
      guard let (number, handle) = running.removeValue(forKey: ended) else { continue }
      answers.append((number, handle.outcome(of: result)))
      curl_multi_remove_handle(multi, ended)
      spare.append(handle)
    }
  }
}
