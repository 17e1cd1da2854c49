import RealServers

/// A property that a publisher sets on a message, and its effect on the message.
struct ForgedProperty: CustomStringConvertible {
  /// The fate of a valid event that is sent with the property.
  enum Fate {
    /// It is handled, and its sender gets the reply.
    case answered
    /// It is handled; the sender has made up an address or a name that no reply can have.
    case handledUnheard
    /// It is refused by name and not stored, and the sender gets the reply.
    case unjudged
    /// The sender has let it expire: it is handled once, or gone.
    case expired
    /// The broker closes the sender's channel with this code, and drops the message.
    case refused(Int)
    /// The same by a RabbitMQ below the version, with the code. Later ones take the message.
    case refusedBelow(String, Int)
  }

  let description: String
  let properties: RawProperties
  let fate: Fate

  init(
    _ description: String, _ fate: Fate = .answered, _ texts: [RawProperties.Text: String] = [:],
    headers: [RawProperties.Header]? = nil,
    amend: (inout RawProperties) -> Void = { _ in }
  ) {
    self.description = description
    self.fate = fate
    var properties = RawProperties(texts, headers: headers)
    properties.texts[.replyTo] = properties.texts[.replyTo] ?? Array("amq.rabbitmq.reply-to".utf8)
    properties.texts[.correlationID] = properties.texts[.correlationID] ?? Array("1".utf8)
    amend(&properties)
    self.properties = properties
  }

