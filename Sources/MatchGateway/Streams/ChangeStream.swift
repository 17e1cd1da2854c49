import HTTPServer
import MatchCore
import MatchWire
import Synchronization

/// What one client is still to be sent. A later version of a match takes the place of an earlier
/// one, so that a slow reader costs little.
final class ChangeStream: Sendable {
  /// The most matches that wait to be sent.
  static let matchLimit = 512

  private struct State {
    /// Whether the first overview is there. Before it nothing is sent.
    var isOpen = false
    var overview: [UInt8]?
    var matches: [MatchID: Int64] = [:]
    var beats = false
    var end: Changes.EndReason?
    var isClosed = false
    /// Called once there is something to send.
    var wake: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// The next bytes to send. After `later` it calls `wake` once there are some.
  func next(orWake wake: @escaping @Sendable () -> Void) -> HTTPStream.Piece {
    state.withLock { state in
      let piece = ChangeStream.take(&state)
      if case .later = piece { state.wake = wake }
      return piece
    }
  }

  /// An overview to send.
  func send(_ overview: Overview) {
    let data = StreamText.content(of: overview)
    change { state in
      state.isOpen = true
      state.overview = data
    }
  }

  func send(_ match: MatchID, version: Int64) {
    change { state in
      state.matches[match] = max(version, state.matches[match] ?? 0)
      if state.matches.count > ChangeStream.matchLimit {
        state.matches = [:]
        state.end = .slow
      }
    }
  }

  /// Something to send, so that both sides see that the other is there.
  func beat() { change { $0.beats = true } }

  /// Ends it in good order, after everything that waits.
  func end(_ reason: Changes.EndReason) { change { $0.end = $0.end ?? reason } }

  /// Ends it: nobody reads it any more.
  func close() { change { $0.isClosed = true } }

  private func change(_ body: (inout State) -> Void) {
    let wake: (@Sendable () -> Void)? = state.withLock { state in
      body(&state)
      guard ChangeStream.hasSome(state) else { return nil }
      defer { state.wake = nil }
      return state.wake
    }
    wake?()
  }

  /// Whether `take` gives something.
  private static func hasSome(_ state: State) -> Bool {
    guard !state.isClosed else { return true }
    guard state.isOpen else { return false }
    return state.overview != nil || !state.matches.isEmpty || state.end != nil || state.beats
  }

  /// Takes what waits.
  private static func take(_ state: inout State) -> HTTPStream.Piece {
    guard !state.isClosed else { return .end }
    guard hasSome(state) else { return .later }
    var bytes: [UInt8] = []
    if let overview = state.overview {
      bytes += StreamText.event("overview", overview)
      state.overview = nil
    }
    for (match, version) in state.matches.sorted(by: { $0.key < $1.key }) {
      bytes += StreamText.event("match", StreamText.content(of: match, version: version))
    }
    state.matches = [:]
    if let end = state.end {
      bytes += StreamText.event("end", Array("{\"reason\":\"\(end.rawValue)\"}".utf8))
      state.isClosed = true
    }
    if bytes.isEmpty { bytes = Array(":\n\n".utf8) }
    state.beats = false
    return .bytes(bytes)
  }
}

/// The text of a stream (`text/event-stream`).
enum StreamText {
  /// One event. The data has no line breaks.
  static func event(_ name: String, _ data: [UInt8]) -> [UInt8] {
    Array("event: \(name)\ndata: ".utf8) + data + Array("\n\n".utf8)
  }

  /// `{"match":…,"version":…}`.
  static func content(of match: MatchID, version: Int64) -> [UInt8] {
    Array("{\"match\":\"\(match)\",\"version\":\(version)}".utf8)
  }

  /// An overview, as an answer to its query has it.
  static func content(of overview: Overview) -> [UInt8] {
    AnswerBytes.content(AnswerCodec.encode(overview, query: nil)) ?? []
  }
}
