import EventLoop
import Foundation
import Logging
import Synchronization
import Wire

/// Evaluates values of OpenStreetMap's `opening_hours` for the coming days. The Python library opening-hours-py does it, in a
/// confined process, because values are written by strangers. Results stay in memory. Usable from any context.
public final class OpeningHours: Sendable {
    /// Days that are evaluated, from the beginning of today.
    static let days = 8
    /// Maximum number of values that one process evaluates: their results stay below ``EventLoop/ChildProcess/outputBytesMax``.
    static let batchMax = 24
    /// Maximum number of intervals of one value; the rest is left out.
    static let intervalsMax = 80
    /// Maximum number of different values in memory; further ones are shown as they are.
    static let valuesMax = 20_000
    /// Time limit of one process.
    static let timeLimit = Duration.seconds(20)
    /// Interval of evaluating all values anew.
    public static let renewalSeconds = 86_400.0
    static let limits = Confinement.Limits(
        addressSpaceBytes: 1_073_741_824, processorSeconds: 15, fileBytes: 0, descriptors: 64)
    /// Directories in which the library may be installed.
    static let libraries = ["/usr/local/lib/campanile/python", "/usr/lib/campanile/python"]
    private static let python = "/usr/bin/python3"

    /// The library's directory; nil if it is not installed.
    public static var installed: String? {
        guard access(python, X_OK) == 0 else { return nil }
        return libraries.first { FileManager.default.fileExists(atPath: "\($0)/opening_hours") }
    }

    /// The warning if the library is missing.
    public static let missing =
        "opening-hours-py is missing, opening hours are shown as they are written and nothing is open or closed: run deploy/setup"

    private struct State {
        var openings: [String: [OpenInterval]] = [:]
        /// Values without a result since the last renewal.
        var known: Set<String> = []
        var evaluatedAt: Timestamp?
        var timeZone: String?
    }

    /// The output of one process.
    private struct Evaluation: Decodable {
        /// IANA name of the time zone of the position.
        var timeZone: String
        /// The intervals of each value in seconds of Unix time; null for a value that cannot be evaluated.
        var openings: [[[Int64]]?]
    }

    private let state = Mutex(State())
    private let workers: WorkerPool
    private let library: String?
    private let now: @Sendable () -> Timestamp
    private let logger: Logger

    /// - Parameters:
    ///   - library: Directory of the library; nil if there is none.
    ///   - now: The server's wall clock.
    public init(
        library: String? = OpeningHours.installed, now: @escaping @Sendable () -> Timestamp = { .now },
        logger: Logger = Logger(label: "campanile.search")
    ) {
        self.library = library
        self.now = now
        self.logger = logger
        workers = WorkerPool(label: "opening-hours", concurrentMax: 1, waitingMax: 64)
        if library == nil { logger.warning("\(Self.missing)") }
    }

    /// The intervals of a value; nil if it cannot be evaluated or is not evaluated yet.
    public func openings(_ value: String) -> [OpenInterval]? { state.withLock { $0.openings[value] } }

    /// IANA name of the time zone in which values are evaluated, such as Europe/Berlin; nil before the first evaluation.
    public var timeZone: String? { state.withLock { $0.timeZone } }

    /// Whether a place with this value is open; nil if it is not known.
    public func isOpen(_ value: String?) -> Bool? {
        guard let value, let openings = openings(value) else { return nil }
        let moment = now()
        return openings.contains { $0.from <= moment && moment < $0.to }
    }

    /// Evaluates values that are new, or all after a day.
    /// - Parameters:
    ///   - position: A position of the campus, which gives the time zone, the public holidays and the hours of the sun.
    ///   - isComplete: Whether these are all values: others are then forgotten.
    public func evaluate(_ values: Set<String>, at position: LatLon?, isComplete: Bool) async {
        guard let library else { return }
        let moment = now()
        let wanted = state.withLock { state -> [String] in
            let isOld = state.evaluatedAt.map { moment.seconds(since: $0) >= Self.renewalSeconds } ?? true
            if isComplete {
                state.openings = state.openings.filter { values.contains($0.key) }
                state.known = state.known.intersection(values)
                if isOld {
                    state.evaluatedAt = moment
                    return values.sorted()
                }
            }
            return values.filter { !state.known.contains($0) }.sorted()
        }
        var first = 0
        let all = wanted.prefix(Self.valuesMax)
        while first < all.count, !Task.isCancelled {
            let batch = Array(all[first..<min(first + Self.batchMax, all.count)])
            first += batch.count
            guard let results = await run(batch, library, position, moment) else { continue }
            state.withLock { state in
                for (value, openings) in zip(batch, results) {
                    state.known.insert(value)
                    state.openings[value] = openings
                }
            }
        }
    }

