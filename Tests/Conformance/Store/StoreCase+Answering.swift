import CustomDump
import MatchInterfaces

extension StoreCase {
  static let answering: [StoreCase] = [
    StoreCase("No question is left without an answer") { stores in
      expectNoDifference(
        stores.worker.unanswered + stores.scheduler.unanswered + stores.relay.unanswered
          + stores.push.unanswered + stores.rater.unanswered + stores.reader.unanswered
          + stores.check.unanswered, [])
    },
    StoreCase("A question without an answer is named") { stores in
      var reader = stores.reader
      reader.blocked = ReaderStore.failing.blocked
      expectNoDifference(reader.unanswered, ["ReaderStore.blocked"])
    },
  ]
}
