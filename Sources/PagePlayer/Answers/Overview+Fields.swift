import MatchCore
import MatchWire

extension Overview {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      matches: try object.list("matches", Version.init),
      inbox: try object.optionalObject("inbox", Newest.init),
      settings: try object.string("settings"))
  }
}

extension Overview.Version {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(match: try object.id("match"), version: try object.integer("version"))
  }
}

extension Overview.Newest {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(id: try object.id("id"), sentAt: try object.instant("sentAt"))
  }
}
