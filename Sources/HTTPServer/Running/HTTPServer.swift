package import SystemCalls

/// A server of HTTP/1.1 on threads of its own.
package final class HTTPServer: Sendable {
  package struct Settings: Sendable {
    package var request: RequestReader.Limits
    package var times: ConnectionTimes.Limits
    package var backlog: Int32 = 256
    package var threads = 1

    package init(request: RequestReader.Limits, times: ConnectionTimes.Limits) {
      (self.request, self.times) = (request, times)
    }
  }

  /// The port that it listens at.
  package let port: Int
  private let mailboxes: [Mailbox]

  /// Begins to listen.
  /// - Parameters:
  ///   - host: A name or an address.
  ///   - port: 0: any free one.
  ///   - startThread: Runs a function on a new thread.
  /// - Throws: `SystemError` if it cannot listen there.
  package init(
    at host: String, port: Int, _ settings: Settings, _ handler: any HTTPHandler,
    startThread: (@escaping @Sendable () -> Void) throws(SystemError) -> Void
  ) throws(SystemError) {
    var threads: [(mailbox: Mailbox, poll: Int32)] = []
    for _ in 0..<settings.threads { threads.append((try Mailbox(), try Poll.open())) }
    mailboxes = threads.map(\.mailbox)
    let (listener, port) = try Socket.listen(at: host, port: port, backlog: settings.backlog)
    self.port = port
    for (index, thread) in threads.enumerated() {
      let listener = index == 0 ? Listener(listener, mailboxes) : nil
      try startThread {
        var loop = ServerLoop(thread.mailbox, Poll(thread.poll), listener, settings, handler)
        loop.run()
      }
    }
  }

  deinit { stop() }

  /// Begins a graceful shutdown: stops accepting, and closes idle connections. The others close
  /// after their answers.
  package func stop() { for mailbox in mailboxes { mailbox.post(.leave) } }

  /// Closes all connections.
  package func closeAll() { for mailbox in mailboxes { mailbox.post(.closeAll) } }

  /// Whether it was stopped, every connection is closed, and every request is answered.
  package var isOver: Bool { mailboxes.allSatisfy(\.isEnded) }
}
