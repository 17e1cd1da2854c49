import MatchInterfaces

/// Posts the messages of a webhook.
package struct WebhookTransport: Sendable {
  /// Posts a message and waits for the receiver's answer, for a bounded time.
  package var post: @Sendable (Request) throws(Failure) -> Response

  /// The message to post.
  package struct Request: Hashable, Sendable {
    package var url: String
    /// Names and values, each name once.
    package var headers: [String: String]
    /// The message, byte for byte as it was signed.
    package var body: [UInt8]

    package init(url: String, headers: [String: String], body: [UInt8]) {
      self.url = url
      self.headers = headers
      self.body = body
    }
  }

  /// The receiver's answer.
  package struct Response: Hashable, Sendable {
    /// The status, such as 204.
    package var status: Int
    /// For how long the receiver wants to be left alone; nil if it does not say.
    package var retryAfter: Duration?

    package init(status: Int, retryAfter: Duration? = nil) {
      self.status = status
      self.retryAfter = retryAfter
    }
  }

  /// Why there is no answer; the receiver may have the message all the same.
  package struct Failure: Error, Hashable, Sendable {
    /// The text for a person.
    package var reason: String

    package init(reason: String) { self.reason = reason }
  }

  package init(post: @escaping @Sendable (Request) throws(Failure) -> Response) {
    self.post = post
  }

  /// Everything is taken.
  package static var noop: WebhookTransport { WebhookTransport { _ in Response(status: 204) } }

  /// Reports an issue whenever it is used, and has no answer.
  package static var failing: WebhookTransport {
    WebhookTransport { _ throws(Failure) in
      reportUnimplemented("WebhookTransport.post")
      throw Failure(reason: "unimplemented")
    }
  }
}
