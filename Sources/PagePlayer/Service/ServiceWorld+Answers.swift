import CubeLexicon
package import CubePlay
import CubeRules
package import MatchCore
import MatchWire
import ServiceNews

extension ServiceWorld {
  /// Takes a reply or an answer. The fault of it is the `trouble` afterwards.
  ///
  /// - Parameters:
  ///   - now: The time of the page's own clock when it came.
  ///   - roundTrip: Microseconds between asking and answer.
  package mutating func hear(
    _ bytes: [UInt8], at now: Instant, roundTrip: Int64
  ) -> [GameAction] {
    // Another service has nothing to say.
    guard trouble?.isFinal != true else { return [] }
    (trouble, lastFailure) = (nil, nil)
    do throws(ReplyFault) {
      return try isReply(bytes)
        ? try hearReply(bytes, at: now) : try hearAnswer(bytes, at: now, roundTrip)
    } catch {
      trouble = Trouble(error)
      return []
    }
  }

  /// Takes the content of a public answer, without which there is nothing at its path.
  package mutating func published(
    _ content: [UInt8]?, to id: EventID, at now: Instant, roundTrip: Int64
  ) -> [GameAction] {
    guard trouble?.isFinal != true, let step = asked[id], case .question(let question) = step.what
    else { return [] }
    if let content, !question.isOfRecord {
      let answer = "{\"v\":1,\"query\":\"\(id)\",\"ok\":".utf8 + content + "}".utf8
      return hear(answer, at: now, roundTrip: roundTrip)
    }
    // There is a service, or nobody would have sent the page.
    if question == .service { return lost(id) }
    asked[id] = nil
    if let content {
      take(content, answering: question)
      return found()
    }
    let nothing = "No shared game has that code."
    recordFailed(step, nothing)
    guard case .match(let key, _)? = step.effect else { return found() }
    return found() + [.match(key, .failed(nothing))]
  }

  private func isReply(_ bytes: [UInt8]) throws(ReplyFault) -> Bool {
    do throws(WireFault) {
      return try JSONReader.object(of: bytes, limits: .answer).optional("event") != nil
    } catch {
      throw ReplyFault(error)
    }
  }

  private mutating func hearAnswer(
    _ bytes: [UInt8], at now: Instant, _ roundTrip: Int64
  ) throws(ReplyFault) -> [GameAction] {
    let (query, answer) = try ReceivedAnswer.read(bytes)
    guard let query, let step = asked[query], case .question(let question) = step.what else {
      trouble = .foreign
      return []
    }
    asked[query] = nil
    defer { askAgain(step) }
    switch answer {
    case .ok(let object):
      let found = question == .service ? [] : found()
      do throws(ReplyFault) {
        return found + (try take(object, to: question, step, at: now, roundTrip))
      } catch {
        trouble = Trouble(error)
        return found + failed(step, error.description)
      }
    case .refused(let name, let message, let refusal):
      if exportGoesOn(question, without: refusal, at: account.time(at: now)) { return found() }
      if case .unavailable? = refusal { lastFailure = query }
      let text = refusal == nil ? "\(message) \(Self.help(query))" : message
      return refused(question, step, Trouble(name: name, message: text), refusal)
    }
  }

  private mutating func take(
    _ object: JSONObject, to question: Question, _ step: Step, at now: Instant, _ roundTrip: Int64
  ) throws(ReplyFault) -> [GameAction] {
    if case .service = question {
      let info = try read(object) { object throws(WireFault) in try ServiceInfo(object) }
      trouble = account.take(info, at: now, roundTrip: roundTrip)
      isMet = trouble == nil
      if let trouble {
        newcomerFailed(step, trouble.message)
      } else {
        askInviter()
        askRecovery()
        askProgress()
      }
      return isMet ? found() : []
    }
    if question.isOfRecord {
      let answer = try read(object) { object throws(WireFault) in try RecordAnswer(object) }
      take(Array(answer.record.utf8), answering: question)
      return []
    }
    if case .inviter = question {
      showCode(to: try read(object) { object throws(WireFault) in try InvitingPlayer(object) })
      return []
    }
    if case .recoveryOf(let name, let isByWords) = question {
      let view = try read(object) { object throws(WireFault) in
        let view = try RecoveryView(object)
        guard view.name.key == name.key else { throw .malformed("player is not \(name)") }
        return view
      }
      return take(view, isByWords: isByWords, at: account.time(at: now))
    }
    if case .pushDesk = question {
      let settings = try read(object) { object throws(WireFault) in try SettingsView(object) }
      push.take(settings, at: account.time(at: now))
      accountDesk.leavesAt = settings.leavesAt
      return []
    }
    if case .exported(let kind) = question {
      try read(object) { object throws(WireFault) in
        try takeExported(object, answering: kind, at: account.time(at: now))
      }
      return []
    }
    // The stream is no answer.
    guard let effect = step.effect else { return [] }
    return try read(object) { object throws(WireFault) in
      try take(object, to: question, for: effect, step.version, at: account.time(at: now))
    }
  }

