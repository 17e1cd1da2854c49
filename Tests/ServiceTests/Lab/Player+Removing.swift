import CubeRules
import MatchCore
import PlayerClient
import Testing

extension Player {
  /// Plays a turn that scores nothing.
  func removeTwoCubes(in match: MatchID) throws {
    let view = try self.match(match)
    let cubes = try ["222", "221"].map { try #require(Cube(notation: $0)) }
    _ = try play(cubes.map { .removal($0) }, in: view)
  }
}
