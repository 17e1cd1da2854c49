import CubePlay
import EventBusLive
import Logging
import MatchCore
import MatchInterfaces
import MatchService
import PlayerClient

/// A bot of `cubistd up`: someone to play for a newcomer.
struct BotPlayer: Sendable {
  /// The name of the first one, where nobody else has it.
  static let firstName = "Robot"

  let number: Int
  let address: BrokerAddress
  /// The folder of its key and its pending events.
  let folder: String
  let lexicons: Lexicons
  let clock: WallClock
  let randomness: Randomness
  let log: Logger

  /// The bot as something that runs all the time.
  func role() throws(Interruption) -> any Role {
    let bus = PlayerBus.live(address, clock: clock, log: log)
    do throws(ClientError) {
      let player = try Player.open(
        .live(folder: folder), bus: bus, clock: clock, randomness: randomness, makingKey: true)
      if player.profile.player == nil { try register(player) }
      // Declared at each start, in case the first one ended in between.
      try player.declareBot()
      var habits = Bot.Habits()
      habits.strength = Self.strength(number)
      let bot = Bot(player: player, lexicons: lexicons, randomness: randomness, habits: habits)
      return BotRole(bot: bot, bus: bus, clock: clock, log: log)
    } catch {
      bus.close()
      throw Interruption(error)
    }
  }

  /// The first bot is easy, for players at their first match. The next are stronger, and so on in
  /// turn.
  static func strength(_ number: Int) -> BotStrength {
    let all = BotStrength.allCases
    return all[(number - 1) % all.count]
  }

  /// Registers under the first name that is free.
  private func register(_ player: Player) throws(ClientError) {
    let robot = BotPlayer.firstName
    let first = number == 1 ? robot : "\(robot)-\(number)"
    let names = [first, "\(robot)-\(String(randomness.next() >> 40, radix: 36))"]
    for name in names.compactMap({ PlayerName($0) }) {
      do throws(ClientError) {
        try player.register(name)
        return
      } catch {
        guard case .refused(_, _, .nameTaken?) = error, name.text == names[0] else { throw error }
      }
    }
  }
}

extension Interruption {
  /// A bot's failure as its runner sees it.
  init(_ error: ClientError) {
    if case .unreachable(let failure) = error {
      self = .bus(failure)
    } else {
      self = .bus(.refused("\(error)"))
    }
  }
}

/// Lets a bot play, a look at its matches every second.
private final class BotRole: Role {
  private static let pause: Duration = .seconds(1)

  private let bot: Bot
  private let bus: PlayerBus
  private let clock: WallClock
  private let log: Logger
  private var refusal = Incident(
    Incident.Messages(
      began: "bot refused", lasts: "bot is still refused", ended: "bot is not refused any more"),
    calm: .seconds(10))

  init(bot: Bot, bus: PlayerBus, clock: WallClock, log: Logger) {
    self.bot = bot
    self.bus = bus
    self.clock = clock
    self.log = log
  }

  func step() throws(Interruption) -> Int {
    let acts: [Bot.Act]
    do throws(ClientError) { acts = try bot.step() } catch { throw Interruption(error) }
    var hasFailed = false
    for act in acts {
      guard case .failed(let match, let error) = act else { continue }
      hasFailed = true
      var metadata: Logger.Metadata = ["reason": "\(error)"]
      if let match { metadata["match"] = "\(match)" }
      log.write(refusal.failed(at: clock.uptimeNanoseconds()), metadata: metadata)
    }
    if !hasFailed, refusal.isOpen {
      log.write(refusal.wentWell(at: clock.uptimeNanoseconds()))
    }
    if acts.isEmpty { clock.sleep(BotRole.pause) }
    return acts.count
  }

  func leave() { bus.close() }
}
