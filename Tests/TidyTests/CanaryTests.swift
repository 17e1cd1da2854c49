import IssueReporting
import IssueReportingTestSupport
import Testing

// All targets are linked into one program, so this holds for each.
@Test("Reported issues reach the test runner")
func canary() {
  withKnownIssue {
    reportIssue("canary")
  }
}
