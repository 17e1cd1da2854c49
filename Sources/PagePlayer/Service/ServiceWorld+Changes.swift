package import CubePlay
import CubistPage
import MatchCore
import MatchWire

/// Reads the stream of changes.
struct ChangeReader {
  /// Whether the stream is to be opened.
  var isDue = false
  /// Whether this page is the one that opens it.
  var isLeading = false
  private var parser = EventStreamParser()
  private var overview: Overview?
  /// The next pause before the stream is opened again, in milliseconds.
  private var pause = ChangeReader.firstPause

  private static let firstPause = 1_000
  private static let longestPause = 30_000

  /// Something that the stream tells.
  enum News {
    case overview(Overview)
    case match(Overview.Version)
  }

  /// Takes bytes of the stream in. Nil: they cannot be read.
  mutating func take(_ bytes: [UInt8]) -> [News]? {
    guard let events = parser.take(bytes) else {
      parser = EventStreamParser()
      return nil
    }
    var news: [News] = []
    for event in events {
      do throws(WireFault) {
        switch event.name {
        case "overview":
          let arrived = try Overview(JSONReader.object(of: event.data, limits: .answer))
          pause = Self.firstPause
          if arrived != overview { news.append(.overview(arrived)) }
          overview = arrived
        case "end":
          // A newer stream of the player has the place, and would lose it again.
          let reason = try JSONReader.object(of: event.data).string("reason")
          if reason == "replaced" { pause = Self.longestPause }
        case "match":
          news.append(.match(try Overview.Version(JSONReader.object(of: event.data))))
        default: break
        }
      } catch {
        return nil
      }
    }
    return news
  }

  /// A new stream begins.
  mutating func forget() { parser = EventStreamParser() }

  /// The stream is over. It is opened again after a pause.
  mutating func end() -> PageTimer {
    defer { pause = min(2 * pause, Self.longestPause) }
    return PageTimer(milliseconds: pause, action: "stream")
  }
}

extension ServiceWorld {
  /// Takes bytes of the stream of changes.
  ///
  /// - Returns: The actions that follow; nil: the stream is of no use any more.
  package mutating func streamed(_ bytes: [UInt8]) -> [GameAction]? {
    guard let news = changes.take(bytes) else { return nil }
    for news in news {
      switch news {
      case .match(let version): changed(version)
      case .overview(let overview):
        for version in overview.matches { changed(version) }
        ask(.home, for: .home(.load))
      }
    }
    return found()
  }

  private mutating func changed(_ news: Overview.Version) {
    if let version = known[news.match], version >= news.version, view?.id != news.match { return }
    know(news.match, news.version)
    guard let followed, followed.text == news.match.description else {
      ask(.home, for: .home(.load))
      return
    }
    guard let view, view.version >= news.version else {
      ask(.match(news.match), for: .match(followed, .follow))
      return
    }
  }

  /// The stream of changes is over.
  package mutating func streamEnded() {
    asked = asked.filter { _, step in
      if case .question(.overview) = step.what { false } else { true }
    }
    changes.forget()
    if changes.isLeading { timers.append(changes.end()) }
  }

  /// This page is the one that opens the stream, for all of its player's.
  mutating func lead() {
    // The tab that led before may have passed on a part.
    changes.forget()
    (changes.isLeading, changes.isDue) = (true, true)
  }
}
