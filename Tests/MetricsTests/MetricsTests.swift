import TestSupport
import Testing

@testable import Metrics

@Suite("Metrics")
struct MetricsTests {
    private func text(_ registry: MetricRegistry, _ format: ExpositionFormat = .prometheus) -> String {
        String(decoding: registry.exposition(format), as: UTF8.self)
    }

    @Test("Each family is told once, with help, type and every series")
    func families() throws {
        let registry = MetricRegistry()
        let a = registry.counter("x_total", "Xs.", ["kind": "a"])
        let size = registry.gauge("size_bytes", "Size.")
        let b = registry.counter("x_total", "Xs.", ["kind": "b"])
        a.add()
        b.add(41)
        b.add()
        size.add(10)
        size.add(-12)
        #expect(
            text(registry) == """
                # HELP x_total Xs.
                # TYPE x_total counter
                x_total{kind="a"} 1
                x_total{kind="b"} 42
                # HELP size_bytes Size.
                # TYPE size_bytes gauge
                size_bytes -2

                """)
        let read = try Exposition(text(registry))
        #expect(read.value("x_total", ["kind": "b"]) == 42)
    }

    @Test("A histogram counts a value in the first bucket that holds it, its bound included")
    func histogram() throws {
        let registry = MetricRegistry()
        let histogram = registry.histogram(
            "wait_seconds", "Wait.", ["loop": "l"], buckets: Buckets([1_000_000, 5_000_000], scale: 1e-9))
        for value: UInt64 in [0, 1_000_000, 1_000_001, 5_000_000, 5_000_001, 10_000_000] { histogram.observe(value) }
        let read = try Exposition(text(registry))
        #expect(read.value("wait_seconds_bucket", ["loop": "l", "le": "0.001"]) == 2)
        #expect(read.value("wait_seconds_bucket", ["loop": "l", "le": "0.005"]) == 4)
        #expect(read.value("wait_seconds_bucket", ["loop": "l", "le": "+Inf"]) == 6)
        #expect(read.value("wait_seconds_count", ["loop": "l"]) == 6)
        #expect(abs((read.value("wait_seconds_sum", ["loop": "l"]) ?? 0) - 0.022000002) < 1e-12)
    }

    @Test("Every bound of the shared buckets is found by the search")
    func bounds() {
        for buckets in [Buckets.latency, .counts] {
            for (index, bound) in buckets.bounds.enumerated() {
                let histogram = Histogram(buckets)
                histogram.observe(bound)
                histogram.observe(bound + 1)
                let cumulative = histogram.snapshot().cumulative
                #expect(cumulative[index] == 1 && cumulative[index + 1] == 2)
            }
        }
    }

    @Test("What would break a line is escaped, in labels and in help")
    func escaping() throws {
        let registry = MetricRegistry()
        registry.gaugeFunction("x", "A \\ and\na \"line\".", ["path": "C:\\a\n\"b\""]) { 1.5 }
        #expect(text(registry).contains("# HELP x A \\\\ and\\na \"line\".\n"))
        #expect(text(registry).contains(#"x{path="C:\\a\n\"b\""} 1.5"#))
        #expect(try Exposition(text(registry)).samples.first?.labels["path"] == "C:\\a\n\"b\"")
    }

    @Test("Numbers beyond the ordinary are told as Prometheus writes them")
    func numbers() {
        for (value, received) in [
            (Double.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (0, "0"), (1e18, "1e+18"), (0.1, "0.1"),
            (-3, "-3"),
        ] {
            let registry = MetricRegistry()
            registry.gaugeFunction("x", "X.") { value }
            #expect(text(registry).hasSuffix("\nx \(received)\n"), "\(received)")
        }
    }

    @Test("OpenMetrics names a counter's family without its suffix and ends with EOF")
    func openMetrics() {
        let registry = MetricRegistry()
        registry.counter("x_total", "Xs.").add()
        #expect(text(registry, .openMetrics) == "# HELP x Xs.\n# TYPE x counter\nx_total 1\n# EOF\n")
    }

    @Test("A program reads its own sums and quantiles, of some series or all, since an earlier look")
    func reading() {
        let registry = MetricRegistry()
        for (loop, amount) in [("a", UInt64(2)), ("b", 3)] {
            registry.counter("x_total", "Xs.", ["loop": loop]).add(amount)
        }
        #expect(registry.sum(of: "x_total") == 5 && registry.sum(of: "x_total", ["loop": "b"]) == 3)
        #expect(registry.sum(of: "y_total") == 0)
        let histograms = ["a", "b"].map { registry.histogram("d", "Ds.", ["loop": $0], buckets: .counts) }
        #expect(registry.distribution(of: "d").quantile(0.99) == 0)
        for _ in 0..<50 {
            histograms[0].observe(1)
            histograms[1].observe(3)
        }
        let before = registry.distribution(of: "d")
        #expect(before.quantile(0.5) == 1 && before.quantile(0.75) == 3 && before.quantile(1) == 4)
        histograms[1].observe(1_000_000)
        #expect(registry.distribution(of: "d").since(before).quantile(0.5) == 256)
    }

    @Test("Counts from many threads at once are all there")
    func threads() async {
        let counter = Counter()
        let histogram = Histogram(.counts)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for value in 0..<10_000 {
                        counter.add()
                        histogram.observe(UInt64(value % 300))
                    }
                }
            }
        }
        #expect(counter.value == 80_000 && histogram.count == 80_000)
    }

    @Test("All names keep to Prometheus's conventions, and a registry of everything reads back")
    func conventions() throws {
        let registry = MetricRegistry()
        let transport = TransportMetrics(registry, closeCodes: [1_000])
        _ = LoopMetrics(registry, loop: "loop-0")
        _ = LoopMetrics(registry, loop: "loop-1")
        transport.closed(1_000)
        transport.closed(4_999)
        let read = try Exposition(text(registry))
        #expect(read.value("campanile_websocket_closes_total", ["code": "1000"]) == 1)
        #expect(read.value("campanile_websocket_closes_total", ["code": "other"]) == 1)
        for (name, type) in read.types {
            #expect(name.hasPrefix("campanile_"))
            #expect((type == "counter") == name.hasSuffix("_total"), "\(name)")
            #expect(type != "histogram" || name.hasSuffix("_seconds"), "\(name)")
        }
    }
}
