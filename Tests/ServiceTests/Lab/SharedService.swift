import MatchInterfaces
import MatchService
import RealServers
import TestedService
import Testing

/// One service for all tests of a suite, one after another: starting one takes longer than most of
/// them. Whatever `cubistd check` finds once they are over is a failure of the suite.
struct SharedService: SuiteTrait, TestScoping {
  @TaskLocal static var lab: ServiceLab?

  let options: ServiceLab.Options
  /// Whether push jobs go to the lab's recorder, each once.
  let handsOver: Bool

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await ServiceLab.runShared(options) { lab in
      try await SharedService.$lab.withValue(lab) { try await function() }
      try lab.keepWorkers(max(1, options.workers))
      let (found, keys) = (try lab.violations(), try lab.recoveryViolations())
      #expect(found == [], "\(found)")
      #expect(keys == [], "\(keys)")
      if handsOver { try lab.expectHandedOverOnce() }
      #expect(try lab.deadEventCount() == 0)
    }
  }
}

extension Trait where Self == SharedService {
  /// The tests of the suite share a service. The suite has to be serialized.
  static func sharedService(
    _ options: ServiceLab.Options = .init(), handsOver: Bool = true
  ) -> Self {
    SharedService(options: options, handsOver: handsOver)
  }
}

extension ServiceLab {
  /// Whether other tests of the suite use it, too.
  var isShared: Bool { SharedService.lab === self }

  /// Runs a test with the service of its suite, and with so many workers to begin with.
  static func shared(
    workers: Int = 1, _ body: @Sendable (ServiceLab) async throws -> Void
  ) async throws {
    guard let lab = SharedService.lab else { throw LabFailure("the suite shares no service") }
    try await onThreads {
      try await failingIfItHangs {
        try lab.keepWorkers(workers)
        try await body(lab)
      }
    }
  }
}

extension ServiceLab.Options {
  /// The usual roles, and those that let time pass.
  static let withScheduler = Self(roles: [.reader, .relay, .push, .scheduler])
  /// Every role but a gateway.
  static let everyRole = Self(roles: [.reader, .relay, .push, .scheduler, .rater])
}
