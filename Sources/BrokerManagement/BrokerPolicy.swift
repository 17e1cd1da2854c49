package import MatchWire

/// Limits that the broker sets to queues, whatever their makers ask for.
/// Source: https://www.rabbitmq.com/docs/parameters#policies
package struct BrokerPolicy: Hashable, Sendable {
  package var name: String
  var body: Body

  /// A policy as the management API has it.
  struct Body: Hashable, Sendable, Codable {
    var pattern: String
    var definition: Definition
    var priority = 0
    var applyTo = "queues"

    private enum CodingKeys: String, CodingKey {
      case pattern, definition, priority
      case applyTo = "apply-to"
    }
  }

  struct Definition: Hashable, Sendable, Codable {
    var expires: Int
    var maxLengthBytes: Int
    var overflow = "drop-head"

    private enum CodingKeys: String, CodingKey {
      case expires, overflow
      case maxLengthBytes = "max-length-bytes"
    }
  }

  /// The limits of gateways' own queues: 4 MB each, and gone a minute after the last consumer. The
  /// right to make them is all that a gateway's user has against the broker.
  package static func gateways(_ names: Names = Names()) -> BrokerPolicy {
    BrokerPolicy(
      name: names.gatewayQueries,
      body: Body(
        pattern: BrokerRights.gateway(names).configure,
        definition: Definition(expires: 60_000, maxLengthBytes: 4 * 1_024 * 1_024)))
  }
}
