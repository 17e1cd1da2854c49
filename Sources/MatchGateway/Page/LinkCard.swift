import MatchWire

/// The text that a chat shows for a link to the page, beside the page's picture: Open Graph
/// (https://ogp.me).
struct LinkCard: Hashable, Sendable {
  var title: String
  var text: String

  static let game = LinkCard(
    title: "Cubist", text: "A word game on a cube of letters. Play a match here and now.")
  static let invitation = LinkCard(
    title: "You are invited to a match of Cubist",
    text: "A word game on a cube of letters. Open the link, take a name, and play.")
  static let sharedGame = LinkCard(
    title: "A game of Cubist", text: "Look at it turn by turn, and check that nobody cheated.")

  /// The card of a shared game with its players' names and points.
  init(of match: MatchView) {
    self = .sharedGame
    let names = match.seats.compactMap { seat in seat.name.map { "\($0) \(seat.points)" } }
    if names.count == match.seats.count { title = names.joined(separator: " : ") }
  }

  private init(title: String, text: String) { (self.title, self.text) = (title, text) }

  /// The tags for the head of the page.
  ///
  /// - Parameter picture: The picture's address. Many sites want the whole of it.
  func tags(picture: String) -> String {
    let properties = [
      ("type", "website"), ("site_name", "Cubist"), ("title", title), ("description", text),
      ("image", picture), ("image:width", "1200"), ("image:height", "630"),
      ("image:alt", "A cube of letters in the middle of a match, and the words that were played."),
    ]
    let lines = properties.map {
      "<meta property=\"og:\($0)\" content=\"\(LinkCard.escaped($1))\">\n"
    }
    return lines.joined() + "<meta name=\"twitter:card\" content=\"summary_large_image\">\n"
  }

  /// Goes by scalars: a combining mark makes one character with the sign before it.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
