/// What a stranger can use up, by the names that answers and metrics give it.
package enum Limit: String, Hashable, Sendable, CaseIterable {
  case connections
  case addressConnections
  case addressRequests
  case keyRequests
  case registrations
  case streams
  case playerStreams
  case addressStreams
  case waits
  case addressWaits
  case pipelining
  case headTime
  case bodyTime
  case idleTime
  case slowReader
  case headerSize
  case bodySize
}
