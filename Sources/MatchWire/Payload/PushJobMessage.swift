package import MatchCore

/// A message of push jobs: one job per line.
///
/// The broker's work is per message, not per job, and a quorum queue has much of it. So jobs that
/// are owed together travel together.
package struct PushJobMessage: Hashable, Sendable {
  /// The most jobs in one message. They are few, since they come again together.
  package static let jobLimit = 16

  /// The jobs, in order.
  package let jobs: ArraySlice<PushJob>

  /// The bytes of the message.
  package var body: [UInt8] {
    var bytes: [UInt8] = []
    for job in jobs {
      if !bytes.isEmpty { bytes.append(Self.newline) }
      bytes += PushJobCodec.encode(job)
    }
    return bytes
  }

  /// Jobs in as few messages as hold them, in order.
  package static func messages(of jobs: [PushJob]) -> [PushJobMessage] {
    stride(from: 0, to: jobs.count, by: jobLimit).map {
      PushJobMessage(jobs: jobs[$0..<min($0 + jobLimit, jobs.count)])
    }
  }

  /// One job of a message, as it was read.
  package struct Part: Hashable, Sendable {
    /// The job. Nil for bytes that are not one.
    package let job: PushJob?
    /// Its bytes.
    package let body: [UInt8]
  }

  /// The parts of a message: one for each line. If no line is a job, it is one part of all bytes.
  package static func parts(of body: [UInt8]) -> [Part] {
    if body.contains(newline) {
      let lines = body.split(separator: newline).map { Part(Array($0)) }
      if lines.contains(where: { $0.job != nil }) { return lines }
    }
    return [Part(body)]
  }

  private static let newline = UInt8(ascii: "\n")
}

extension PushJobMessage.Part {
  fileprivate init(_ body: [UInt8]) {
    job = try? PushJobCodec.decode(body)
    self.body = body
  }
}
