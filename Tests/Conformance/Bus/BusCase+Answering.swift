import CustomDump
import MatchInterfaces
import SystemCalls

extension BusCase {
  static let answering: [BusCase] = [
    BusCase("No question is left without an answer") { buses in
      let (worker, scheduler) = (try buses.worker(), try buses.scheduler())
      let (relay, push, reader) = (try buses.relay(), try buses.push(), try buses.reader())
      let (gateway, notices) = (try buses.gateway(Wakeup()), try buses.notices())
      defer {
        gateway.close()
        notices.close()
        worker.close()
        scheduler.close()
        relay.close()
        push.close()
        reader.close()
      }
      expectNoDifference(
        worker.unanswered + scheduler.unanswered + relay.unanswered + push.unanswered
          + reader.unanswered + gateway.unanswered + notices.unanswered, [])
    }
  ]
}
