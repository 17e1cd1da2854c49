import CubeLexicon
import CubeRules
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import Synchronization

/// A constant or a state that a test relies on: without it the test cannot go on.
func required<Value>(_ value: Value?) -> Value {
  guard let value else { preconditionFailure("a test relies on a value that is not there") }
  return value
}

/// A player of the tests with a real key.
struct TestPlayer {
  let name: PlayerName
  let signer: Signer
  var key: PublicKey { signer.publicKey }
  var id: PlayerID { PlayerID(firstKey: key) }
  var owner: KeyOwner { KeyOwner(player: id, name: name) }
  var row: ReaderStore.PlayerRow {
    ReaderStore.PlayerRow(id: id, name: name, registeredAt: .noon.adding(seconds: -86_400))
  }

  init(_ name: String, keyByte: UInt8) {
    self.name = required(PlayerName(name))
    signer = required(Signer.ed25519(seed: Array(repeating: keyByte, count: 32)))
  }

  static let ann = TestPlayer("Ann", keyByte: 0xa1)
  static let bob = TestPlayer("Bob", keyByte: 0xb2)
  static let cyd = TestPlayer("Cyd", keyByte: 0xc3)
  static let all = [ann, bob, cyd]

  /// An event that the player makes; `number` tells it from the player's others.
  func event(_ action: Event.Action, _ number: UInt128 = 1, at time: Instant = .noon) -> Event {
    Event(
      service: .test, id: EventID(at: time, random: number), player: id, action: action)
  }

  /// The body of a message with an event of the player.
  func body(_ event: Event) -> [UInt8] {
    Envelope.encode(signer.signed(PayloadCodec.encode(event), as: .event))
  }

  /// The body of a message with a query of the player.
  func body(_ kind: Query.Kind, _ number: UInt128 = 1, at time: Instant = .noon) -> [UInt8] {
    Envelope.encode(
      signer.sign(
        Query(
          service: .test, id: EventID(at: time, random: number), player: id, kind: kind)))
  }
}

extension Instant {
  /// 2026-05-01T12:00:00Z, the time of every test.
  static let noon = required(Day("2026-05-01")).start.adding(seconds: 12 * 3_600)
}

extension ServiceID {
  static let test = ServiceID(rawValue: 0x5e5e)
}

extension ServiceIdentity {
  static let test: ServiceIdentity = {
    let root = required(Signer.ed25519(seed: Array(repeating: 0x01, count: 32)))
    let worker = required(Signer.ed25519(seed: Array(repeating: 0x02, count: 32)))
    return ServiceIdentity(
      service: .test, rootKey: root.publicKey,
      certificates: [
        KeyCertificate(
          workingKey: worker.publicKey, validFrom: Instant(microseconds: 0),
          validUntil: .noon.adding(seconds: 365 * 86_400), service: .test, root: root)
      ],
      signer: worker, secret: required(ServiceSecret(bytes: Array(0..<32))))
  }()

  /// The same service with a working key of its own number that is certified from `first` until
  /// `end`; signatures of the former one stay certified.
  func renewed(_ number: UInt8 = 3, from first: Instant = .noon, until end: Instant) -> Self {
    let root = required(Signer.ed25519(seed: Array(repeating: 0x01, count: 32)))
    var renewed = self
    renewed.signer = required(Signer.ed25519(seed: Array(repeating: number, count: 32)))
    renewed.certificates.append(
      KeyCertificate(
        workingKey: renewed.signer.publicKey, validFrom: first, validUntil: end,
        service: service, root: root))
    return renewed
  }

  /// The body of a message with an event of the service.
  func body(_ action: Event.Action, at time: Instant = .noon) -> [UInt8] {
    let event = Event(
      service: service, id: EventID(at: time, random: 7), player: player, action: action)
    return Envelope.encode(signer.signed(PayloadCodec.encode(event), as: .service))
  }
}

extension Lexicons {
  static let test = Lexicons(.everyWord)
}

extension MeetingReason {
  static let test = MeetingReason(ratingDistance: 0, window: 100, waitedSeconds: 0)
}

/// Moves from notation.
func moves(_ notations: String...) -> [Move] { notations.map { required(try? Move(notation: $0)) } }

/// A turn that anyone may begin a match with.
let twoRemovals = moves("-222", "-221")

/// Matches as the judge makes them, with their records.
struct Given {
  private(set) var match: Match
  private(set) var entries: [Entry]
  private let identity: ServiceIdentity