  /// A question of a form, a record or a file has no answer of use.
  mutating func formFailed(_ step: Step, _ text: String) {
    recordFailed(step, text)
    newcomerFailed(step, text)
    exportFailed(step, text)
  }

  /// A question of somebody without a name has no answer of use.
  mutating func newcomerFailed(_ step: Step, _ text: String) {
    additionFailed(step, text)
    recoveryFailed(step, text)
  }

  /// A question has no answer of use.
  private mutating func failed(_ step: Step, _ text: String) -> [GameAction] {
    formFailed(step, text)
    guard case .question(.service) = step.what else {
      return step.effect.map { failed($0, .said(text)) } ?? []
    }
    searchLater()
    return GameEffect.home(.load).failed(.said(text))
  }

  private func read<Value>(
    _ object: JSONObject, _ make: (JSONObject) throws(WireFault) -> Value
  ) throws(ReplyFault) -> Value {
    do throws(WireFault) {
      return try make(object)
    } catch {
      throw ReplyFault(error)
    }
  }

  /// - Parameters:
  ///   - version: The least version in which a match was asked for.
  ///   - now: The service's time.
  private mutating func take(
    _ object: JSONObject, to question: Question, for effect: GameEffect, _ version: Int64?,
    at now: Instant
  ) throws(WireFault) -> [GameAction] {
    switch question {
    case .service, .overview, .record, .sharedRecord, .inviter, .recoveryOf, .pushDesk, .exported:
      return []
    case .home: return take(try HomeView(object), for: effect, at: now)
    case .homeBefore(let player):
      guard case .menu(.newMatch(.start(.named(_, let terms), _))) = effect else { return [] }
      return try HomeView(object).waits(for: player)
        ? [.menu(.newMatch(.answered(.invitedBefore)))] : request(.player(player), terms, effect)
    case .match(let id):
      let found = try MatchView(object)
      guard found.id == id else { throw .malformed("match is not \(id)") }
      return take(found, for: effect, version, at: now)
    case .matchAfterRefusal(let id):
      let found = try MatchView(object)
      guard found.id == id else { throw .malformed("match is not \(id)") }
      guard case .match(let key, .play(.send(let moves, let number))) = effect else { return [] }
      if followed == key { view = found }
      return [.match(key, .play(.answered(answer(to: moves, number, in: found, now))))]
    case .sharedGame:
      guard case .match(let key, _) = effect else { return [] }
      let found = try MatchView(object)
      if followed == key { view = found }
      return arrived(found, key, effect, at: now)
    case .invitation(let code):
      tell(.invitationAccepted(try MatchView(object).id, code: code), for: effect)
      return []
    case .player(let name):
      let found = try PlayerView(object)
      guard found.name.key == name.key else { throw .malformed("player is not \(name)") }
      return take(found, for: effect)
    case .whoAmI:
      let own = try PlayerView(object)
      guard case .match(let key, _) = effect, own.id == account.player, let rating = own.rating
      else { return [] }
      return [.match(key, .ratingArrived(Strength(rating)))]
    case .standings(let status):
      let standings = try Standings(object)
      return shown(BoardNews(status, standings, for: account.player, now: now), effect)
    case .leaderboard:
      return shown(BoardNews(try LeaderboardView(object), for: account.player), effect)
    case .ladder: return shown(BoardNews(try Ladder(object), for: account.player), effect)
    case .dailyHistory: return shown(BoardNews(try DailyHistory(object)), effect)
    case .review: return shown(BoardNews(try WeekInReview(object)), effect)
    case .inbox:
      let rows = try InboxView(object).items.map { InboxRow($0, now: now) }
      return [.menu(.inbox(.arrived(rows)))]
    case .pastGames:
      guard case .menu(.pastGames(.load(let wanted, after: let place))) = effect else { return [] }
      let news = PastGamesNews(try PastGames(object), now: now)
      return [.menu(.pastGames(.arrived(wanted, news, after: place)))]
    case .settings:
      let settings = try SettingsView(object)
      push.take(settings, at: now)
      accountDesk.leavesAt = settings.leavesAt
      ask(.blocks(settings), for: effect)
      return []
    case .headToHead(let player):
      let summary = try HeadToHead(object)
      guard summary.opponent == player else { throw .malformed("opponent is not \(player)") }
      ask(.blocksBeside(summary), for: effect)
      return []
    case .blocksBeside(let summary):
      guard case .menu(.player(.load(let name))) = effect else { return [] }
      let isBlocked = try BlockList(object).players.contains { $0.player == summary.opponent }
      return [.menu(.player(.arrived(name, PlayerNews(summary, isBlocked: isBlocked))))]
    case .keys:
      let news = KeysNews(try KeyList(object), own: account.key, code: deviceHash, now: now)
      recovery = news.recovery
      return [.menu(.keys(.arrived(news)))]
    case .blocks(let settings):
      let values = SettingsValues(settings, try BlockList(object), now: now)
      return [.menu(.settings(.arrived(values)))]
    }
  }

