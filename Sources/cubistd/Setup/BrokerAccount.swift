import EventBusLive
import LibRabbitMQ

/// A user of the broker as a URL names it: that of the service, of gateways, or of programs.
struct BrokerAccount: Sendable {
  let address: BrokerAddress
  let user: String
  let password: String
  let virtualHost: String

  /// Reads a URL such as `amqp://user:password@host/vhost`.
  /// - Throws: `settings`, naming the setting that the URL comes from; no part that could be a
  ///   password is repeated.
  init(url: String, setting: String) throws(OperatorFailure) {
    do throws(BrokerAddressError) { address = try BrokerAddress(url: url) } catch {
      throw .settings(["\(setting): \(error)"])
    }
    let settings: RabbitMQSettings
    do throws(RabbitMQError) { settings = try RabbitMQSettings(url: url) } catch {
      throw .settings(["\(setting): \(error.reason)"])
    }
    user = settings.user
    password = settings.password
    virtualHost = settings.virtualHost
  }
}
