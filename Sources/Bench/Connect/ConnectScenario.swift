import COpenSSL
import Foundation
import Synchronization

/// Measures accepted and upgraded connections per second.
struct ConnectScenario {
    /// Number of threads; each opens one connection after the other.
    private static let threads = 4

    private let options: BenchOptions

    init(_ options: BenchOptions) { self.options = options }

    func run() throws -> BenchReport {
        let server = try MeasuredServer(options)
        defer { server.stop() }
        let floor = try MeasuredFloor(messageBytesIn: 1, messageBytesOut: 1)
        defer { floor.stop() }
        let (serverPort, floorPort, tls) = (server.port, floor.port, server.tls)
        var comparison = Comparison()
        for round in 0...options.rounds {
            let ours = try Measurement.around(server.process) { measurement in
                measurement.delivered = try drive { source in
                    let socket = try LoadSocket(port: serverPort, tls: tls, source: source)
                    socket.resetOnClose()
                    try socket.upgrade(path: "/test/echo")
                }
            }
            let plain = try Measurement.around(floor.process) { measurement in
                measurement.delivered = try drive { source in
                    let socket = try LoadSocket(port: floorPort, source: source)
                    socket.resetOnClose()
                    var byte: [UInt8] = [0]
                    socket.write([UInt8(ascii: "e")])
                    socket.write([1])
                    _ = byte.withUnsafeMutableBytes { socket.read(into: $0) }
                }
            }
            if round > 0 { comparison.add(server: ours, floor: plain) }
        }
        var report = BenchReport(scenario: "connect", conditions: options.conditions("\(Self.threads) clients"))
        report.add("connected and upgraded per second", comparison.server.perSecond, "/s")
        report.add("connected and upgraded per server CPU-second", comparison.server.perCPUSecond, "/s")
        report.add("floor: accept and one byte, per CPU-second", comparison.floor.perCPUSecond, "/s")
        report.add("ratio to the floor (median of rounds)", comparison.medianRatio, "")
        report.add("server cores used", comparison.server.serverUse, "")
        report.add("client cores used", comparison.server.clientUse, "")
        return report
    }

    private func drive(_ body: @escaping @Sendable (UInt16) throws -> Void) throws -> Int {
        let end = LoadLoop.now + UInt64(options.seconds * 1e9)
        let total = Atomic<Int>(0)
        let failure = Mutex<(any Error)?>(nil)
        DispatchQueue.concurrentPerform(iterations: Self.threads) { thread in
            var done = 0
            do {
                while LoadLoop.now < end {
                    try body(UInt16(1 + thread * 8 + done / 4_000 % 8))
                    done += 1
                }
            } catch {
                failure.withLock { $0 = error }
            }
            total.wrappingAdd(done, ordering: .relaxed)
        }
        if let error = failure.withLock({ $0 }) { throw error }
        return total.load(ordering: .relaxed)
    }
}
