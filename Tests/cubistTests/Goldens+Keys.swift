extension GoldenCommand {
  /// The JSON of a command about keys.
  var keyGolden: String {
    switch self {
    case .keyExport:
      #"""
      {"key":\#
      "cubist-key-1:0303030303030303030303030303030303030303030303030303030303030303:216afb11",\#
      "player":"903d63ca-f284-d62a-a668-ef511361dda4","publicKey":\#
      "ed4928c628d1c2c6eae90338905995612959273a5c63f93636c14614ac8737d1","schema":\#
      "cubist.key.1"}

      """#
    case .keyExportFile:
      #"""
      {"file":"ada.key","player":"903d63ca-f284-d62a-a668-ef511361dda4","publicKey":\#
      "ed4928c628d1c2c6eae90338905995612959273a5c63f93636c14614ac8737d1","schema":\#
      "cubist.key.1"}

      """#
    case .keyImport:
      #"""
      {"player":"903d63ca-f284-d62a-a668-ef511361dda4","publicKey":\#
      "ed4928c628d1c2c6eae90338905995612959273a5c63f93636c14614ac8737d1","schema":\#
      "cubist.key.1"}

      """#
    case .keyList:
      #"""
      {"invitations":[{"invitation":\#
      "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc","inviter":\#
      "6e7a1cdd29b0b78fd13af4c5598feff4ef2a97166e3ca6f2e4fbfccd80505bf1","until":\#
      1777600600000000}],"keys":[{"addedAt":1777513600000000,"key":\#
      "ed4928c628d1c2c6eae90338905995612959273a5c63f93636c14614ac8737d1","own":true},{"addedAt":\#
      1777596400000000,"inviter":\#
      "ed4928c628d1c2c6eae90338905995612959273a5c63f93636c14614ac8737d1","key":\#
      "6e7a1cdd29b0b78fd13af4c5598feff4ef2a97166e3ca6f2e4fbfccd80505bf1"}],"schema":\#
      "cubist.keys.1"}

      """#
    case .keyInvite:
      #"""
      {"code":"16Q4G4JXDH22","schema":"cubist.deviceInvitation.1","until":1777600600000000}

      """#
    case .keyAdd:
      #"""
      {"name":"ada","player":"903d63ca-f284-d62a-a668-ef511361dda4","profile":"default",\#
      "publicKey":"6e7a1cdd29b0b78fd13af4c5598feff4ef2a97166e3ca6f2e4fbfccd80505bf1",\#
      "rootKey":"8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c","schema":\#
      "cubist.player.1","service":"5e71ce00-0000-0000-0000-000000000001"}

      """#
    case .keyRemove:
      #"""
      {"key":"6e7a1cdd29b0b78fd13af4c5598feff4ef2a97166e3ca6f2e4fbfccd80505bf1","schema":\#
      "cubist.keyRemoved.1"}

      """#
    case .keyWords:
      #"""
      {"key":\#
      "a639a4b7219fadae39c478e06e79ad68979f1e5f83beab10e2cd0c89df7bf604","schema":\#
      "cubist.recoveryKey.1","words":["furnace","praise","same","tail","circle","winter",\#
      "connect","choose","update","loud","raccoon","toddler"]}
      {"countsAt":1777859200000000,"key":\#
      "a639a4b7219fadae39c478e06e79ad68979f1e5f83beab10e2cd0c89df7bf604","schema":\#
      "cubist.recoveryKey.1"}

      """#
    case .keyObject:
      #"""
      {"key":\#
      "6e7a1cdd29b0b78fd13af4c5598feff4ef2a97166e3ca6f2e4fbfccd80505bf1","name":"ada","objected":\#
      true,"player":"903d63ca-f284-d62a-a668-ef511361dda4","schema":"cubist.recovery.1","state":\#
      "pending","until":1777859200000000}

      """#
    case .keyRecover:
      #"""
      {"key":\#
      "6e7a1cdd29b0b78fd13af4c5598feff4ef2a97166e3ca6f2e4fbfccd80505bf1","name":"ada",\#
      "player":"903d63ca-f284-d62a-a668-ef511361dda4","schema":"cubist.recovery.1","state":\#
      "pending","until":1777859200000000}

      """#
    case .keyWithdraw:
      #"""
      {"name":"ada","player":"903d63ca-f284-d62a-a668-ef511361dda4","schema":"cubist.recovery.1",\#
      "state":"withdrawn"}

      """#
    default: ""
    }
  }
}
