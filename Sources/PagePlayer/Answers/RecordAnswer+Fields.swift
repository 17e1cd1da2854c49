import MatchCore
import MatchWire

extension RecordAnswer {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(record: try object.string("record", limit: RecordReview.byteLimit))
  }
}
