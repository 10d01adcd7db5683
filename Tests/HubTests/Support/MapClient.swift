import Campus
import EventLoop
import Hub
import HubCore
import Synchronization
import TestSupport
import Wire

/// A connection with a map: keeps what the pushes of its view tell, as a client does.
final class MapClient: Subscriber {
    /// Apart from those of `RecordingViewer`, which may watch the same hub.
    private static let nextID = Atomic<UInt64>(1 << 41)

    private struct State {
        var topics: Set<String> = []
        var runners: [String: [Int64: Runner]] = [:]
        var clusters: [String: [Cluster]] = [:]
        var decoders: [String: AreaDecoder] = [:]
        var switches = 0
        var skipped: Set<Topic> = []
        var skips = false
        var strangers = 0
        var frames: [[UInt8]] = []
    }

    let subscriberID = nextID.wrappingAdd(1, ordering: .relaxed).oldValue
    let subscriberLoop: EventLoop
    private let state = Mutex(State())

    init(loop: EventLoop) { subscriberLoop = loop }

    /// Pushes for cells that were not in view: there must not be any.
    var strangers: Int { state.withLock { $0.strangers } }
    /// Everything that came, as bytes.
    var frames: [[UInt8]] { state.withLock { $0.frames } }
    var topics: Set<String> { state.withLock { $0.topics } }
    /// What cells are counted, by topic.
    var clusters: [String: [Cluster]] { state.withLock { $0.clusters } }
    /// Who is known in a cell.
    func runners(in topic: String) -> [Runner] { state.withLock { Array($0.runners[topic, default: [:]].values) } }
    /// How often a cell turned from runners to counts or back.
    var switches: Int { state.withLock { $0.switches } }
    /// Everyone on the map, each once.
    var runners: [Runner] { state.withLock { $0.runners.values.flatMap(\.values) } }

    /// Whether it has a runner at this longitude, as exactly as frames tell it, and nowhere else.
    func shows(_ id: Int64, at longitude: Double) -> Bool {
        let places = runners.filter { $0.session == id }.map(\.lon)
        return !places.isEmpty && places.allSatisfy { abs($0 - longitude) < 0.000_01 }
    }

    /// What was sent to it until now has arrived.
    func settle() async {
        await withCheckedContinuation { done in subscriberLoop.execute { done.resume() } }
    }

    /// While it has a backlog, pushes are left out, as a connection does.
    func setBacklog(_ skips: Bool) { state.withLock { $0.skips = skips } }

    /// What to ask for again.
    func takeSkipped() -> Set<Topic> {
        state.withLock { state in
            defer { state.skipped = [] }
            return state.skipped
        }
    }

    /// The reply to `positions.view`: not JSON-RPC, but the topics alone.
    static func reply(_ cells: [Cell]) -> [UInt8] {
        Array(("view " + cells.map { Topic.cellPositions($0).description }.joined(separator: " ")).utf8)
    }

    func deliver(_ delivery: Delivery) {
        let frame = delivery.frame
        let payload = RecordingViewer.payload(of: frame)
        state.withLock { state in
            state.frames.append(frame)
            let text = frame[0] & 0x0F == 1 ? String(decoding: payload, as: UTF8.self) : ""
            if text.hasPrefix("view ") { return Self.take(text, &state) }
            guard !state.skips, !state.skipped.contains(delivery.topic) else {
                state.skipped.insert(delivery.topic)
                return
            }
            let name = delivery.topic.description
            guard state.topics.contains(name) else { return state.strangers += 1 }
            let update: ZoneUpdate
            switch Self.update(payload, isText: !text.isEmpty, name, &state) {
            case .counts(let counts)?:
                if state.clusters.updateValue(counts.clusters, forKey: name) == nil { state.switches += 1 }
                return state.runners[name] = [:]
            case .runners(let runners)?: update = runners
            case nil: return
            }
            // Counts are ended by everybody, and by nothing less.
            if update.full == true {
                if state.clusters.removeValue(forKey: name) != nil { state.switches += 1 }
                state.runners[name] = [:]
            } else if state.clusters[name] != nil {
                state.strangers += 1
            }
            for one in update.left { state.runners[name]?[one.session] = nil }
            for one in update.runners { state.runners[name, default: [:]][one.session] = one }
        }
    }

    private static func take(_ text: String, _ state: inout State) {
        state.topics = Set(text.split(separator: " ").dropFirst().map(String.init))
        let topics = state.topics
        state.runners = state.runners.filter { topics.contains($0.key) }
        state.clusters = state.clusters.filter { topics.contains($0.key) }
        state.decoders = state.decoders.filter { topics.contains($0.key) }
        state.skipped = state.skipped.filter { topics.contains($0.description) }
    }

    private static func update(
        _ payload: [UInt8], isText: Bool, _ name: String, _ state: inout State
    ) -> AreaUpdate? {
        guard !isText else {
            if let counts = try? WireJSON.decode(Push<CountsUpdate>.self, from: payload).params.data {
                return .counts(counts)
            }
            return (try? WireJSON.decode(Push<ZoneUpdate>.self, from: payload).params.data).map(AreaUpdate.runners)
        }
        guard let frame = try? AreaFrame(decoding: payload) else { return nil }
        return try? state.decoders[name, default: AreaDecoder()].apply(frame)
    }
}
