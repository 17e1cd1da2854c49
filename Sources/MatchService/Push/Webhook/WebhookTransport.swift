import MatchInterfaces

/// Posts the messages of a webhook.
public struct WebhookTransport: Sendable {
  /// Posts a message and waits for the receiver's answer, for a bounded time.
  public var post: @Sendable (Request) throws(Failure) -> Response

  /// The message to post.
  public struct Request: Hashable, Sendable {
    public var url: String
    /// Names and values, each name once.
    public var headers: [String: String]
    /// The message, byte for byte as it was signed.
    public var body: [UInt8]

    public init(url: String, headers: [String: String], body: [UInt8]) {
      self.url = url
      self.headers = headers
      self.body = body
    }
  }

  /// The receiver's answer.
  public struct Response: Hashable, Sendable {
    /// The status, such as 204.
    public var status: Int
    /// For how long the receiver wants to be left alone; nil if it does not say.
    public var retryAfter: Duration?

    public init(status: Int, retryAfter: Duration? = nil) {
      self.status = status
      self.retryAfter = retryAfter
    }
  }

  /// Why there is no answer; the receiver may have the message all the same.
  public struct Failure: Error, Hashable, Sendable {
    /// The text for a person.
    public var reason: String

    public init(reason: String) { self.reason = reason }
  }

  public init(post: @escaping @Sendable (Request) throws(Failure) -> Response) {
    self.post = post
  }

  /// Everything is taken.
  public static var noop: WebhookTransport { WebhookTransport { _ in Response(status: 204) } }

  /// Reports an issue whenever it is used, and has no answer.
  public static var failing: WebhookTransport {
    WebhookTransport { _ throws(Failure) in
      reportUnimplemented("WebhookTransport.post")
      throw Failure(reason: "unimplemented")
    }
  }
}
