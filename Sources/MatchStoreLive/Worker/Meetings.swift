internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  // Each player's blocks are read once; their number is bounded. Without OFFSET the planner looks
  // for each pair.
  static let blocksAmong = SQL(
    "blocksAmong",
    """
    SELECT b.player, b.blocked FROM unnest($1) AS u (player)
    CROSS JOIN LATERAL (
      SELECT player, blocked FROM blocks WHERE player = u.player OFFSET 0
    ) AS b
    WHERE b.blocked = ANY($1)
    """)
  static let blocksStanding = SQL(
    "blocksStanding",
    """
    SELECT b.player, b.blocked FROM unnest($1, $2) AS u (player, blocked)
    JOIN blocks AS b ON b.player = u.player AND b.blocked = u.blocked
    """)
  static let blockCounts = SQL(
    "blockCounts",
    """
    SELECT u.player, (SELECT count(*) FROM (
      SELECT FROM blocks AS b WHERE b.player = u.player LIMIT $2) AS c)
    FROM unnest($1) AS u (player)
    """)
  static let guardBlocks = SQL("guardBlocks", "SELECT cubist_guard_blocks($1, $2, $3)")
  static let insertBlocks = SQL(
    "insertBlocks",
    """
    INSERT INTO blocks (player, blocked, since)
    SELECT * FROM unnest($1, $2, $3) AS u (player, blocked, since) ORDER BY player, blocked
    ON CONFLICT (player, blocked) DO NOTHING
    """)
  static let deleteBlocks = SQL(
    "deleteBlocks",
    """
    DELETE FROM blocks WHERE (player, blocked) IN (
      SELECT b.player, b.blocked FROM unnest($1, $2) AS u (player, blocked)
      JOIN blocks AS b ON b.player = u.player AND b.blocked = u.blocked
      ORDER BY b.player, b.blocked FOR UPDATE OF b)
    """)
  static let blockedPlayers = SQL(
    "blockedPlayers",
    """
    SELECT p.id, p.name, b.since FROM blocks AS b JOIN players AS p ON p.id = b.blocked
    WHERE b.player = $1 ORDER BY p.name_key LIMIT $2
    """)
  // A match waits if its seat can be taken: by chance, by invitation, by code.
  static let loads = SQL(
    "loads",
    """
    SELECT s.player, count(*), count(*) FILTER (WHERE
      EXISTS (SELECT FROM open_seats AS o WHERE o.match = s.match)
      OR EXISTS (SELECT FROM pairs AS p WHERE p.match = s.match)
      OR EXISTS (SELECT FROM invitation_codes AS c WHERE c.match = s.match
        AND NOT EXISTS (SELECT FROM seats AS t WHERE t.match = s.match AND t.seat = 1)))
    FROM seats AS s WHERE s.player = ANY($1) AND NOT s.is_invited GROUP BY s.player
    """)
  // For each bot among the players the matches that are not over and its invitations, with each other
  // player and with nobody yet. A bot without any has one row.
  static let botLoads = SQL(
    "botLoads",
    """
    SELECT b.player, t.player, count(s.match)
    FROM bots AS b
    LEFT JOIN LATERAL (SELECT match FROM seats WHERE player = b.player OFFSET 0) AS s ON true
    LEFT JOIN LATERAL (
      SELECT player FROM seats WHERE match = s.match AND player <> b.player ORDER BY seat OFFSET 0
    ) AS t ON true
    WHERE b.player = ANY($1) GROUP BY b.player, t.player
    """)
  // Each player's invitations are read once, however many want to invite.
  static let inboxes = SQL(
    "inboxes",
    """
    SELECT u.place, i.waiting, i.strangers, u.sender = ANY(i.playing) OR EXISTS (
      SELECT FROM past_games AS g WHERE g.player = u.player AND g.opponent = u.sender),
      cardinality(array_positions(i.senders, u.sender)), i.today, coalesce((
        SELECT c.sent FROM stranger_invitations AS c WHERE c.player = u.player
          AND c.day = DATE '1970-01-01' + u.day AND c.sender = u.sender), 0)
    FROM unnest($1, $2, $3) WITH ORDINALITY AS u (player, sender, day, place)
    JOIN (
      SELECT p.player, p.day, p.playing, p.today, count(t.player) AS waiting, count(t.player) FILTER (
        WHERE t.player <> ALL (p.playing) AND NOT EXISTS (
          SELECT FROM past_games AS g WHERE g.player = p.player AND g.opponent = t.player)
        ) AS strangers, array_agg(t.player) AS senders
      FROM (
        SELECT d.player, d.day, (
          SELECT coalesce(sum(c.sent), 0) FROM stranger_invitations AS c
          WHERE c.player = d.player AND c.day = DATE '1970-01-01' + d.day) AS today, ARRAY(
          SELECT b.player FROM seats AS a JOIN seats AS b ON b.match = a.match
          WHERE a.player = d.player AND a.is_invited = false AND b.player <> a.player
            AND b.is_invited = false) AS playing
        FROM (SELECT DISTINCT player, day FROM unnest($1, $3) AS d (player, day)) AS d
      ) AS p
      LEFT JOIN LATERAL (
        SELECT b.player FROM (
          SELECT match FROM seats WHERE player = p.player AND is_invited = true LIMIT $4
        ) AS a JOIN seats AS b ON b.match = a.match AND b.player <> p.player
      ) AS t ON true
      GROUP BY p.player, p.day, p.playing, p.today
    ) AS i ON i.player = u.player AND i.day = u.day
    """)
  static let countStrangers = SQL(
    "countStrangers",
    """
    INSERT INTO stranger_invitations AS c (day, player, sender, sent)
    SELECT DATE '1970-01-01' + $4, u.* FROM unnest($1, $2, $3) AS u (player, sender, sent)
    ORDER BY u.player, u.sender
    ON CONFLICT (day, player, sender) DO UPDATE SET sent = c.sent + excluded.sent
    """)
}

