import APIDescription
import Foundation
import Server
import Synchronization
import TestSupport
import Wire

/// Every method of the catalogue with every extreme value of every parameter, all others valid.
///
/// Each pair of a parameter and a value goes over WebSocket or over HTTP, which decode parameters alike, as one of the roles that may call
/// the method; roles and ways take turns. Every role calls every method with valid and with one extreme value besides, over both.
public enum ExtremeRequests {
    struct Item: Sendable {
        let method: MethodCatalogue.Method
        /// Nil for valid parameters.
        let change: (path: [JSONTree.Step], value: ExtremeValues.Value)?
    }

    /// What a run was made of.
    public struct Size: Sendable, CustomStringConvertible {
        /// Methods that were called.
        public var methods = 0
        /// Parameters, those within others too.
        public var parameters = 0
        /// Pairs of a parameter and a value.
        public var values = 0
        /// Requests that are sent.
        public var requests = 0
        /// In a sentence.
        public var description: String {
            "\(methods) methods, \(parameters) parameters, \(values) pairs of parameter and value, \(RequestServer.roles.count) roles, \(requests) requests"
        }
    }

    private struct Lane: Hashable {
        let role: Role?
        let isWebSocket: Bool
    }

    /// Each name once; `subscribe` is there for every kind of topic.
    static var methods: [MethodCatalogue.Method] {
        var names: Set<String> = []
        return MethodCatalogue.methods.filter { names.insert($0.name).inserted }
    }

    /// Sends all of them.
    /// - Throws: ``BrokenServer`` with the requests that did it.
    public static func run(on host: RequestServer, tally: RequestTally) async throws -> Size {
        let (lanes, size) = plan()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, lane) in lanes.enumerated() {
                group.addTask {
                    try await onThread {
                        var first = host.resident(lane.lane.role)
                        let worker = try RequestWorker(
                            host, role: lane.lane.role, isWebSocket: lane.lane.isWebSocket, number: index, tally: tally
                        ) {
                            defer { first = nil }
                            return try first ?? wait { try await host.makeCaller(lane.lane.role) }
                        }
                        try send(lane.items, by: worker, seed: UInt64(index))
                    }
                }
            }
            try await group.waitForAll()
        }
        return size
    }

    private static func plan() -> (lanes: [(lane: Lane, items: [Item])], size: Size) {
        var lanes: [Lane: [Item]] = [:]
        var size = Size()
        var turn = 0
        var areas: Set<Substring> = []
        for method in methods {
            size.methods += 1
            let parameters = Parameter.all(of: method)
            size.parameters += parameters.count
            let admitted = RequestServer.roles.filter { method.access.admits($0) }
            for (number, role) in RequestServer.roles.enumerated() {
                for isWebSocket in [true, false] {
                    let lane = Lane(role: role, isWebSocket: isWebSocket)
                    lanes[lane, default: []].append(Item(method: method, change: nil))
                    guard !parameters.isEmpty else { continue }
                    let parameter = parameters[number % parameters.count]
                    let values = ExtremeValues.of(parameter.shape)
                    lanes[lane, default: []].append(
                        Item(method: method, change: (parameter.path, values[number % values.count])))
                }
            }
            for parameter in parameters {
                for value in ExtremeValues.of(parameter.shape) {
                    size.values += 1
                    turn += 1
                    let lane = Lane(role: admitted[turn / 2 % admitted.count], isWebSocket: turn % 2 == 0)
                    lanes[lane, default: []].append(Item(method: method, change: (parameter.path, value)))
                }
            }
            // Refused before a method's decoder sees them, and slow: one for each area.
            if let parameter = parameters.first(where: { $0.shape == .string }), let role = admitted.last,
                areas.insert(method.name.prefix { $0 != "." }).inserted
            {
                lanes[Lane(role: role, isWebSocket: true), default: []].append(
                    Item(method: method, change: (parameter.path, ExtremeValues.megabyte)))
                size.values += 1
            }
        }
        size.requests = lanes.values.reduce(0) { $0 + $1.count }
        // What ends the account comes last.
        let ordered = lanes.sorted { "\($0.key)" < "\($1.key)" }.map { lane, items in
            (
                lane: lane,
                items: items.filter { !ending.contains($0.method.name) }
                    + items.filter { ending.contains($0.method.name) }
            )
        }
        return (ordered, size)
    }

    private static let ending: Set<String> = [
        "account.logout", "account.logoutEverywhere", "account.changePassword", "account.delete",
    ]

    private static func send(_ items: [Item], by worker: RequestWorker, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for (index, item) in items.enumerated() {
            var params = worker.caller.valid.make(item.method, using: &generator)
            if let change = item.change { params = params.changed(change.value.change, at: change.path[...]) }
            try worker.send(item.method.name, params.text, kind: item.change == nil ? "valid" : "extreme")
            if index % 50 == 0 { try worker.ping() }
        }
        try worker.ping()
    }
}

/// Runs blocking code on a thread of its own.
public func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Result { try body() }) }
        thread.stackSize = 4 << 20
        thread.start()
    }
}

/// Waits on a thread of its own for what is asynchronous; never on a thread of Swift's tasks.
public func wait<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T {
    let result = Box<T>()
    let done = DispatchSemaphore(value: 0)
    Task {
        let outcome: Result<T, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        result.value.withLock { $0 = outcome }
        done.signal()
    }
    done.wait()
    guard let outcome = result.value.withLock({ $0 }) else { throw BrokenServer(description: "nothing came") }
    return try outcome.get()
}

private final class Box<T: Sendable>: Sendable {
    let value = Mutex<Result<T, any Error>?>(nil)
}
