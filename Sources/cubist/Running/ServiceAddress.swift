import EventBusLive
import PlayerClient

/// Where a service is: a gateway by HTTP, or a broker by AMQP.
enum ServiceAddress {
  case gateway(GatewayAddress)
  case broker(BrokerAddress)

  /// Reads a URL.
  /// - Throws: The mistake, with an example of a URL of that kind.
  init(url: String) throws(CommandFailure) {
    if GatewayAddress.isGateway(url) {
      do throws(GatewayAddressError) {
        self = .gateway(try GatewayAddress(url: url))
      } catch {
        throw ServiceAddress.failure("\(error)", next: "https://HOST")
      }
    } else {
      do throws(BrokerAddressError) {
        self = .broker(try BrokerAddress(url: url))
      } catch {
        let isBroker = url.lowercased().hasPrefix("amqp")
        guard !isBroker else {
          throw ServiceAddress.failure("\(error)", next: "amqp://USER:PASSWORD@HOST:5672/VHOST")
        }
        throw ServiceAddress.failure(
          "the service's URL begins with https:// for a gateway, http:// for one on this machine, "
            + "or amqp:// for a broker", next: "https://HOST")
      }
    }
  }

  private static func failure(_ text: String, next url: String) -> CommandFailure {
    CommandFailure(
      .usage, "badURL", text.prefix(1).uppercased() + text.dropFirst() + ".",
      next: ["cubist connect \(url)"])
  }

  /// Whether the service runs on this machine, as far as its names say.
  var isOnThisMachine: Bool {
    switch self {
    case .gateway(let address): address.isOnThisMachine
    case .broker(let address): address.isOnThisMachine
    }
  }

  /// What it is, without a password.
  var summary: String {
    switch self {
    case .gateway(let address): "the service's gateway is \(address)"
    case .broker(let address): "the service's broker is \(address)"
    }
  }

  /// What a person has to know before using it; nil: nothing.
  var warning: String? {
    switch self {
    case .gateway(let address): address.warning
    case .broker(let address):
      address.isOnThisMachine || !address.secureEndpoints.isEmpty
        ? nil
        : "That broker's address is not encrypted: others on the way there can read its password and "
          + "your games, and forge answers. They cannot play for you. Use amqps:// if the service has "
          + "it."
    }
  }
}