  /// A match that Ann asked for; `number` tells it from others.
  init(
    _ opponent: MatchRequest.Opponent = .random, by player: TestPlayer = .ann,
    number: UInt128 = 0, signedBy identity: ServiceIdentity = .test
  ) {
    self.identity = identity
    let isAlone = opponent == .nobody || opponent == .clock
    let request = MatchRequest(
      opponent: opponent, turnLimitSeconds: isAlone ? nil : 86_400)
    let event = player.event(.matchRequested(request), 1_000 + number << 16)
    let claim: ClaimResult? =
      switch opponent {
      case .random: .nothing
      case .player: .granted
      case .open, .nobody, .clock: nil
      }
    let change = Given.judge(event, by: player, nil, claim: claim, identity)
    (match, entries) = (change.after, change.entries)
  }

  /// A random match of Ann and Bob in which Ann has the first turn.
  static var playing: Given { playing(number: 0) }

  /// Another one.
  static func playing(number: UInt128) -> Given {
    var given = Given(number: number)
    given.take(
      TestPlayer.bob.event(
        .matchRequested(MatchRequest(opponent: .random, turnLimitSeconds: 86_400)), 1_001),
      by: .bob, claim: .seat(given.match.id, .test))
    return given
  }

  /// The same match after Bob has given it up in his first turn.
  static var ended: Given {
    var given = Given.playing
    given.take(TestPlayer.ann.event(given.turn(), 1_003), by: .ann)
    given.take(TestPlayer.bob.event(.matchForfeited(given.match.id), 1_002), by: .bob)
    return given
  }

  /// The same, all of it with another working key. Ann plays on a device of hers.
  static func ended(signedBy identity: ServiceIdentity, on device: TestPlayer = .ann) -> Given {
    var given = Given(signedBy: identity)
    given.take(
      TestPlayer.bob.event(
        .matchRequested(MatchRequest(opponent: .random, turnLimitSeconds: 86_400)), 1_001),
      by: .bob, claim: .seat(given.match.id, .test))
    given.take(TestPlayer.ann.event(given.turn(), 1_003), by: device)
    given.take(TestPlayer.bob.event(.matchForfeited(given.match.id), 1_002), by: .bob)
    return given
  }

  /// Judges an event in the match and applies the result.
  mutating func take(_ event: Event, by player: TestPlayer, claim: ClaimResult? = nil) {
    let change = Given.judge(event, by: player, match, claim: claim, identity)
    match = change.after
    entries += change.entries
  }

  /// Two removals that the cube allows as it is.
  var removals: [Move] {
    var game = match.game
    return (0..<2).map { _ in
      let removal = Move.removal(required(game.playable.first(where: { _ in true })).cube)
      _ = try? game.apply(removal, words: Lexicon.everyWord)
      return removal
    }
  }

  /// The turn that is due.
  func turn(_ moves: [Move] = twoRemovals) -> Event.Action {
    .turnPlayed(
      match.id,
      Turn(number: match.turnNumber, previous: match.previousTurnHash, moves: moves))
  }

  private static func judge(
    _ event: Event, by player: TestPlayer, _ match: Match?, claim: ClaimResult?,
    _ identity: ServiceIdentity
  ) -> MatchChange {
    let context = JudgingContext(
      now: .noon, clock: { _ in QueueClock() }, matches: match.map { [$0.id: $0] } ?? [:],
      knownPlayers: Set(TestPlayer.all.map(\.id)), senderName: player.name, claim: claim,
      lexicons: .test, secret: identity.secret,
      sign: { identity.signer.sign($0, match: $1, service: identity.service) })
    let signed = player.signer.signed(PayloadCodec.encode(event), as: .event)
    return required(
      Judge.judge(ReceivedEvent(event: event, signed: signed), context).changes.first)
  }
}

/// A clock that moves only when somebody waits or the test says so.
final class TestClock: Sendable {
  private let nanoseconds = Atomic<UInt64>(1_000_000_000)
  private let elapsed = Atomic<UInt64>(1_000_000_000_000_000)

  var clock: WallClock {
    WallClock(
      now: { .noon }, uptimeNanoseconds: { self.nanoseconds.load(ordering: .relaxed) },
      elapsedNanoseconds: { self.elapsed.load(ordering: .relaxed) },
      sleep: { self.pass($0) })
  }

  /// Lets the time pass that the store's clock is compared with. A lab does so whenever its store's
  /// clock goes on.
  func elapse(_ microseconds: Int64) {
    elapsed.wrappingAdd(UInt64(bitPattern: microseconds &* 1_000), ordering: .relaxed)
  }

  /// Nanoseconds since the test began, and one second.
  var uptime: UInt64 { nanoseconds.load(ordering: .relaxed) }

  func pass(_ duration: Duration) {
    nanoseconds.add(UInt64(duration / .nanoseconds(1)), ordering: .relaxed)
  }
}

/// Numbers that grow by one.
final class TestRandomness: Sendable {
  private let last = Atomic<UInt64>(0)
  var randomness: Randomness {
    Randomness { self.last.add(1, ordering: .relaxed).newValue }
  }
}
