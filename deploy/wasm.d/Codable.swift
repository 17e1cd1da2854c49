/// Embedded Swift has no `Codable`. The types of answers declare it all the same, so it is something
/// without a requirement in that module.
public protocol Codable {}
