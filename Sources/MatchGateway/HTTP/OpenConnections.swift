import NIOCore
import Synchronization

/// The connections of a gateway that are open, to close those that do not end by themselves.
final class OpenConnections: Sendable {
  private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

  func add(_ channel: any Channel) {
    channels.withLock { $0[ObjectIdentifier(channel)] = channel }
    channel.closeFuture.whenComplete { [self] _ in
      channels.withLock { $0[ObjectIdentifier(channel)] = nil }
    }
  }

  func closeAll() {
    for channel in channels.withLock({ Array($0.values) }) { channel.close(promise: nil) }
  }
}
