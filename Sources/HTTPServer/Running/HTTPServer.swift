package import SystemCalls

/// A server of HTTP/1.1 on threads of its own.
package final class HTTPServer: Sendable {
  package struct Settings: Sendable {
    package var request: RequestReader.Limits
    package var times: ConnectionTimes.Limits
    package var backlog: Int32 = 256
    package var threads = 1
    /// The refused connections that are open at once, while their clients are told why. Any others
    /// are closed without a word.
    package var refusedCount = 128
    /// Nanoseconds since some start; it only goes forward.
    package var clock: @Sendable () -> UInt64 = { MonotonicClock.now }

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
  ///   - startThread: Runs a function on a new thread, or throws.
  /// - Throws: `SystemError` if it cannot listen there, or a thread cannot be started.
  package init(
    at host: String, port: Int, _ settings: Settings, _ handler: any HTTPHandler,
    startThread: (@escaping @Sendable () -> Void) throws(SystemError) -> Void
  ) throws(SystemError) {
    // Nothing is left open if it cannot begin; it is tried again and again then.
    let (listener, port) = try Socket.listen(at: host, port: port, backlog: settings.backlog)
    var polls: [Int32] = []
    do throws(SystemError) {
      var mailboxes: [Mailbox] = []
      for _ in 0..<settings.threads {
        mailboxes.append(try Mailbox())
        polls.append(try Poll.open())
      }
      (self.mailboxes, self.port) = (mailboxes, port)
      // The thread with the listener is the last one: the listener is its own from then on. If a thread
      // cannot be started, `deinit` ends those that were.
      for (index, mailbox) in mailboxes.enumerated().reversed() {
        let listener = index == 0 ? Listener(listener, mailboxes) : nil
        try startThread { [poll = polls[index]] in
          var loop = ServerLoop(mailbox, Poll(poll), listener, settings, handler)
          loop.run()
        }
        polls.removeLast()
      }
    } catch {
      for poll in polls { Poll.close(poll) }
      Socket.close(listener)
      throw error
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
