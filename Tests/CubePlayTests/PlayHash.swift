import CubePlay
import CubeRules
import CubistBasics

// deploy/wasm compiles this file too.

/// States and effects of a match as one number. `Hasher` would give another one in each process.
struct PlayHash {
  private var hash = FNV1a()

  var value: UInt64 { hash.value }

  mutating func add(_ state: PlayTurn) {
    for byte in state.game.encodedState() { hash.add(byte) }
    switch state.players {
    case .alone(let points): add([0, points])
    case .two(let mine, let theirs): add([1, mine, theirs])
    }
    add(state.turnNumber)
    add(state.stage)
    add(state.lastTurn) { $0.add($1) }
    add(state.notice) { $0.add($1) }
    add(state.offer) { $0.add($1) }
  }

  mutating func add(_ effects: [PlayEffect]) {
    add(effects.count)
    for effect in effects {
      switch effect {
      case .send(let moves, let number):
        add([0, number])
        add(moves)
      case .show(let turn):
        add(1)
        add(turn)
      case .reload: add(2)
      }
    }
  }

  /// The rules' verdict on some moves.
  mutating func add(
    _ moves: [Move], on game: CubeGame, seatCount: Int, words: some WordList
  ) {
    var after = game
    do throws(TurnRefusal) {
      add(try after.applyTurn(moves, seatCount: seatCount, words: words))
      add(after.inPlay)
    } catch {
      add(error.moveIndex)
      add(error.reason)
    }
  }

  mutating func add(_ number: Int) { hash.add(word: UInt64(bitPattern: Int64(number))) }

  mutating func add(_ numbers: [Int]) {
    add(numbers.count)
    for number in numbers { add(number) }
  }

  mutating func add<Value>(_ value: Value?, _ adding: (inout PlayHash, Value) -> Void) {
    add(value == nil ? 0 : 1)
    if let value { adding(&self, value) }
  }
}

extension PlayHash {
  private mutating func add(_ stage: PlayTurn.Stage) {
    switch stage {
    case .over(let ending):
      add(0)
      add(ending)
    case .playing(let turn, let seconds):
      add(1)
      add(seconds) { $0.add($1) }
      switch turn {
      case .mine(let draft):
        add(0)
        add(draft)
      case .theirs(let draft):
        add(1)
        add(draft)
      case .sent(let sent):
        add(sent.delivery == .waits ? 2 : 3)
        add(sent.draft)
        add(sent.turn)
      }
    }
  }

  private mutating func add(_ ending: Ending) {
    switch ending {
    case .cleared: add(0)
    case .forfeited(let player): add(player == .me ? 1 : 2)
    case .timedOut(let player): add(player == .me ? 3 : 4)
    case .finished: add(5)
    case .timeUp: add(6)
    case .stopped: add(7)
    case .void: add(8)
    }
  }

  private mutating func add(_ draft: Draft) {
    add(draft.moves)
    add(draft.word) { hash, word in
      hash.add(word.picks.count)
      for pick in word.picks { hash.add(pick) }
      hash.add(word.ways.count)
      for way in word.ways {
        hash.add(way.faces)
        hash.add(way.vanishing)
      }
      hash.add([word.shownIndex, word.score])
      hash.add(word.word)
      hash.add(word.verdict)
    }
  }

  private mutating func add(_ pick: Pick) {
    switch pick {
    case .letter(let letter): add([0, Int(letter.rawValue)])
    case .qWithoutU: add(1)
    case .face(let face): add([2, face.number])
    }
  }

  private mutating func add(_ verdict: Verdict) {
    switch verdict {
    case .valid: add(0)
    case .unknown: add(1)
    case .tooShort: add(2)
    case .notAWord: add(3)
    case .playedBefore: add(4)
    }
  }

  private mutating func add(_ turn: PlayedTurn) {
    add(turn.player == .me ? 0 : 1)
    add(turn.turn)
  }

  private mutating func add(_ turn: LegalTurn) {
    add(turn.moves)
    add(turn.word)
    add(turn.faces)
    add(turn.score)
    add(turn.vanishing)
  }

  private mutating func add(_ notice: Notice) {
    switch notice {
    case .noPath(let letters): add([0] + letters.map { Int($0.rawValue) })
    case .noCube(let letter): add([1, Int(letter.rawValue)])
    case .rule(let refusal):
      add(2)
      add(refusal)
    case .needed(let cube): add([3, cube.index])
    case .full: add(4)
    case .notYourTurn: add(5)
    case .waiting: add(6)
    case .outdated: add(7)
    case .said(let text):
      add(8)
      add(text)
    }
  }

  private mutating func add(_ refusal: RuleRefusal) {
    add(refusal.name)
    for argument in refusal.arguments { add(argument) }
  }

  private mutating func add(_ moves: [Move]) {
    add(moves.count)
    for move in moves { add(move.description) }
  }

  private mutating func add(_ faces: [Face]) { add(faces.map { $0.number }) }

  private mutating func add(_ cubes: CubeSet) { hash.add(word: UInt64(cubes.rawValue)) }

  private mutating func add(_ text: String) {
    add(text.utf8.count)
    for byte in text.utf8 { hash.add(byte) }
  }
}
