import Foundation

/// The results of one round of a scenario.
struct Measurement {
    var delivered = 0
    var seconds = 0.0
    /// CPU seconds of the server, or of the baseline server.
    var serverCPUSeconds = 0.0
    var clientCPUSeconds = 0.0
    var latency = LatencyHistogram()

    var perSecond: Double { Double(delivered) / seconds }
    var perCPUSecond: Double { Double(delivered) / max(serverCPUSeconds, 1e-9) }
    /// Cores used by the server.
    var serverUse: Double { serverCPUSeconds / seconds }
    /// Cores used by the client. Near 1, the client and not the server limited the rate.
    var clientUse: Double { clientCPUSeconds / seconds }

    static func + (a: Measurement, b: Measurement) -> Measurement {
        var sum = a
        sum.delivered += b.delivered
        sum.seconds += b.seconds
        sum.serverCPUSeconds += b.serverCPUSeconds
        sum.clientCPUSeconds += b.clientCPUSeconds
        sum.latency.add(b.latency)
        return sum
    }

    /// Runs `body` and measures wall and CPU time around it.
    static func around(_ process: MeasuredProcess, _ body: (inout Measurement) throws -> Void) rethrows -> Measurement {
        var measurement = Measurement()
        let (wall, server, client) = (LoadLoop.now, process.cpuSeconds, LoadLoop.cpuSeconds)
        try body(&measurement)
        measurement.seconds = Double(LoadLoop.now - wall) / 1e9
        measurement.serverCPUSeconds = process.cpuSeconds - server
        measurement.clientCPUSeconds = LoadLoop.cpuSeconds - client
        return measurement
    }
}

/// A latency histogram with ten buckets per factor of two: a quantile is at most 7 % too high.
struct LatencyHistogram {
    private static let bucketsPerOctave = 10.0
    private var buckets = [Int](repeating: 0, count: 400)
    private(set) var count = 0
    private(set) var maximum: UInt64 = 0

    mutating func record(nanoseconds: UInt64) {
        buckets[min(Int(log2(Double(max(1, nanoseconds))) * Self.bucketsPerOctave), buckets.count - 1)] += 1
        count += 1
        maximum = max(maximum, nanoseconds)
    }

    mutating func add(_ other: LatencyHistogram) {
        for index in buckets.indices { buckets[index] += other.buckets[index] }
        count += other.count
        maximum = max(maximum, other.maximum)
    }

    /// The upper bound of the bucket that contains the quantile, in milliseconds.
    func milliseconds(quantile: Double) -> Double {
        var left = Int((Double(count) * quantile).rounded(.up))
        for (index, bucket) in buckets.enumerated() where bucket > 0 {
            left -= bucket
            if left <= 0 { return min(exp2(Double(index + 1) / Self.bucketsPerOctave), Double(maximum)) / 1e6 }
        }
        return 0
    }
}
