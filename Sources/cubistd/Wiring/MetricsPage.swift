import Foundation
import Glibc
import MatchCore
import MatchGateway
import MatchInterfaces
import MatchService
import MatchWire
import ServiceMetrics

/// The page of a process's metrics. Facts about the process itself are read whenever it is asked for.
struct MetricsPage: Sendable {
  private let registry: MetricsRegistry
  private let process: ServiceProcess
  private let clock: WallClock

  init(_ registry: MetricsRegistry, of process: ServiceProcess, clock: WallClock) {
    (self.registry, self.process, self.clock) = (registry, process, clock)
    let commit = Release.commit.map { [("commit", $0)] } ?? []
    registry.set(.buildInfo, [("release", Release.number)] + commit, to: 1)
    registry.set(.processStart, to: Double(clock.now().microseconds) / 1e6)
  }

  /// The page in a format.
  func text(_ format: ExpositionFormat) -> [UInt8] {
    readProcess()
    let report = HealthReport(of: process, at: clock.uptimeNanoseconds())
    for role in report.roles {
      registry.set(.roleUp, [("role", role.name)], to: report.works(role) ? 1 : 0)
    }
    return registry.text(format)
  }

  private func readProcess() {
    var usage = rusage()
    if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
      registry.set(.processCPU, to: seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }
    // The second number is the pages in RAM.
    if let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
      let pages = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
    {
      registry.set(.processMemory, to: pages * Double(sysconf(Int32(_SC_PAGESIZE))))
    }
    if let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      registry.set(.processOpenDescriptors, to: Double(open.count))
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      registry.set(.processMostDescriptors, to: Double(limit.rlim_cur))
    }
  }

  private func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }
}
