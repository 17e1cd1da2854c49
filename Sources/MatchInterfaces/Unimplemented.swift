import IssueReporting

/// Reports that a `.failing` interface was used; the test that did so fails.
///
/// For the interfaces of modules that bring values of their own.
public func reportUnimplemented(_ name: String) {
  reportIssue("Unimplemented: \(name)")
}
