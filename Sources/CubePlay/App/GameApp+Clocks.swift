extension GameApp {
  /// What is shown of the game where a clock that is in sight shows other seconds, such as whole
  /// minutes.
  public func showing(_ seconds: (Int) -> Int) -> GameApp {
    var app = self
    var isHome = false
    if case .home = place { isHome = true }
    if let rows = app.home.list?.rows {
      app.home.list?.rows = rows.map { row in
        var row = row
        row.secondsLeft = isHome ? row.secondsLeft.map { seconds($0) } : nil
        return row
      }
    }
    if case .match(var match) = place, case .shown(var table) = match.content,
      case .playing(let turn, let left?) = table.turn.stage
    {
      table.turn.stage = .playing(turn, secondsLeft: seconds(left))
      match.content = .shown(table)
      app.place = .match(match)
    }
    return app
  }
}
