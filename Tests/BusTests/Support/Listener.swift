import Bus
import EventLoop
import Synchronization
import TestSupport
import Testing

/// Loops for tests that do not care which.
enum Loops {
    private static func make(_ label: String) -> EventLoop {
        do {
            return try EventLoop(label: label)
        } catch {
            fatalError("no event loop: \(error)")
        }
    }
    static let home = make("bus-home")
    static let one = make("bus-one")
    static let other = make("bus-other")
}

/// Keeps what a subscription is told.
final class Listener: Sendable {
    private struct State {
        var events: [BusEvent] = []
        var subscription: BusSubscription?
    }
    private let state = Mutex(State())
    private let bus: any Bus
    let loop: EventLoop

    init(_ bus: any Bus, _ topic: String, on loop: EventLoop = Loops.one) throws {
        self.bus = bus
        self.loop = loop
        let subscription = try bus.subscribe(to: SubjectPattern(topic: topic), on: loop) { [weak self] event in
            guard let self else { return }
            loop.preconditionIsolated()
            self.state.withLock { $0.events.append(event) }
        }
        state.withLock { $0.subscription = subscription }
    }

    deinit { cancel() }

    func cancel() { state.withLock { $0.subscription }?.cancel() }

    var events: [BusEvent] { state.withLock { $0.events } }

    var messages: [BusMessage] { events.compactMap { if case .message(let message) = $0 { message } else { nil } } }

    var texts: [String] { messages.map { String(decoding: $0.bytes, as: UTF8.self) } }

    var losses: [BusLoss] { events.compactMap { if case .missed(let loss) = $0 { loss } else { nil } } }

    /// A line an event, in order.
    var lines: [String] {
        events.map { event in
            switch event {
            case .live: "live"
            case .message(let message): String(decoding: message.bytes, as: UTF8.self)
            case .missed(let loss): "missed \(loss)"
            }
        }
    }

    /// Returns when it is live.
    @discardableResult
    func live() async throws -> Listener {
        do {
            try await until("the subscription is live") {
                self.events.contains { if case .live = $0 { true } else { false } }
            }
        } catch {
            Issue.record("\(bus.node.name) is \(bus.state) with \(bus.nodes.count) others")
            throw error
        }
        return self
    }

    /// Returns when so many messages have come.
    func received(_ count: Int) async throws {
        try await until("\(count) messages") { self.messages.count >= count }
    }

    /// Returns when it was told.
    func missed(_ what: String, _ isIt: (BusLoss) -> Bool) async throws {
        try await until("told of \(what)") { self.losses.contains(where: isIt) }
    }
}

/// Keeps what an observer is told.
final class Witness: Sendable {
    private let notices = Mutex<[BusObserverEvent]>([])
    private let observation = Mutex<BusObservation?>(nil)

    init(_ bus: any Bus) {
        let made = bus.observe(on: Loops.other) { [weak self] notice in
            self?.notices.withLock { $0.append(notice) }
        }
        observation.withLock { $0 = made }
    }

    deinit { observation.withLock { $0 }?.cancel() }

    func saw(_ what: String, _ isIt: (BusObserverEvent) -> Bool) async throws {
        try await until("seen: \(what)") { self.notices.withLock { $0.contains(where: isIt) } }
    }

    var all: [BusObserverEvent] { notices.withLock { $0 } }
}

/// The key that all buses of these tests have.
let testKeys = BusKeyring(.random())

/// The same rules, faster, but a node that waits for a processor does not count as lost.
var quickTiming: BusTiming { timing(silenceMax: .seconds(60)) }

/// For tests in which a node is lost. The others beat often enough to be kept on a machine that is busy.
var impatientTiming: BusTiming { timing(silenceMax: .seconds(3)) }

private func timing(silenceMax: Duration) -> BusTiming {
    var timing = BusTiming()
    timing.beatInterval = .milliseconds(100)
    timing.beatSpacingMin = .milliseconds(5)
    timing.silenceMax = silenceMax
    timing.settling = .milliseconds(150)
    return timing
}

extension [UInt8] {
    init(_ text: String) { self = Array(text.utf8) }
}

/// Returns when so many nodes know all the others.
func acquainted(_ buses: [any Bus]) async throws {
    try await until("the nodes know each other") {
        buses.allSatisfy { $0.nodes.count == buses.count - 1 }
    }
}

/// Returns when it is so.
func until(_ what: String, _ isSo: () async throws -> Bool) async throws {
    _ = try await eventually(what) { try await isSo() ? true : nil }
}
