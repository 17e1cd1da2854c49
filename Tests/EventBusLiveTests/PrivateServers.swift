import Chaos
@testable import EventBusLive
import Foundation
import RealServers

/// Servers of a test's own, for tests that would disturb others.
struct PrivateServers: Sendable {
  private let servers: RunServers
  /// Where they are.
  let environment: ServerEnvironment

  /// Starts servers, which takes some seconds, runs a body, and stops them. They stop even if the
  /// tests are killed meanwhile.
  static func with(_ body: (PrivateServers) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("cubist-\(UUID().uuidString)").path
    let servers = RunServers(folder: folder)
    let result: Result<Void, any Error>
    do {
      let environment = try await onThread { try servers.startForTest() }
      result = .success(
        try await body(PrivateServers(servers: servers, environment: environment)))
    } catch { result = .failure(error) }
    try await onThread { try servers.stop() }
    try result.get()
    guard !FileManager.default.fileExists(atPath: folder) else {
      throw ChaosFailure("the servers in \(folder) do not stop", isAboutServers: true)
    }
  }

  /// Has the broker run out of memory, or be well again.
  func alarm(_ isOn: Bool) throws { try servers.setAlarm(isOn) }

  /// The process of the broker; nil: it has ended.
  var brokerProcess: Int32? { servers.brokerProcess }

  /// The address by which direct replies reach a registered process of Erlang, as the broker itself
  /// would write it.
  func replyAddress(ofProcess name: String) throws -> String {
    let text = try servers.evaluate(
      """
      M = rabbit_direct_reply_to, P = whereis(\(name)), code:ensure_loaded(M), \
      {_, S} = case erlang:function_exported(M, compute_key_and_suffix_v2, 1) of \
      true -> M:compute_key_and_suffix_v2(P); false -> M:compute_key_and_suffix(P) end, S.
      """)
    guard let suffix = text.firstMatch(of: /[A-Za-z0-9+\/=]{20,}\.[A-Za-z0-9+\/=_-]+/)?.0 else {
      throw ChaosFailure("the broker wrote no address: \(text)", isAboutServers: true)
    }
    return "\(ReplyAddress.prefix)\(suffix)"
  }
}