  private static let parent = Array(
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".utf8)

  /// The headers by which a request is found in the logs.
  private static func marks(id: [UInt8], parent: [UInt8]) -> [RawProperties.Header] {
    [.init("x-request-id", .text(id)), .init("traceparent", .text(parent))]
  }

  /// Counts of deliveries, of every type and size.
  static let counts: [ForgedProperty] = {
    let values: [(String, RawProperties.Value)] = [
      ("2", .int64(2)), ("9", .int64(9)), ("20", .int32(20)), ("-1", .int64(-1)),
      ("an 8-bit -128", .int8(-128)), ("the largest number", .int64(.max)),
      ("the smallest number", .int64(.min)), ("the largest without a sign", .uint64(.max)),
      ("a text", .text(Array("9223372036854775807".utf8))), ("bytes", .bytes([255, 255])),
      ("a fraction", .double(9.5)), ("a large fraction", .double(1e300)),
      ("a decimal", .decimal(scale: 255, value: .max)), ("a time", .timestamp(.max)),
      ("true", .boolean(true)), ("nothing", .void), ("an array", .array([.int64(.max)])),
      ("a table", .table([.init("x-delivery-count", .int64(.max))])),
    ]
    let name = "x-delivery-count"
    return values.map { ForgedProperty("\(name): \($0.0)", headers: [.init(name, $0.1)]) } + [
      ForgedProperty(
        "\(name) twice, the larger last",
        headers: [.init(name, .int64(1)), .init(name, .int64(.max))]),
      ForgedProperty(
        "\(name) twice, the larger first",
        headers: [.init(name, .int64(.max)), .init(name, .int64(1))]),
      ForgedProperty(
        "\(name) five hundred times",
        headers: (0..<500).map { .init(name, .int64(.max - Int64($0))) }),
      ForgedProperty("\(name) without a name", headers: [.init("", .int64(.max))]),
      // The broker cannot read these: it ends the sender's connection.
      ForgedProperty(
        "\(name): infinite", .refused(541), headers: [.init(name, .double(.infinity))]),
      ForgedProperty("\(name): no number", .refused(541), headers: [.init(name, .double(.nan))]),
    ]
  }()

  /// Every other property and header.
  static let others: [ForgedProperty] = [
    ForgedProperty("priority 0") { $0.priority = 0 },
    ForgedProperty("priority 4") { $0.priority = 4 },
    ForgedProperty("priority 5", .unjudged) { $0.priority = 5 },
    ForgedProperty("priority 255", .unjudged) { $0.priority = 255 },
    ForgedProperty("transient") { $0.deliveryMode = 1 },
    ForgedProperty("persistent") { $0.deliveryMode = 2 },
    ForgedProperty("delivery mode 0", .refusedBelow("4.0.0", 406)) { $0.deliveryMode = 0 },
    ForgedProperty("delivery mode 255", .refusedBelow("4.0.0", 406)) { $0.deliveryMode = 255 },
    ForgedProperty("the first second") { $0.timestamp = 0 },
    ForgedProperty("the last second") { $0.timestamp = .max },
    ForgedProperty("content type", .answered, [.contentType: "text/html"]),
    ForgedProperty("content encoding", .answered, [.contentEncoding: "gzip"]),
    ForgedProperty("type", .answered, [.type: "turnPlayed"]),
    ForgedProperty("message id", .answered, [.messageID: "00000000-0000-0000-0000-000000000000"]),
    ForgedProperty("app id", .answered, [.appID: "cubistd"]),
    ForgedProperty("cluster id", .answered, [.clusterID: "cubist"]),
    ForgedProperty("another user id", .refused(406), [.userID: "guest"]),
    ForgedProperty("no correlation id", .answered) { $0.texts[.correlationID] = nil },
    ForgedProperty("an empty correlation id", .answered, [.correlationID: ""]),
    ForgedProperty(
      "a correlation id of 255 bytes", .answered,
      [.correlationID: String(repeating: "x", count: 255)]),
    ForgedProperty("a correlation id of no UTF-8", .answered) {
      $0.texts[.correlationID] = [0xff, 0, 0xfe]
    },
    ForgedProperty("a correlation id that is too long as UTF-8", .handledUnheard) {
      $0.texts[.correlationID] = Array(repeating: 0xff, count: 255)
    },
    ForgedProperty("no reply-to", .handledUnheard) { $0.texts[.replyTo] = nil },
    ForgedProperty("a reply-to of a queue", .handledUnheard, [.replyTo: "cubist.jobs"]),
    ForgedProperty("a reply-to of no UTF-8", .handledUnheard) {
      $0.texts[.replyTo] = Array("amq.rabbitmq.reply-to.".utf8) + Array(repeating: 0xff, count: 200)
    },
    ForgedProperty("an expiration of no time", .expired, [.expiration: "0"]),
    ForgedProperty("an expiration of a day", .answered, [.expiration: "86400000"]),
    ForgedProperty("an expiration of no number", .refused(406), [.expiration: "soon"]),
    ForgedProperty("a negative expiration", .refused(406), [.expiration: "-1"]),
    ForgedProperty(
      "an expiration beyond all bounds", .refused(406), [.expiration: "9223372036854775808"]),
    ForgedProperty("CC of no array", .refused(406), headers: [.init("CC", .text([0x23]))]),
    ForgedProperty("CC of no texts", headers: [.init("CC", .array([.int64(1)]))]),
    ForgedProperty(
      "CC to the dead letters",
      headers: [.init("CC", .array([.text(Array("cubist.queries".utf8))]))]),
    ForgedProperty(
      "BCC to the push jobs", headers: [.init("BCC", .array([.text(Array("cubist.jobs".utf8))]))]),
    ForgedProperty("x-death of no array", headers: [.init("x-death", .int64(.max))]),
    ForgedProperty(
      "x-death of no tables", headers: [.init("x-death", .array([.int64(1), .void]))]),
    ForgedProperty(
      "x-death of numbers beyond all bounds",
      headers: [
        .init(
          "x-death",
          .array([
            .table([
              .init("count", .int64(.min)), .init("time", .timestamp(.max)),
              .init("queue", .text(Array("cubist.events.00".utf8))),
              .init("reason", .text(Array("rejected".utf8))),
            ])
          ]))
      ]),
    ForgedProperty("attempts", headers: [.init("x-cubist-attempts", .int64(.max))]),
    ForgedProperty("marks of a request", headers: marks(id: Array("a-1".utf8), parent: parent)),
    ForgedProperty(
      "marks of lines and of no UTF-8",
      headers: marks(id: Array("a\n{\"level\":\"error\"}".utf8), parent: [0xff, 0x00])),
    ForgedProperty(
      "a long mark and no trace",
      headers: marks(id: Array(repeating: 0x61, count: 4_000), parent: [])),
    ForgedProperty(
      "marks of no texts",
      headers: [.init("x-request-id", .array([.int64(1)])), .init("traceparent", .int64(.min))]),
    ForgedProperty("an empty table", headers: []),
    ForgedProperty(
      "a header twice", headers: [.init("a", .int64(1)), .init("a", .text([0xff]))]),
    ForgedProperty("tables in tables", headers: [.init("a", nested(100))]),
    ForgedProperty("arrays in arrays", headers: [.init("a", nestedArray(1_000))]),
    ForgedProperty(
      "a thousand headers", headers: (0..<1_000).map { .init("\($0)", .void) }),
    ForgedProperty(
      "headers that fill a frame",
      headers: [.init("a", .bytes(Array(repeating: 0, count: 15_000)))]),
    ForgedProperty("no properties at all", .handledUnheard) { $0 = RawProperties() },
  ]

  private static func nested(_ depth: Int) -> RawProperties.Value {
    (0..<depth).reduce(.void) { value, _ in .table([.init("t", value)]) }
  }

  private static func nestedArray(_ depth: Int) -> RawProperties.Value {
    (0..<depth).reduce(.void) { value, _ in .array([value]) }
  }
}
