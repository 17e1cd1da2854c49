extension AccountRows {
  /// So many bytes of rows have room in an answer.
  package static let byteLimit = 98_304

  /// As many of the rows after a place as have room.
  ///
  /// - Parameter page: The rows as they were read, `AccountSection.pageSize` at most.
  package init(page: [String], after place: Int) {
    var (rows, bytes): ([String], Int) = ([], 0)
    for row in page {
      // In a string of JSON these have a backslash before them.
      let escaped = row.utf8.count { byte in
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "/")
      }
      bytes += row.utf8.count + escaped + 3
      if bytes > AccountRows.byteLimit, !rows.isEmpty { break }
      rows.append(row)
    }
    let isWhole = rows.count == page.count && page.count < AccountSection.pageSize
    let next = place + rows.count
    self.init(rows: rows, next: isWhole || !Query.Account.places.contains(next) ? nil : next)
  }
}
