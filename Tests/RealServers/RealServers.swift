/// Hands a test a virtual host or a database of its own on the servers `deploy/test` starts.
package enum RealServers {
  /// Where the servers are, according to the environment.
  ///
  /// - Throws: ``RealServersError`` naming `deploy/test` when a variable is missing: a test that
  ///   needs a server fails without one and is never skipped.
  package static func environment() throws -> ServerEnvironment {
    try ServerEnvironment.current.get()
  }

  /// Runs `body` with a virtual host that nobody else uses, and deletes it with its users
  /// afterwards, even when `body` throws.
  ///
  /// Creating and deleting block the calling thread for some hundred milliseconds.
  ///
  /// - Parameter servers: the servers, unless they are those of ``environment()``.
  package static func withVirtualHost<T>(
    of servers: ServerEnvironment? = nil, _ body: (VirtualHost) async throws -> T
  ) async throws -> T {
    let host = try VirtualHost.create(in: servers ?? environment())
    let result: T
    do {
      result = try await body(host)
    } catch {
      // The body's error explains the failure; one of the cleaning would only hide it.
      try? host.delete()
      throw error
    }
    try host.delete()
    return result
  }

  /// Does the same for a body that runs on a thread of its own instead of in a task.
  package static func withVirtualHost<T>(_ body: (VirtualHost) throws -> T) throws -> T {
    let host = try VirtualHost.create(in: environment())
    let result: T
    do {
      result = try body(host)
    } catch {
      // As above.
      try? host.delete()
      throw error
    }
    try host.delete()
    return result
  }

  /// Runs `body` with an empty database that nobody else uses, and drops it afterwards, even when
  /// `body` throws or has left connections open.
  ///
  /// Creating and dropping block the calling thread for some hundred milliseconds.
  ///
  /// - Parameters:
  ///   - servers: the servers, unless they are those of ``environment()``.
  ///   - template: a database to copy, instead of an empty one, on the servers of all tests.
  package static func withDatabase<T>(
    of servers: ServerEnvironment? = nil, like template: DatabaseTemplate? = nil,
    _ body: (Database) async throws -> T
  ) async throws -> T {
    let database = try Database.create(in: servers ?? environment(), like: template?.get())
    let result: T
    do {
      result = try await body(database)
    } catch {
      // As above.
      try? database.drop()
      throw error
    }
    try database.drop()
    return result
  }

  /// Does the same for a body that runs on a thread of its own instead of in a task.
  package static func withDatabase<T>(
    like template: DatabaseTemplate? = nil, _ body: (Database) throws -> T
  ) throws -> T {
    let database = try Database.create(in: environment(), like: template?.get())
    let result: T
    do {
      result = try body(database)
    } catch {
      // As above.
      try? database.drop()
      throw error
    }
    try database.drop()
    return result
  }

  /// A name for something on a server that tests of several processes share.
  static func uniqueName() -> String {
    "test_" + String(UInt64.random(in: .min ... .max), radix: 36)
  }
}

/// Why a test could not get at a real server.
package struct RealServersError: Error, CustomStringConvertible {
  /// The fault and its remedy, without any password.
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}
