/// The attacks of hostile players, by the names in the run's report.
package enum AttackKind: String, Hashable, Sendable, Codable, CaseIterable {
  // MARK: Properties and headers
  /// A count of deliveries as high as an integer goes, on a message that is new.
  case countHuge = "count-huge"
  /// A count of deliveries below zero.
  case countNegative = "count-negative"
  /// A count of deliveries that is text, a number with a point, a table or nothing.
  case countOdd = "count-odd"
  /// A count of deliveries at which a message would be judged alone or buried.
  case countOverLimit = "count-over-limit"
  /// Two counts of deliveries in one message.
  case countTwice = "count-twice"
  /// An honest player's event, sent again with a forged count.
  case replayCounted = "replay-counted"
  /// A time to live of nothing to some seconds, on events and queries.
  case expiration
  /// A time to live that is no number: the broker closes the channel.
  case expirationOdd = "expiration-odd"
  /// A priority at which RabbitMQ 4 delivers a message before earlier ones, on new events and on honest
  /// players'.
  case priority
  /// `CC` and `BCC` that name every slot and the service's queues.
  case carbonCopies = "carbon-copies"
  /// The headers that a broker writes when it gives a message up.
  case deathHeaders = "death-headers"
  /// Header tables within each other.
  case nestedHeaders = "nested-headers"
  /// Every property as long or high as it may be.
  case longProperties = "long-properties"
  /// Messages that the broker may forget.
  case transient
  /// Somebody else's name as the sender: the broker closes the channel.
  case foreignUser = "foreign-user"

  // MARK: Addresses
  /// A slot that is another event's, or none.
  case wrongSlot = "wrong-slot"
  /// An exchange that players may not write to: the broker closes the channel.
  case forbiddenExchange = "forbidden-exchange"
  /// A queue that players may not read: the broker closes the channel.
  case forbiddenQueue = "forbidden-queue"
  /// Reply-to addresses that are made up, a hundred at once.
  case madeUpReplies = "made-up-replies"
  /// Reply-to addresses that name queues.
  case foreignReplies = "foreign-replies"
  /// Much is asked, and the connection ends before the answers come.
  case deafAsker = "deaf-asker"

  // MARK: Bytes
  /// Bytes without meaning.
  case garbage
  /// More than the broker takes: it closes the channel.
  case oversized
  /// As much as the broker, or the service, takes.
  case largest
  /// A signature that is not the key's.
  case badSignature = "bad-signature"
  /// Somebody else's id above the attacker's own signature.
  case foreignPlayer = "foreign-player"
  /// An event of another deployment.
  case foreignService = "foreign-service"
  /// Events and queries of keys that nobody knows.
  case strangers
  /// An event of next hour.
  case datedAhead = "dated-ahead"
  /// An event of last week.
  case datedBehind = "dated-behind"
  /// Honest players' events, sent again as they were.
  case replay
  /// Events that only the service may send: ticks, deadlines, rulings, mergers.
  case serviceWord = "service-word"

  // MARK: Acts of registered players
  /// As many invitations to one player as there may be.
  case invitationFlood = "invitation-flood"
  /// Requests with odd terms, which are withdrawn later.
  case openRequests = "open-requests"
  /// Pairings with the quickest turns there are, and no turn played.
  case quickTurns = "quick-turns"
  /// Giving up, withdrawing, accepting or sharing matches of others.
  case othersMatches = "others-matches"
  /// Turns in matches of others.
  case othersTurns = "others-turns"
  /// Names that are taken, and registering again.
  case registrations
  /// Settings and devices, more of them than are kept.
  case settings
  /// Blocking everybody, and unblocking.
  case blocks
  /// Games of one player, begun and given up; the day's game again and again.
  case soloFlood = "solo-flood"

  // MARK: Queries
  /// Queries of all kinds from many accounts.
  case queryFlood = "query-flood"
  /// Unknown keys ask for the service's description.
  case serviceInfoFlood = "service-info-flood"
  /// The dearest queries there are: reviews, leaderboards, histories.
  case reviewFlood = "review-flood"
  /// Waiting for changes that do not come, from many accounts.
  case watchFlood = "watch-flood"
  /// Others' matches, as of versions that tell whether they exist.
  case probes
  /// Codes of matches and of devices that are guessed.
  case codeGuesses = "code-guesses"
  /// Queries that are too old or too new.
  case staleQueries = "stale-queries"

  /// Whether a yes to it would be wrong.
  var isNeverGranted: Bool {
    switch self {
    case .priority, .wrongSlot, .garbage, .largest, .badSignature, .foreignPlayer, .foreignService,
      .strangers, .datedAhead, .datedBehind, .serviceWord, .othersMatches, .othersTurns,
      .registrations, .probes, .codeGuesses, .staleQueries:
      true
    default: false
    }
  }

  /// Whether the broker closes the attacker's channel.
  var endsChannel: Bool {
    switch self {
    case .expirationOdd, .foreignUser, .forbiddenExchange, .forbiddenQueue, .oversized: true
    default: false
    }
  }
}
