/// The output of `GoldenCommand`s, to the letter; docs/cli.md describes every key.
extension GoldenCommand {
  var golden: String {
    switch self {
    case .home:
      #"""
      {"daily":{"daily":{"day":"2026-05-01","language":"en","mode":"unlimited"},"endsAt":\#
      1777680000000000,"isDealt":true,"isOver":false},"invitations":[{"deadline":\#
      1777603600000000,"id":"019de137-7000-7000-8000-000000005678","kind":"invitation",\#
      "opponent":"2c582e37-5aea-791e-887d-281f181e7189","opponentName":"grace","points":[42,\#
      36],"stage":"playing","startedAt":1777592800000000,"turn":3,"turnLimit":86400,"version":\#
      3,"yourSeat":0,"yourTurn":false}],"matches":[{"deadline":1777603600000000,"id":\#
      "019de137-7000-7000-8000-000000001234","kind":"invitation","opponent":\#
      "2c582e37-5aea-791e-887d-281f181e7189","opponentName":"grace","points":[42,36],"stage":\#
      "playing","startedAt":1777592800000000,"turn":3,"turnLimit":86400,"version":3,\#
      "yourSeat":0,"yourTurn":true}],"rematchOffers":[{"expiresAt":1778204740000000,"isYours":\#
      false,"match":"019de137-7000-7000-8000-000000009abc","offeredAt":1777599940000000,\#
      "opponent":"2c582e37-5aea-791e-887d-281f181e7189","opponentName":"grace"}],"schema":\#
      "cubist.home.1"}

      """#
    case .connect:
      #"""
      {"isRegistered":false,"profile":"default","registration":"open","rootKey":\#
      "8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c","schema":\#
      "cubist.connect.1","service":"5e71ce00-0000-0000-0000-000000000001","version":"1.2.3"}

      """#
    case .register:
      #"""
      {"name":"ada","player":"903d63ca-f284-d62a-a668-ef511361dda4","profile":"default",\#
      "publicKey":"ed4928c628d1c2c6eae90338905995612959273a5c63f93636c14614ac8737d1",\#
      "rootKey":"8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c","schema":\#
      "cubist.player.1","service":"5e71ce00-0000-0000-0000-000000000001"}

      """#
    case .whoami:
      #"""
      {"name":"ada","player":"903d63ca-f284-d62a-a668-ef511361dda4","profile":"default",\#
      "publicKey":"ed4928c628d1c2c6eae90338905995612959273a5c63f93636c14614ac8737d1",\#
      "rating":{"deviation":83,"isProvisional":false,"matches":7,"rating":1512},\#
      "registeredAt":1777513600000000,"rootKey":\#
      "8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c","schema":\#
      "cubist.player.1","service":"5e71ce00-0000-0000-0000-000000000001"}

      """#
    case .block:
      #"""
      {"done":"blocked","name":"grace","player":"2c582e37-5aea-791e-887d-281f181e7189","schema":\#
      "cubist.block.1"}

      """#
    case .unblock:
      #"""
      {"done":"unblocked","name":"grace","player":"2c582e37-5aea-791e-887d-281f181e7189",\#
      "schema":"cubist.block.1"}

      """#
    case .blocks:
      #"""
      {"players":[{"name":"grace","player":"2c582e37-5aea-791e-887d-281f181e7189","since":\#
      1777600000000000}],"schema":"cubist.blocks.1"}

      """#
    case .report:
      #"""
      {"match":"019de137-7000-7000-8000-000000001234","reason":"name","schema":"cubist.report.1",\#
      "text":"an insult"}

      """#
    case .keyExport, .keyExportFile, .keyImport, .keyList, .keyInvite, .keyAdd, .keyRemove,
      .keyWords, .keyObject, .keyRecover, .keyWithdraw:
      keyGolden
    case .start:
      #"""
      {"letters":\#
      "CABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCAB",\#
      "match":"019de137-7000-7000-8000-000000001234","previous":\#
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","result":"started",\#
      "schema":"cubist.ticket.1","seat":0,"version":1}

      """#
    case .startOpen:
      #"""
      {"code":"7K3QX2M9","letters":\#
      "CABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCAB",\#
      "match":"019de137-7000-7000-8000-000000001234","previous":\#
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","result":"started",\#
      "schema":"cubist.ticket.1","seat":0,"version":1}

      """#
    case .join:
      #"""
      {"letters":\#
      "CABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCAB",\#
      "match":"019de137-7000-7000-8000-000000001234","previous":\#
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","result":"joined",\#
      "schema":"cubist.ticket.1","seat":0,"version":1}

      """#
    case .accept:
      #"""
      {"letters":\#
      "CABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCAB",\#
      "match":"019de137-7000-7000-8000-000000001234","previous":\#
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","result":"joined",\#
      "schema":"cubist.ticket.1","seat":0,"version":1}

      """#
    case .decline:
      #"""
      {"done":"declined","match":"019de137-7000-7000-8000-000000001234","schema":\#
      "cubist.done.1","version":2}

      """#
    case .declineAll:
      #"""
      {"blocked":["2c582e37-5aea-791e-887d-281f181e7189"],"declined":\#
      ["019de137-7000-7000-8000-000000001234"],"left":0,"schema":"cubist.declined.1"}

      """#
    case .withdraw:
      #"""
      {"done":"withdrawn","match":"019de137-7000-7000-8000-000000001234","schema":\#
      "cubist.done.1","version":2}

      """#
    case .show:
      #"""
      {"deadline":1777603600000000,"id":"019de137-7000-7000-8000-000000001234","inPlay":\#
      "111111111111111111111111111","kind":"invitation","language":"en","letters":\#
      "CABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCAB",\#
      "lexicon":"every-word","playable":\#
      "000000010000000010100100110000000010000000010100100110001001011001001011101101111",\#
      "previous":"0000000000000000000000000000000000000000000000000000000000000000","rules":\#
      "cube-1","schema":"cubist.match.1","seatToPlay":0,"seats":[{"name":"ada","player":\#
      "903d63ca-f284-d62a-a668-ef511361dda4","points":0,"state":"taken","turns":0},{"name":\#
      "grace","player":"2c582e37-5aea-791e-887d-281f181e7189","points":27,"state":"taken",\#
      "turns":1}],"stage":"playing","startedAt":1777592800000000,"turn":2,"turnLimit":86400,\#
      "turns":[{"acceptedAt":1777599940000000,"hash":\#
      "0000000000000000000000000000000000000000000000000000000000000000","moves":["222T 222L \#
      222R"],"number":1,"scores":[27],"seat":1,"words":["CAB"]}],"uses":\#
      "000000000000000000000000000000000000000000000000000000000000000000000000000000111",\#
      "version":3}

      """#
    case .showTurn:
      #"""
      {"inPlay":"111111111111111111111111111","letters":\#
      "CABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCAB",\#
      "match":"019de137-7000-7000-8000-000000001234","moves":[],"points":[0,0],"schema":\#
      "cubist.replay.1","scores":[],"turn":0,"uses":\#
      "000000000000000000000000000000000000000000000000000000000000000000000000000000000",\#
      "words":[]}

      """#
    case .replay:
      #"""
      {"inPlay":"111111111111111111111111111","letters":\#
      "CABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCAB",\#
      "match":"019de137-7000-7000-8000-000000001234","moves":["222T 222L 222R"],"points":[0,\#
      27],"schema":"cubist.replay.1","scores":[27],"seat":1,"turn":1,"uses":\#
      "000000000000000000000000000000000000000000000000000000000000000000000000000000111",\#
      "words":["CAB"]}

      """#
    case .showEnded:
      #"""
      {"code":"7K3QX2M9","daily":{"day":"2026-05-01","language":"en","mode":"unlimited"},\#
      "endedAt":1777600000000000,"id":"019de137-7000-7000-8000-000000001234","inPlay":\#
      "111111111111111111111111111","kind":"invitation","language":"en","letters":\#
      "CABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCAB",\#
      "lexicon":"every-word","outcome":{"reason":"cleared","results":["won","lost"]},\#
      "playable":\#
      "000000010000000010100100110000000010000000010100100110001001011001001011101101111",\#
      "predecessor":"019de137-7000-7000-8000-000000000001","previous":\#
      "0000000000000000000000000000000000000000000000000000000000000000","rematchOfferBy":1,\#
      "rules":"cube-1","schema":"cubist.match.1","seatToPlay":0,"seats":[{"name":"ada",\#
      "player":"903d63ca-f284-d62a-a668-ef511361dda4","points":0,"state":"taken","turns":0},{\#
      "name":"grace","player":"2c582e37-5aea-791e-887d-281f181e7189","points":27,"state":\#
      "taken","turns":1}],"stage":"ended","startedAt":1777592800000000,"successor":\#
      "019de137-7000-7000-8000-000000000002","turn":2,"turnLimit":86400,"turns":[{\#
      "acceptedAt":1777599940000000,"hash":\#
      "0000000000000000000000000000000000000000000000000000000000000000","moves":["222T 222L \#
      222R"],"number":1,"scores":[27],"seat":1,"words":["CAB"]}],"uses":\#
      "000000000000000000000000000000000000000000000000000000000000000000000000000000111",\#
      "version":3}

      """#
    case .watch:
      #"""
      {"deadline":1777603600000000,"id":"019de137-7000-7000-8000-000000001234","inPlay":\#
      "111111111111111111111111111","kind":"invitation","language":"en","letters":\#
      "CABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCAB",\#
      "lexicon":"every-word","playable":\#
      "000000010000000010100100110000000010000000010100100110001001011001001011101101111",\#
      "previous":"0000000000000000000000000000000000000000000000000000000000000000","rules":\#
      "cube-1","schema":"cubist.match.1","seatToPlay":0,"seats":[{"name":"ada","player":\#
      "903d63ca-f284-d62a-a668-ef511361dda4","points":0,"state":"taken","turns":0},{"name":\#
      "grace","player":"2c582e37-5aea-791e-887d-281f181e7189","points":27,"state":"taken",\#
      "turns":1}],"stage":"playing","startedAt":1777592800000000,"turn":2,"turnLimit":86400,\#
      "turns":[{"acceptedAt":1777599940000000,"hash":\#
      "0000000000000000000000000000000000000000000000000000000000000000","moves":["222T 222L \#
      222R"],"number":1,"scores":[27],"seat":1,"words":["CAB"]}],"uses":\#
      "000000000000000000000000000000000000000000000000000000000000000000000000000000111",\#
      "version":3}

      """#
    case .play:
      #"""
      {"hash":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","match":\#
      "019de137-7000-7000-8000-000000001234","moves":["212R 222L 122T"],"points":[27,27],\#
      "schema":"cubist.turn.1","scores":[27],"seatToPlay":1,"turn":2,"version":4,"words":[\#
      "BAC"]}

      """#
    case .dryRun:
      #"""
      {"choices":[{"choice":1,"faces":["222R","222L","222T"],"moves":["222R 222L 222T"],\#
      "score":27,"vanishing":[],"word":"BAC"}],"match":"019de137-7000-7000-8000-000000001234",\#
      "schema":"cubist.dryRun.1"}

      """#
    case .forfeit:
      #"""
      {"match":"019de137-7000-7000-8000-000000001234","outcome":{"reason":"forfeited",\#
      "results":["lost","won"],"seat":0},"points":[0,27],"schema":"cubist.end.1","version":4}

      """#
    case .rematchOffered:
      #"""
      {"of":"019de137-7000-7000-8000-000000001234","result":"offered","schema":\#
      "cubist.rematch.1","version":9}

      """#
    case .rematchStarted:
      #"""
      {"letters":\#
      "CABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCAB",\#
      "match":"019de137-7000-7000-8000-000000005678","of":\#
      "019de137-7000-7000-8000-000000001234","previous":\#
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","result":"started",\#
      "schema":"cubist.rematch.1","seat":0,"version":1}

      """#
    case .rematchDeclined:
      #"""
      {"of":"019de137-7000-7000-8000-000000001234","result":"declined","schema":\#
      "cubist.rematch.1","version":9}

      """#
    case .games:
      #"""
      {"matches":[{"deadline":1777603600000000,"id":"019de137-7000-7000-8000-000000001234",\#
      "kind":"invitation","opponent":"2c582e37-5aea-791e-887d-281f181e7189","opponentName":\#
      "grace","points":[42,36],"stage":"playing","startedAt":1777592800000000,"turn":3,\#
      "turnLimit":86400,"version":3,"yourSeat":0,"yourTurn":true},{"deadline":\#
      1777603600000000,"id":"019de137-7000-7000-8000-000000005678","kind":"invitation",\#
      "opponent":"2c582e37-5aea-791e-887d-281f181e7189","opponentName":"grace","points":[42,\#
      36],"stage":"playing","startedAt":1777592800000000,"turn":3,"turnLimit":86400,"version":\#
      3,"yourSeat":0,"yourTurn":true}],"schema":"cubist.games.1"}

      """#
    case .pastGames:
      #"""
      {"games":[{"cursor":"1777596400000000_019de137-7000-7000-8000-000000001234","endedAt":\#
      1777596400000000,"id":"019de137-7000-7000-8000-000000001234","kind":"random","opponent":\#
      "2c582e37-5aea-791e-887d-281f181e7189","opponentName":"grace","opponentPoints":36,\#
      "points":442,"reason":"cleared","result":"won"},{"cursor":\#
      "1777596400000000_019de137-7000-7000-8000-000000005678","endedAt":1777596400000000,"id":\#
      "019de137-7000-7000-8000-000000005678","kind":"solo","points":442,"reason":"finished",\#
      "result":"completed"}],"next":"1777596400000000_019de137-7000-7000-8000-000000001234",\#
      "schema":"cubist.pastGames.1"}

      """#
    case .headToHead:
      #"""
      {"bestWord":{"match":"019de137-7000-7000-8000-000000001234","points":1480,"turn":3,\#
      "word":"JAZZIEST"},"notCounted":1,"opponent":"2c582e37-5aea-791e-887d-281f181e7189",\#
      "opponentBestWord":{"match":"019de137-7000-7000-8000-000000005678","points":110,"turn":\#
      6,"word":"CUBES"},"opponentName":"grace","run":{"count":3,"result":"won"},"schema":\#
      "cubist.headToHead.1","score":{"lost":4,"matches":12,"tied":1,"won":7},"series":{\#
      "running":"019de137-7000-7000-8000-000000009abc","score":{"lost":1,"matches":4,"tied":0,\#
      "won":3},"startedAt":1776995200000000},"wordMatches":13}

      """#
    case .share:
      #"""
      {"code":"7K3QX2M97K3QX2M9","match":"019de137-7000-7000-8000-000000001234","schema":\#
      "cubist.share.1"}

      """#
    case .export:
      #"""
      {"bytes":7,"file":"game.json","match":"019de137-7000-7000-8000-000000001234","schema":\#
      "cubist.export.1"}

      """#
    case .daily:
      #"""
      {"daily":{"day":"2026-05-01","language":"en","mode":"unlimited"},"endsAt":\#
      1777680000000000,"isDealt":true,"isOver":false,"match":\#
      "019de137-7000-7000-8000-000000001234","points":12,"schema":"cubist.daily.1"}

      """#
    case .dailyResult:
      #"""
      {"schema":"cubist.text.1","text":"Cubist daily 2026-05-01\n27 points, 1 word so far\n🟩\n"}

      """#
    case .dailyStart:
      #"""
      {"letters":\#
      "CABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCABCAB",\#
      "match":"019de137-7000-7000-8000-000000001234","previous":\#
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","result":"started",\#
      "schema":"cubist.ticket.1","seat":0,"version":1}

      """#
    case .dailyPlay:
      #"""
      {"hash":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","match":\#
      "019de137-7000-7000-8000-000000001234","moves":["-222","212T 212L 202L"],"points":[27],\#
      "schema":"cubist.turn.1","scores":[0,27],"seatToPlay":0,"turn":1,"version":2,"words":[\#
      "","CAA"]}

      """#
    case .standings:
      #"""
      {"daily":{"day":"2026-05-01","language":"en","mode":"unlimited"},"outOf":2,"rows":[{\#
      "name":"grace","outOf":2,"player":"2c582e37-5aea-791e-887d-281f181e7189","points":36,\#
      "rank":1},{"name":"ada","outOf":2,"player":"903d63ca-f284-d62a-a668-ef511361dda4",\#
      "points":12,"rank":2}],"schema":"cubist.standings.1","you":{"name":"ada","outOf":2,\#
      "player":"903d63ca-f284-d62a-a668-ef511361dda4","points":12,"rank":2}}

      """#
    case .dailyHistory:
      #"""
      {"results":[{"daily":{"day":"2026-05-01","language":"en","mode":"unlimited"},"outOf":9,\#
      "points":12,"rank":2}],"schema":"cubist.dailyHistory.1"}

      """#
    case .leaderboard:
      #"""
      {"kind":"solo","language":"en","measure":"words","mode":"timed","outOf":2,"rows":[{\#
      "name":"grace","outOf":2,"player":"2c582e37-5aea-791e-887d-281f181e7189","points":36,\#
      "rank":1,"word":"CAB"},{"name":"ada","outOf":2,"player":\#
      "903d63ca-f284-d62a-a668-ef511361dda4","points":12,"rank":2,"word":"CAB"}],"schema":\#
      "cubist.leaderboard.1","window":"all","you":{"name":"ada","outOf":2,"player":\#
      "903d63ca-f284-d62a-a668-ef511361dda4","points":12,"rank":2,"word":"CAB"}}

      """#
    case .review:
      #"""
      {"games":[{"count":4,"kind":"random","lost":1,"tied":1,"won":2}],"places":[{"kind":\#
      "solo","measure":"words","mode":"timed","row":{"name":"ada","outOf":2,"player":\#
      "903d63ca-f284-d62a-a668-ef511361dda4","points":12,"rank":2}}],"schema":\#
      "cubist.review.1","since":1776995200000000,"until":1777600000000000}

      """#
    case .ladder:
      #"""
      {"around":[{"deviation":212,"isProvisional":true,"matches":2,"name":"ada","outOf":40,\#
      "player":"903d63ca-f284-d62a-a668-ef511361dda4","rank":38,"rating":1320}],"outOf":40,\#
      "rows":[{"deviation":61,"isProvisional":false,"matches":120,"name":"grace","outOf":40,\#
      "player":"2c582e37-5aea-791e-887d-281f181e7189","rank":1,"rating":1750}],"schema":\#
      "cubist.ladder.1","you":{"deviation":212,"isProvisional":true,"matches":2,"name":"ada",\#
      "outOf":40,"player":"903d63ca-f284-d62a-a668-ef511361dda4","rank":38,"rating":1320}}

      """#
    case .settings, .devicesAdd:
      #"""
      {"bundle":true,"devices":[{"device":"phone","hasToken":true,"permission":"authorized",\#
      "service":"app"}],"displayName":"Ada L.","kinds":{"matchEnded":false,"yourTurn":true},\#
      "language":"en","nudges":true,"reminders":true,"schema":"cubist.settings.1"}

      """#
    case .inbox:
      #"""
      {"items":[{"body":"Play against grace.","id":"00000000-0000-0000-0000-000000009abc","kind":\#
      "yourTurn","match":"019de137-7000-7000-8000-000000001234","sentAt":1777600000000000,\#
      "title":"Your turn"}],"schema":"cubist.inbox.1"}

      """#
    case .service:
      #"""
      {"certificates":[],"dailies":[{"daily":{"day":"2026-05-01","language":"en","mode":\#
      "unlimited"},"players":12},{"daily":{"day":"2026-05-01","language":"en","mode":"timed"},\#
      "players":1}],"limits":{"blocks":1000,"entries":1024,"eventsPerMinute":600,"invitations":200,\#
      "moves":81,"openRequests":20,"payloadBytes":1024,"queriesPerMinute":1200,\#
      "registrationsPerHour":1000,"runningMatches":100,"strangerInvitations":50,"turnBytes":4096},\#
      "now":1777600000000000,"oldestClient":"0.1.0","queueCount":16,"registration":"open",\#
      "rootKey":"8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c","schema":\#
      "cubist.service.1","service":"5e71ce00-0000-0000-0000-000000000001","version":"1.2.3"}

      """#
    case .bot:
      #"""
      {"act":"started","match":"019de137-7000-7000-8000-000000001234","schema":"cubist.bot.1"}

      """#
    case .botPlayed:
      #"""
      {"act":"played","match":"019de137-7000-7000-8000-000000001234","outcome":{"reason":\#
      "cleared","results":["won","lost"]},"points":[27,27],"schema":"cubist.bot.1","scores":[\#
      27]}
      {"act":"failed","error":"The record has room for 1 entries and is full. Give the match \#
      up or let it end.","schema":"cubist.bot.1"}

      """#
    case .notice:
      #"""
      {"event":"019de137-7000-7cc1-beeb-8da1658eec67","message":"Your earlier start \#
      went through: match 1234.","notice":"answered","result":"accepted",\#
      "schema":"cubist.notice.1","type":"matchRequested"}

      """#
    case .error:
      #"""
      {"error":{"exit":1,"message":"You play in match 1234 already.","name":"alreadyJoined",\#
      "next":["cubist show 1234"]},"schema":"cubist.error.1"}

      """#
    case .candidates:
      #"""
      {"error":{"candidates":[{"about":"grace, turn 3, your turn","id":\#
      "019de137-7000-7000-8000-000000001234","short":"1234"},{"about":"grace, turn 3, your \#
      turn","id":"019de137-7000-7000-8000-000000005678","short":"5678"}],"exit":64,"message":\#
      "Several matches fit. Say which by its ID.","name":"severalMatches","next":[]},"schema":\#
      "cubist.error.1"}

      """#
    case .choices:
      #"""
      {"error":{"choices":[{"choice":1,"faces":["022T","022L","122L"],"moves":["022T 022L \#
      122L"],"score":51,"vanishing":["022"],"word":"YZA"},{"choice":2,"faces":["022T","122T",\#
      "122L"],"moves":["022T 122T 122L"],"score":51,"vanishing":[],"word":"YZA"},{"choice":3,\#
      "faces":["022T","122T","222T"],"moves":["022T 122T 222T"],"score":51,"vanishing":["222"],\#
      "word":"YZA"}],"exit":64,"message":"YZA can be played in 3 ways. Say which.","name":\#
      "choiceNeeded","next":["cubist play YZA --choice 1","cubist play YZA --any"]},"schema":\#
      "cubist.error.1"}

      """#
    }
  }
}
