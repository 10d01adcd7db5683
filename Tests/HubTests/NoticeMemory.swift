import EventLoop
import Synchronization
import TestSupport
import Wire

@testable import Hub

/// A log of notices in memory, that can be away and take its time.
final class NoticeMemory: NoticeStore {
    struct Away: Error {}
    struct Entry {
        var offset: Int64
        /// Nil for everybody.
        var accounts: Set<Int64>?
        var passes: Bool
        var revision = 1
        var isGone = false
    }
    private struct State {
        var epoch: Int64 = 1
        var log: [Entry] = []
        var limits: [Int64: Int64] = [:]
        var isAway = false
        var readings = 0
        var recipientQuestions = 0
    }
    private let state = Mutex(State())
    /// Publications of one reading.
    static let pageMax = 3
    /// Runs within every call, when what it gives is settled: answers may be old when they arrive.
    let pause: @Sendable () async -> Void

    init(pause: @escaping @Sendable () async -> Void = {}) { self.pause = pause }

    var readings: Int { state.withLock { $0.readings } }
    var recipientQuestions: Int { state.withLock { $0.recipientQuestions } }
    var log: [Entry] { state.withLock { $0.log } }
    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    @discardableResult
    func commit(to accounts: Set<Int64>? = nil, passes: Bool = false) -> Int64 {
        state.withLock { state in
            let offset = Int64(state.log.count) + 1
            state.log.append(Entry(offset: offset, accounts: accounts, passes: passes))
            return offset
        }
    }

    /// Nobody is told of it any more.
    func forget(_ offset: Int64) { state.withLock { $0.log[Int(offset) - 1].isGone = true } }

    func hold(_ account: Int64, _ isEndDelayed: Bool) {
        state.withLock { state in
            if isEndDelayed {
                state.limits[account] = state.limits[account] ?? Int64(state.log.count)
            } else {
                state.limits[account] = nil
            }
        }
    }

    func makeAnew() {
        state.withLock { state in
            state.epoch += 1
            state.log = []
            state.limits = [:]
        }
    }

    private func answer<T: Sendable>(_ body: (inout State) throws -> T) async throws -> T {
        let answer = try state.withLock { state in
            guard !state.isAway else { throw Away() }
            return try body(&state)
        }
        await pause()
        return answer
    }

    private static func head(_ state: State) -> TopicPosition {
        TopicPosition(epoch: state.epoch, offset: Int64(state.log.count))
    }

    static func data(_ entry: Entry) -> [UInt8] {
        let notice = Notice(
            number: entry.offset, revision: entry.revision, id: "", at: Timestamp(milliseconds: 0),
            title: "\(entry.offset)", level: entry.passes ? .emergency : .info, to: .campus)
        return (try? WireJSON.encode(notice)) ?? []
    }

    func head() async throws -> TopicPosition { try await answer { Self.head($0) } }

    func page(after offset: Int64) async throws -> NoticePage {
        try await answer { state in
            let entries = state.log.filter { $0.offset > offset }.prefix(Self.pageMax).map { entry in
                NoticeEntry(
                    offset: entry.offset, isForAll: entry.accounts == nil, passes: entry.passes,
                    data: entry.isGone ? nil : Self.data(entry))
            }
            return NoticePage(
                head: Self.head(state), through: entries.last?.offset ?? Int64(state.log.count), entries: entries)
        }
    }

    func recipients(of offsets: [Int64], among accounts: [Int64]) async throws -> [Int64: Set<Int64>] {
        try await answer { state in
            state.recipientQuestions += 1
            return Dictionary(
                uniqueKeysWithValues: offsets.map { offset in
                    (offset, (state.log[Int(offset) - 1].accounts ?? Set(accounts)).intersection(accounts))
                })
        }
    }

    func reading(for account: Int64, since: TopicPosition?) async throws -> AccountNoticePage {
        try await answer { state in
            state.readings += 1
            let head = Self.head(state)
            let limit = state.limits[account]
            let start = since.map { $0.epoch == head.epoch ? $0.offset : 0 } ?? 0
            let mine = state.log.filter { entry in
                !entry.isGone && entry.offset > start && entry.accounts?.contains(account) ?? true
            }
            let open = mine.filter { $0.offset <= limit ?? .max }
            let page = open.prefix(Self.pageMax)
            let hasMore = open.count > page.count
            let end = max(start, min(head.offset, limit ?? .max))
            return AccountNoticePage(
                head: head, position: hasMore ? page.last?.offset ?? end : end, isRecovered: since != nil,
                hasMore: hasMore, publications: page.map { .init(offset: $0.offset, data: Self.data($0)) },
                early: hasMore
                    ? []
                    : mine.filter { $0.offset > limit ?? .max && $0.passes }.map {
                        .init(offset: $0.offset, data: Self.data($0))
                    }, limit: limit)
        }
    }

    func holds(of accounts: [Int64]) async throws -> NoticeHolds {
        try await answer { state in NoticeHolds(limits: state.limits.filter { accounts.contains($0.key) }) }
    }
}
