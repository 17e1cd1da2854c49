import CustomDump
import MatchInterfaces

extension BusCase {
  static let answering: [BusCase] = [
    BusCase("No question is left without an answer") { buses in
      let (worker, scheduler) = (try buses.worker(), try buses.scheduler())
      let (relay, push, reader) = (try buses.relay(), try buses.push(), try buses.reader())
      defer {
        worker.close()
        scheduler.close()
        relay.close()
        push.close()
        reader.close()
      }
      expectNoDifference(
        worker.unanswered + scheduler.unanswered + relay.unanswered + push.unanswered
          + reader.unanswered, [])
    }
  ]
}
