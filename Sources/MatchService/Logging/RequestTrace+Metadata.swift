package import Logging
import MatchWire

extension RequestTrace? {
  /// What a line of the log says, with the marks of the request that it is about.
  package func marks(_ metadata: Logger.Metadata) -> Logger.Metadata {
    guard let self else { return metadata }
    var metadata = metadata
    metadata["request"] = "\(self.requestID)"
    if let id = self.traceID { metadata["trace"] = "\(id)" }
    return metadata
  }
}