  private func shown(_ news: BoardNews, _ effect: GameEffect) -> [GameAction] {
    guard case .menu(.boards(.load(let board))) = effect else { return [] }
    return [.menu(.boards(.arrived(board, news)))]
  }

  private mutating func take(
    _ home: HomeView, for effect: GameEffect, at now: Instant
  ) -> [GameAction] {
    switch effect {
    case .home(.grant(.daily(let clock))), .menu(.boards(.start(let clock))),
      .menu(.newMatch(.start(.daily(let clock), _))):
      let today = home.daily(SoloMode(clock))
      if let match = today.match { return began(MatchKey(match), by: effect) }
      tell(.dailyStarted(today.daily), for: effect)
      return []
    case .menu(.boards(.load(.today(let clock)))):
      let status = home.daily(SoloMode(clock))
      // A challenge that was not dealt has no standings.
      guard status.isDealt else {
        return shown(BoardNews(status, nil, for: account.player, now: now), effect)
      }
      ask(.standings(status), for: effect)
      return []
    default:
      var list = HomeList(
        home, name: account.name, now: now, told: told.isEmpty ? nil : told.joined(separator: " "))
      (list.started, started, told) = (started, nil, [])
      return [.home(.arrived(list))]
    }
  }

  /// The actions after a match has begun that an effect has asked for.
  func began(_ key: MatchKey, by effect: GameEffect) -> [GameAction] {
    switch effect {
    case .home(.grant): [.home(.granted(key))]
    case .menu(.newMatch): [.menu(.newMatch(.answered(.began(key))))]
    case .menu(.boards): [.menu(.boards(.began(key)))]
    default: []
    }
  }

  private mutating func take(_ player: PlayerView, for effect: GameEffect) -> [GameAction] {
    switch effect {
    case .menu(.newMatch(.start(.named(_, let terms), let isSure))):
      if isSure { return request(.player(player.id), terms, effect) }
      ask(.homeBefore(inviting: player.id), for: effect)
      return []
    case .menu(.settings): return found(player, effect)
    case .menu(.player) where player.id == account.player:
      return effect.failed(.yourself)
    case .menu(.pastGames(.load(let wanted, after: let place))):
      ask(wanted, with: player.id, after: place, for: effect)
      return []
    case .menu(.player(.load)):
      ask(.headToHead(player.id), for: effect)
      return []
    case .menu(.player(.wish(let wish, _))):
      tell(wish == .unblock ? .playerUnblocked(player.id) : .playerBlocked(player.id), for: effect)
      return []
    default: return []
    }
  }
}

// MARK: - Matches

