import CEmbedded

/// The description of the API.
package enum OpenAPI {
  /// The document: OpenAPI 3.1 as JSON.
  package static let document = Array(
    UnsafeBufferPointer(start: cubist_openapi, count: cubist_openapi_size))
}
