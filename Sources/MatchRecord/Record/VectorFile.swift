import CubeLexicon
import CubeRules
import MatchCore

/// Games of one player with their own word lists, to compare this build's rules with another's.
///
/// An array of `{"puzzle": [27 strings such as "A QU B"], "words": […], "moves": [{"word": "212L
/// 202R"} or {"remove": "212"}, …]}`. Any other field is ignored.
public enum VectorFile {
  /// Judges every move of every game. A move that is not accepted changes nothing.
  /// - Throws: `RecordFileError`, for any bytes that are not such a file.
  public static func judge(_ bytes: [UInt8]) throws(RecordFileError) -> [GameReport] {
    guard bytes.count <= RecordDocument.byteLimit else {
      throw .tooLarge(byteCount: bytes.count, limit: RecordDocument.byteLimit)
    }
    do throws(WireFault) {
      guard case .array(let games) = try JSONReader.value(of: bytes, limits: .file) else {
        throw .malformed("an array of games is due")
      }
      var reports: [GameReport] = []
      for (index, game) in games.enumerated() {
        guard case .object(let object) = game else {
          throw .malformed("game \(index): an object is due")
        }
        do throws(WireFault) {
          reports.append(try judge(object))
        } catch {
          if case .malformed(let text) = error { throw .malformed("game \(index): \(text)") }
          throw error
        }
      }
      return reports
    } catch {
      throw RecordFileError(error)
    }
  }

  /// Whether bytes begin like such a file. If not, they may be a record.
  public static func isVectorFile(_ bytes: [UInt8]) -> Bool {
    let space: Set<UInt8> = [0x20, 0x0a, 0x0d, 0x09]
    return bytes.first { !space.contains($0) } == UInt8(ascii: "[")
  }

  private static func judge(_ object: JSONObject) throws(WireFault) -> GameReport {
    let cubes = try object.strings("puzzle", count: 27)
    let faces = cubes.map { $0.split(separator: " ", omittingEmptySubsequences: false) }
    let letters = faces.joined().map { $0 == "QU" ? "Q" : String($0) }
    guard faces.count == 27, faces.allSatisfy({ $0.count == 3 }),
      letters.allSatisfy({ $0.utf8.count == 1 }), let puzzle = Puzzle(letters.joined())
    else { throw .malformed("puzzle is not 27 times three letters") }
    let words = try object.strings("words", count: 1 << 20, limit: 256)
    let lexicon = Lexicon.only(words)
    var game = CubeGame(puzzle: puzzle)
    var report = GameReport()
    for (index, move) in try object.objects("moves", count: 1 << 20).enumerated() {
      let move = try read(move, index)
      do throws(RuleRefusal) {
        let score = try game.apply(move, words: lexicon)
        report.append(score: score, playable: game.playable.digits)
      } catch {
        report.append(reason: error.name, playable: game.playable.digits)
      }
    }
    return report
  }

  private static func read(_ object: JSONObject, _ index: Int) throws(WireFault) -> Move {
    let notation: String
    do throws(WireFault) {
      notation =
        object.optional("remove") != nil
        ? "-" + (try object.string("remove", limit: 8))
        : try object.string("word", limit: Move.notationLimit)
    } catch {
      guard case .malformed(let text) = error else { throw error }
      throw .malformed("move \(index): \(text)")
    }
    guard !notation.isEmpty else { return .word([]) }
    do throws(NotationError) {
      return try Move(notation: notation)
    } catch {
      throw .malformed("move \(index): \(error)")
    }
  }
}
