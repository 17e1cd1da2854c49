import ServiceNews
import CubePlay
import GameScreens
import MatchCore
import MatchInterfaces
import PlayerClient
import Synchronization

extension ScreenClient {
  /// The service that a plan names: one connection waits for changes, one is for all the rest.
  static func live(
    _ plan: ScreenPlan, clock: WallClock, lexicons: Lexicons,
    _ makePlayer: @escaping @Sendable () throws -> Player
  ) -> ScreenClient {
    let views = KnownViews()
    let link = { @Sendable (label: String) in
      ServiceLink(label, plan, clock: clock, lexicons: lexicons, views: views, makePlayer)
    }
    let acts = link("cubist.acts")
    // It never asks the service, so that nothing that does not answer holds it up.
    let keeper = link("cubist.keeper")
    let changes = ChangeLinks(isShared: GatewayAddress.isGateway(plan.url)) {
      link("cubist.changes")
    }
    var client = ScreenClient(
      home: { () async throws(ScreenTrouble) in
        // The pending events of an earlier program go first, as with every command.
        try await acts.resendPending()
        return try await acts.home()
      },
      match: { key, version async throws(ScreenTrouble) in
        // A shared game is looked at once in a while: no message tells of its changes.
        if version != nil, key.code != nil { try? await Task.sleep(for: .seconds(60)) }
        // A look without a version does not queue behind one that waits for a change.
        guard let version else { return try await acts.match(key, newerThan: nil) }
        return try await changes.link(for: key).match(key, newerThan: version) {
          changes.isLatest(key)
        }
      },
      play: { key, moves, number async throws(ScreenTrouble) in
        try await acts.play(key, moves, number: number)
      },
      rematch: { key in await acts.rematch(key) },
      grant: { wish async throws(ScreenTrouble) in try await acts.grant(wish) })
    client.keep = { key, moves, number async throws(ScreenTrouble) in
      if try await keeper.keep(key, moves, number: number) { return true }
      _ = try await acts.match(key, newerThan: nil)
      return try await keeper.keep(key, moves, number: number)
    }
    client.giveUp = { key in await acts.giveUp(key) }
    client.share = { key in await acts.share(key) }
    client.react = { key, word, turn async throws(ScreenTrouble) in
      try await acts.react(key, with: word, to: turn)
    }
    client.rating = { () async throws(ScreenTrouble) in try await acts.rating() }
    client.menus = .live(acts)
    return client
  }
}

extension MenuClient {
  fileprivate static func live(_ acts: ServiceLink) -> MenuClient {
    var client = MenuClient(
      checks: .live(hasTimeZone: TimeZoneList.has),
      start: { wanted, isSure async throws(ScreenTrouble) in
        try await acts.start(wanted, isSure: isSure)
      },
      board: { board async throws(ScreenTrouble) in try await acts.board(board) },
      daily: { clock async throws(ScreenTrouble) in try await acts.daily(clock) },
      pastGames: { wanted, place async throws(ScreenTrouble) in
        try await acts.pastGames(wanted, after: place)
      },
      settings: { () async throws(ScreenTrouble) in try await acts.settings() },
      save: { edits async throws(ScreenTrouble) in try await acts.save(edits) },
      inbox: { () async throws(ScreenTrouble) in try await acts.inbox() },
      see: { wanted async throws(ScreenTrouble) in try await acts.see(wanted) },
      player: { name async throws(ScreenTrouble) in try await acts.player(named: name) },
      wish: { wish, name async throws(ScreenTrouble) in
        try await acts.carryOut(wish, about: name)
      })
    client.keys = { () async throws(ScreenTrouble) in try await acts.keys() }
    client.inviteDevice = { () async throws(ScreenTrouble) in try await acts.inviteDevice() }
    client.removeKey = { key async throws(ScreenTrouble) in try await acts.removeKey(key) }
    client.recover = { effect async throws(ScreenTrouble) in try await acts.recover(effect) }
    return client
  }
}

/// The connection on which changes of one match are awaited. A new match gets a new connection, so
/// that it does not wait for an answer about the old one. Where one stream tells of all matches, its
/// connection is kept, and the wait for the old match ends at once.
private final class ChangeLinks: Sendable {
  private let latest = Mutex<(key: MatchKey, link: ServiceLink)?>(nil)
  private let isShared: Bool
  private let make: @Sendable () -> ServiceLink

  init(isShared: Bool, _ make: @escaping @Sendable () -> ServiceLink) {
    self.isShared = isShared
    self.make = make
  }

  func isLatest(_ key: MatchKey) -> Bool { latest.withLock { $0?.key == key } }

  func link(for key: MatchKey) -> ServiceLink {
    latest.withLock { latest in
      if let known = latest, known.key == key { return known.link }
      let link = isShared ? latest?.link ?? make() : make()
      latest = (key, link)
      return link
    }
  }
}

extension ScreenClient {
  /// Keeps how far the first steps have come in a profile. Steps that cannot be kept are shown once
  /// more.
  mutating func keepFirstSteps(
    in makeStore: @escaping @Sendable () -> ProfileStore,
    failed: @escaping @Sendable (ProfileError?) -> Void
  ) {
    keepFirstSteps = { progress in
      do throws(ProfileError) {
        try makeStore().saveFirstSteps(progress.text)
        failed(nil)
      } catch {
        failed(error)
      }
    }
  }
}