extension BatchWrite {
  /// Makes sure that no two players meet if one has blocked the other meanwhile. It comes before
  /// all writes, so that all batches take their locks in one order.
  var meetingGuardCalls: [Call] {
    let forbidden = forbiddenBlocks.sorted { ($0.player, $0.blocked) < ($1.player, $1.blocked) }
    let changed = lastBlocks.map(\.block.player)
    guard !forbidden.isEmpty || !changed.isEmpty else { return [] }
    return [
      SQL.guardBlocks(forbidden.uuids(\.player), forbidden.uuids(\.blocked), .ids(changed))
    ]
  }

  /// Invitations of strangers. The lock on each inbox is held.
  var strangerCalls: [Call] {
    guard !strangerInvitations.isEmpty else { return [] }
    let counts = strangerInvitations.sorted {
      ($0.key.player, $0.key.sender) < ($1.key.player, $1.key.sender)
    }
    return [
      SQL.countStrangers(
        counts.uuids(\.key.player), counts.uuids(\.key.sender), counts.int32s(\.value),
        .int32(Day(containing: now).number))
    ]
  }

  /// Blocks that begin or end.
  var blockCalls: [Call] {
    let last = lastBlocks
    let (standing, ended) = (last.filter(\.isStanding), last.filter { !$0.isStanding })
    var calls: [Call] = []
    if !standing.isEmpty {
      calls.append(
        SQL.insertBlocks(
          standing.uuids(\.block.player), standing.uuids(\.block.blocked), standing.instants(\.at)))
    }
    if !ended.isEmpty {
      calls.append(SQL.deleteBlocks(ended.uuids(\.block.player), ended.uuids(\.block.blocked)))
    }
    return calls
  }
}

extension StoreSession {
  /// How many blocked players are listed.
  static let blockListLimit = 1_000

  /// Reads player and blocked.
  static func blocks(_ rows: Rows) throws(PostgreSQLError) -> Set<Block> {
    var blocks: Set<Block> = []
    for row in rows { blocks.insert(Block(try row[0].id(), try row[1].id())) }
    return blocks
  }

  /// Reads player and how many players that one has blocked.
  static func blockCounts(_ rows: Rows) throws(PostgreSQLError) -> [PlayerID: Int] {
    var counts: [PlayerID: Int] = [:]
    for row in rows { counts[try row[0].id()] = try row[1].int }
    return counts
  }

  /// Reads player, all matches and those that wait; then bot, other player and their matches.
  static func loads(
    _ rows: Rows, bots: Rows
  ) throws(PostgreSQLError) -> [PlayerID: PlayerLoad] {
    var loads: [PlayerID: PlayerLoad] = [:]
    for row in rows {
      loads[try row[0].id()] = PlayerLoad(waiting: try row[2].int, total: try row[1].int)
    }
    for row in bots {
      let (player, matches): (PlayerID, Int) = (try row[0].id(), try row[2].int)
      var load = loads[player] ?? PlayerLoad()
      var bot = load.bot ?? BotLoad()
      bot.matches += matches
      if let other = try row[1].ifPresent?.id(PlayerID.self) { bot.byPlayer[other] = matches }
      load.bot = bot
      loads[player] = load
    }
    return loads
  }

  /// Reads place from 1 on, the invitations that wait, those of strangers, whether the sender is
  /// none, the sender's, and the numbers that strangers and the sender have sent that day.
  static func inboxes(_ rows: Rows) throws(PostgreSQLError) -> [Int: Inbox] {
    var inboxes: [Int: Inbox] = [:]
    for row in rows {
      inboxes[try row[0].int] = Inbox(
        waiting: try row[1].int, fromStrangers: try row[2].int, fromSender: try row[4].int,
        strangersToday: try row[5].int, senderToday: try row[6].int, knowsSender: try row[3].bool)
    }
    return inboxes
  }

  func blocked(_ player: PlayerID) throws(StoreError) -> [ReaderStore.BlockedRow] {
    let rows = try rows(SQL.blockedPlayers(.id(player), .int(StoreSession.blockListLimit)))
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        ReaderStore.BlockedRow(
          player: try row[0].id(), name: try row[1].name, since: try row[2].instant)
      })
  }
}
