import Foundation
import RequestFuzzing

/// `campanile-requests [COUNT [SEED [WORKERS]]]`: see `deploy/fuzz requests`.
@main
enum CampanileRequests {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "--journal", arguments.count == 2 {
            for text in RequestJournal.texts(in: arguments[1]) { say(text) }
            return
        }
        var fuzz = RequestFuzz()
        let numbers = arguments.map { Int($0) }
        if numbers.count > 0, let count = numbers[0] { fuzz.requests = count }
        if numbers.count > 1, let seed = numbers[1] { fuzz.seed = UInt64(seed.magnitude) }
        if numbers.count > 2, let workers = numbers[2] { fuzz.workers = workers }
        do {
            try await run(fuzz)
        } catch {
            say("FAILED: \(error)")
            exit(1)
        }
        exit(0)
    }

    private static func run(_ fuzz: RequestFuzz) async throws {
        let tally = RequestTally()
        let host = try await RequestServer.start(seed: fuzz.seed)
        let journal = try ProcessInfo.processInfo.environment["CAMPANILE_REQUEST_JOURNAL"].map {
            try RequestJournal(path: $0, slots: fuzz.workers)
        }
        let clock = ContinuousClock()
        let started = clock.now
        let seconds = { @Sendable in Int((clock.now - started) / .seconds(1)) }
        say("seed \(fuzz.seed), \(fuzz.requests) requests, \(fuzz.workers) workers")
        let outcome: Result<Void, any Error>
        do {
            try await fuzz.run(on: host, tally: tally, journal: journal) { say("\($0) requests after \(seconds()) s") }
            outcome = .success(())
        } catch { outcome = .failure(error) }
        let counts = tally.all
        say("\(counts.requests) requests in \(seconds()) s")
        for (kind, count) in counts.byKind.sorted(by: { $0.value > $1.value }) { say("  \(kind): \(count)") }
        say("by code (0 is a result, -1 an ended connection): \(counts.byCode.sorted { $0.value > $1.value })")
        say("no result of \(counts.called.subtracting(counts.succeeded).sorted())")
        for (method, refusal) in counts.refusals.sorted(by: { $0.key < $1.key }) { say("  \(method): \(refusal)") }
        say("objects: \(host.pool.counts.sorted { $0.key < $1.key })")
        await host.server.stop()
        try outcome.get()
        if let line = host.errors.all.first { throw BrokenServer(description: "the log has an error: \(line)") }
        say("0 crashes, 0 replies of -32603, 0 errors in the log")
    }

    @Sendable private static func say(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
