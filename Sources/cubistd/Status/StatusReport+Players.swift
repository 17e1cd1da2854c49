import LibCurl
import MatchInterfaces
import MatchService
import MatchWire

/// The answer of this machine's gateway to a question that any player may ask.
enum GatewayLook: Equatable, Sendable {
  /// It answered with this status.
  case answered(status: Int, milliseconds: Int64)
  /// It took the question and did not answer in time.
  case silent(milliseconds: Int64)
  /// There is no connection to it.
  case away(reason: String)
}

/// A gateway that was asked, and its answer.
struct AskedGateway: Equatable, Sendable {
  var address: ListenAddress
  var look: GatewayLook
}

// Troubles that players feel: requests that fail, and replies that are slow.
extension StatusReport {
  /// From here on an answer counts as slow, in milliseconds.
  static let slowAnswer: Int64 = 2_000
  /// From here on events of a queue count as slow, in seconds: ticks go through it each second.
  static let slowEvents: Int64 = 5
  /// How long a gateway may take to answer.
  private static let gatewayTime = Duration.seconds(4)
  /// How often a gateway that does not serve is asked, a second apart: one that begins soon does.
  private static let gatewayLooks = 3
  /// A reader answers it, from the database. Whoever asks needs no key.
  private static let question = "/v1/ladder?limit=1"

  /// Asks the gateway of this machine as a player does.
  mutating func lookAtGateway(_ listen: ListenAddress, clock: WallClock) {
    let address = Self.reachable(listen)
    for look in 0..<Self.gatewayLooks {
      if look > 0 { clock.sleep(.seconds(1)) }
      let found = Self.ask(address, clock)
      gateway = AskedGateway(address: address, look: found)
      if case .answered(let status, _) = found, status < 500 { return }
      if case .silent = found { return }
    }
  }

  private static func ask(_ address: ListenAddress, _ clock: WallClock) -> GatewayLook {
    var settings = CurlSettings()
    (settings.connectTimeout, settings.timeout) = (.seconds(2), gatewayTime)
    settings.userAgent = "cubistd/\(Release.number)"
    let start = clock.uptimeNanoseconds()
    func milliseconds() -> Int64 {
      Int64(clamping: (clock.uptimeNanoseconds() &- start) / 1_000_000)
    }
    do throws(CurlError) {
      let answer = try CurlClient(settings).send(
        .get, "http://\(address)\(question)", headers: [])
      return .answered(status: answer.status, milliseconds: milliseconds())
    } catch {
      return error.code == .timedOut
        ? .silent(milliseconds: milliseconds()) : .away(reason: error.description)
    }
  }

  /// The address by which this machine reaches a listener: one that listens everywhere also listens
  /// here.
  static func reachable(_ listen: ListenAddress) -> ListenAddress {
    switch listen.host {
    case "0.0.0.0": ListenAddress(host: "127.0.0.1", port: listen.port)
    case "::": ListenAddress(host: "::1", port: listen.port)
    default: listen
    }
  }

  /// Requests that fail and replies that are slow, where no other finding explains them.
  func playerFindings(_ names: Names) -> [Finding] {
    gatewayFindings(names) + slowEventFindings(names)
  }

  private func gatewayFindings(_ names: Names) -> [Finding] {
    guard let gateway, isServed else { return [] }
    if case .away(let reason) = gateway.look {
      return [
        Finding(
          "gatewayUnanswered",
          "no gateway at \(gateway.address) could be asked: \(PlainText.oneLine(reason))",
          "start `cubistd run gateway`, or take \(SettingName.gatewayListen.rawValue) out of the "
            + "settings of a machine that runs none")
      ]
    }
    // Its answer then is the lack of a reader.
    guard !isSettling(.reader),
      !roleFindings(names).contains(where: { $0.name.hasPrefix("reader") })
    else { return [] }
    switch gateway.look {
    case .answered(let status, _) where status >= 500:
      return [
        Finding(
          "requestsFail",
          "the gateway at \(gateway.address) answers a player's question with \(status)",
          "its log says why; `curl -i 'http://\(gateway.address)\(Self.question)'` shows the answer"
        )
      ]
    case .answered(_, let time) where time >= Self.slowAnswer:
      return [slowGateway("took \(time) ms to answer a player's question", gateway.address)]
    case .silent(let time):
      return [slowGateway("did not answer a player's question within \(time) ms", gateway.address)]
    case .answered, .away: return []
    }
  }

  private func slowGateway(_ text: String, _ address: ListenAddress) -> Finding {
    Finding(
      "repliesSlow", "the gateway at \(address) \(text)",
      "look at the load of the machines of gateways, readers and database; another reader helps if "
        + "the queue of queries is long")
  }

  /// Queues whose events are handled seconds after they were sent. A queue that is later still is
  /// told by `clockBehind`.
  private func slowEventFindings(_ names: Names) -> [Finding] {
    guard let status, failures.isEmpty, !isSettling(.scheduler), !isRedealing, !servesAnother,
      status.locks.isEmpty, unconsumed(names).isEmpty,
      !status.problems.contains(where: { $0.part == ServiceStatus.Problem.database }),
      !roleFindings(names).contains(where: {
        $0.name.hasPrefix("worker") || $0.name.hasPrefix("scheduler")
      })
    else { return [] }
    let rows = queueRows(names: names)
    let late = rows.compactMap(\.lagSeconds)
    guard let most = late.max(), most >= Self.slowEvents, most <= StatusReport.lagLimit else {
      return []
    }
    let slow = rows.filter { ($0.lagSeconds ?? 0) >= Self.slowEvents }
    return [
      Finding(
        "repliesSlow",
        "events are handled up to \(PlainText.span(most)) after they were sent: \(list(slow))",
        "add workers, up to one a queue; if one queue alone is slow, the log of its worker says why",
        command: "cubistd run worker")
    ]
  }
}
