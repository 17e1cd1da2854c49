import CPostgreSQL

extension PostgreSQLConnection {
  /// The form of a password that the server keeps (SCRAM-SHA-256): no statement, and no log of
  /// statements, has the password itself.
  ///
  /// - Throws: ``PostgreSQLError``.
  package func encryptedPassword(
    _ password: String, of user: String
  ) throws(PostgreSQLError) -> String {
    guard let text = PQencryptPasswordConn(handle, password, user, "scram-sha-256") else {
      throw PostgreSQLError(.misuse, "the password cannot be encrypted: \(lastMessage)")
    }
    defer { PQfreemem(text) }
    return String(cString: text)
  }
}
