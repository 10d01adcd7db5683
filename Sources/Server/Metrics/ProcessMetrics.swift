import Foundation
import Metrics

/// Kernel statistics of this process under the names that Prometheus clients share. Reads `/proc` at each scrape, so not on a loop.
enum ProcessMetrics {
    static func register(in registry: MetricRegistry) {
        registry.counterFunction("process_cpu_seconds_total", "CPU time used, user and system.") {
            var usage = rusage()
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return seconds(usage.ru_utime) + seconds(usage.ru_stime)
        }
        registry.gaugeFunction("process_resident_memory_bytes", "Resident memory.") {
            let fields = read("/proc/self/statm").split(separator: " ")
            return fields.count > 1 ? (Double(fields[1]) ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE))) : 0
        }
        registry.gaugeFunction("process_open_fds", "Open file descriptors.") {
            Double((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0)
        }
        registry.gaugeFunction("process_max_fds", "File descriptors that may be open.") {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
            return Double(limit.rlim_cur)
        }
        let started = startTime()
        registry.gaugeFunction("process_start_time_seconds", "Start of the process, seconds since 1970.") { started }
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    private static func read(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

    /// Start time of the process. Field 22 of /proc/self/stat counts ticks since the machine's start, which /proc/stat contains (proc(5)).
    private static func startTime() -> Double {
        // The name in parentheses may contain spaces and parentheses.
        let stat = read("/proc/self/stat")
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        let boot = read("/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }?.dropFirst(6)
        guard fields.count > 20, let ticks = Double(fields[20]), let boot = boot.flatMap({ Double($0) }) else {
            return 0
        }
        return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