extension ServiceWorld {
  private mutating func take(
    _ found: MatchView, for effect: GameEffect, _ version: Int64?, at now: Instant
  ) -> [GameAction] {
    guard case .match(let key, let wanted) = effect else { return [] }
    know(found.id, found.version)
    if case .play(.send(let moves, let number)) = wanted {
      if followed == key { view = found }
      if found.turn == number, found.stage != .ended {
        tell(.turn(moves, in: found), for: effect)
        return []
      }
      return [.match(key, .play(.answered(answer(to: moves, number, in: found, now))))]
    }
    let isSeated = found.seats.contains { $0.player == account.player && $0.state == .taken }
    guard isSeated else {
      return effect.failed(
        .said("You have no seat in this match. An invitation is accepted from the list."))
    }
    if followed == key { view = found }
    // News came after the question.
    if let latest = known[found.id], latest > max(found.version, version ?? .min) {
      ask(.match(found.id), for: effect)
    }
    // The list has the code by which somebody joins it.
    if found.stage == .waiting { ask(.home, for: .home(.load)) }
    return arrived(found, key, effect, at: now)
  }

  private func arrived(
    _ found: MatchView, _ key: MatchKey, _ effect: GameEffect, at now: Instant
  ) -> [GameAction] {
    do throws(MatchViewFault) {
      let words = found.lexicon == words.version.rawValue ? words : nil
      let news = try MatchNews(found, for: account.player, now: now, words: words)
      let arrived = GameAction.match(key, .arrived(news))
      // Two matches that waited for anyone became one.
      guard followed == key, let other = found.outcome?.mergedInto else { return [arrived] }
      return [arrived, .home(.granted(MatchKey(other)))]
    } catch {
      return effect.failed(.said(error.description))
    }
  }

  private func answer(
    to moves: [Move], _ number: Int, in found: MatchView, _ now: Instant
  ) -> Answer {
    Answer(toTurn: number, moves, of: account.player, in: found, now: now)
  }

  /// Remembers a version that was heard of. Only the latest matches are remembered.
  mutating func know(_ id: MatchID, _ version: Int64) {
    known[id] = max(known[id] ?? version, version)
    guard known.count > 2 * Overview.matchLimit else { return }
    known = known.filter { $0.key == view?.id || $0.key == id }
  }
}

// MARK: - Refusals of questions

extension ServiceWorld {
  private mutating func refused(
    _ question: Question, _ step: Step, _ refused: Trouble, _ refusal: QueryRefusal?
  ) -> [GameAction] {
    if let seconds = refusal?.retryAfterSeconds { return away(step, refused, refusal, seconds) }
    if case .service = question {
      trouble = refused
      return failed(step, refused.message)
    }
    let found = found()
    if isKeyLost(refusal) { return found + loseKey() }
    switch (question, refusal) {
    case (_, .expired?) where !step.isSecondTry:
      tryByRightTime(step)
      return found
    case (_, .notRegistered?): account.name = nil
    case (.player, .unknownPlayer?): if let effect = step.effect { return found + nobody(effect) }
    case (.inviter, .codeUnknown?):
      additionFailed(step, Refusal.deviceCodeInvalid.message)
      return found
    case (.recoveryOf(let name, _), .notPermitted?):
      recoveryUnknown(name, step)
      return found
    default: break
    }
    formFailed(step, refused.message)
    guard let effect = step.effect else {
      if !question.isOfForm { trouble = refused }
      return found
    }
    return found + failed(effect, .said(refused.message))
  }

  /// The service will answer later.
  private mutating func away(
    _ step: Step, _ refused: Trouble, _ refusal: QueryRefusal?, _ seconds: Int64
  ) -> [GameAction] {
    if exportPauses(step, refusal) { return [] }
    searchLater(atLeast: seconds)
    recordFailed(step, ScreenTrouble.away.text)
    exportFailed(step, ScreenTrouble.away.text)
    newcomerFailed(step, refused.message)
    if case .question(.service) = step.what { trouble = refused }
    let effect = step.effect ?? .home(.load)
    if case .unavailable? = refusal { return failed(effect, .away) }
    return failed(effect, .said(refused.message))
  }

  private mutating func nobody(_ effect: GameEffect) -> [GameAction] {
    switch effect {
    case .menu(.settings): nobodyFound(effect)
    case .menu(.player), .menu(.pastGames): effect.failed(.nobody)
    default: [.menu(.newMatch(.answered(.wrongName("nobody has that name"))))]
    }
  }
}