    /// Evaluates a batch; a value that stops the process does not stop the others.
    private func run(
        _ batch: [String], _ library: String, _ position: LatLon?, _ moment: Timestamp
    ) async -> [[OpenInterval]?]? {
        do {
            let (timeZone, openings) = try await workers.run { try Self.process(batch, library, position, moment) }
            state.withLock { $0.timeZone = timeZone }
            return openings
        } catch {
            guard batch.count > 1 else {
                logger.warning("opening hours could not be evaluated", metadata: ["error": "\(error)"])
                return nil
            }
            var results: [[OpenInterval]?] = []
            for value in batch { results.append(await run([value], library, position, moment)?.first ?? nil) }
            return results
        }
    }

    private struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// Blocks: runs on a worker.
    private static func process(
        _ batch: [String], _ library: String, _ position: LatLon?, _ moment: Timestamp
    ) throws -> (timeZone: String, openings: [[OpenInterval]?]) {
        let values = String(decoding: try WireJSON.encode(batch), as: UTF8.self)
        let place = position.map { "\($0.latitude) \($0.longitude)" } ?? ""
        let user = DecoderUser.current
        var confinement = Confinement(
            programs: [python] + interpreters, writable: [], limits: limits,
            user: user.isAnother ? (user.userID, user.groupID) : nil)
        confinement.readable = [library, "/usr/share/zoneinfo"]
        let finished = try ChildProcess.run(
            [
                python, "-I", "-S", "-c", program, library, values, place, "\(moment.milliseconds / 1_000)",
                TimeZone.current.identifier,
            ], environment: ["HOME": "/nonexistent"], confinement: confinement, timeLimit: timeLimit)
        guard finished.status == 0, !finished.isTimedOut else {
            throw Failed(description: "python3 ended with \(finished.status): \(finished.output.suffix(300))")
        }
        let found = try WireJSON.decode(Evaluation.self, from: Array(finished.output.utf8))
        guard found.openings.count == batch.count else {
            throw Failed(description: "python3 evaluated too few values")
        }
        let openings = found.openings.map { list -> [OpenInterval]? in
            list.map { intervals in
                intervals.prefix(intervalsMax).compactMap { pair in
                    guard pair.count == 2, pair[0] < pair[1], pair[0] > 0, pair[1] < 1 << 40 else { return nil }
                    return OpenInterval(
                        from: Timestamp(milliseconds: pair[0] * 1_000), to: Timestamp(milliseconds: pair[1] * 1_000))
                }
            }
        }
        return (found.timeZone, openings)
    }

    /// The target of the link `python3`, which the sandbox has to permit.
    private static let interpreters = [URL(fileURLWithPath: python).resolvingSymlinksInPath().path]

    /// Prints an ``Evaluation``.
    private static let program = """
        import sys
        sys.path.insert(0, sys.argv[1])
        import json
        from datetime import datetime, timedelta
        from zoneinfo import ZoneInfo
        from opening_hours import OpeningHours
        values, place, moment, zone = json.loads(sys.argv[2]), sys.argv[3].split(), int(sys.argv[4]), sys.argv[5]
        options = {"coords": (float(place[0]), float(place[1]))} if place else {"timezone": ZoneInfo(zone)}
        always = OpeningHours("24/7", **options)
        here = next(always.intervals(datetime(2026, 1, 1), datetime(2026, 1, 2)))[0].tzinfo
        start = datetime.fromtimestamp(moment, here).replace(hour=0, minute=0, second=0, microsecond=0)
        end = start + timedelta(days=\(days))
        def evaluate(value):
            try:
                hours, found = OpeningHours(value, **options), []
                for one in hours.intervals(start.replace(tzinfo=None), end.replace(tzinfo=None)):
                    if str(one[2]).upper() not in ("OPEN", "STATE.OPEN"):
                        continue
                    first, last = (int(at.timestamp()) for at in (one[0] or start, one[1] or end))
                    if found and found[-1][1] == first:
                        found[-1][1] = last
                    elif len(found) < \(intervalsMax):
                        found.append([first, last])
                return found
            except Exception:
                return None
        openings = [evaluate(value) for value in values]
        print(json.dumps({"timeZone": str(here), "openings": openings}, separators=(",", ":")))
        """
}
