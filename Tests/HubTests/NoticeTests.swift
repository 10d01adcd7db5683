import EventLoop
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Hub

@Suite("Giving out notices")
struct NoticeTests {
    private let loop = TestDatabase.shared.loop

    private func hub(_ store: NoticeMemory) async -> Hub {
        let hub = Hub(loop: loop)
        await hub.notices.setStore(store)
        return hub
    }

    private func listener(_ hub: Hub, _ account: Int64, at position: TopicPosition? = nil) async throws
        -> NoticeListener
    {
        var listener = NoticeListener(loop, at: position)
        try await listener.subscribe(hub, account: account)
        return listener
    }

    @Test("What is for all is given without asking for whom it is, once to each, in order, on whatever loop they are")
    func forAll() async throws {
        let store = NoticeMemory()
        let hub = await hub(store)
        var listeners: [NoticeListener] = []
        for account in 1...20 as ClosedRange<Int64> {
            var listener = NoticeListener(account % 2 == 0 ? loop : Stage.secondLoop)
            try await listener.subscribe(hub, account: account)
            listeners.append(listener)
        }
        let readings = store.readings
        for _ in 1...10 { store.commit() }
        await hub.notices.appended()
        for var listener in listeners {
            try await listener.read(upTo: 10)
            #expect(listener.numbers == Array(1...10))
            #expect(listener.faults == [])
        }
        #expect(store.recipientQuestions == 0 && store.readings == readings)
    }

    @Test("What is for some goes to all their connections and to nobody else; what is told no more goes to nobody")
    func forSome() async throws {
        let store = NoticeMemory()
        let hub = await hub(store)
        var listeners = [try await listener(hub, 1), try await listener(hub, 1), try await listener(hub, 2)]
        store.commit(to: [1])
        store.forget(store.commit())
        store.commit(to: [2, 7])
        store.commit()
        await hub.notices.appended()
        for (index, expected) in [[1, 4], [1, 4], [3, 4]].enumerated() as EnumeratedSequence<[[Int64]]> {
            try await listeners[index].read(upTo: 2)
            #expect(listeners[index].numbers == expected)
        }
    }

    @Test("Who subscribes while something is given out has it once, in the reply or behind it")
    func joining() async throws {
        let store = NoticeMemory { await Task.yield() }
        let hub = await hub(store)
        var first = try await listener(hub, 1)
        let publishing = Task {
            for number in 1...60 as ClosedRange<Int64> {
                store.commit(to: number % 3 == 0 ? nil : [number % 2 + 1, 3])
                await hub.notices.appended()
                if number % 4 == 0 { await loop.sleep(for: .microseconds(300)) }
            }
        }
        var others: [NoticeListener] = []
        for index in 0..<40 {
            var other = NoticeListener(loop, at: TopicPosition(epoch: 1, offset: 0))
            try await other.subscribe(hub, account: Int64(index % 3) + 1)
            others.append(other)
        }
        await publishing.value
        func expected(_ account: Int64) -> [Int64] {
            store.log.filter { $0.accounts?.contains(account) ?? true }.map(\.offset)
        }
        try await first.read(upTo: expected(1).count)
        #expect(first.numbers == expected(1))
        for (index, var other) in others.enumerated() {
            let numbers = expected(Int64(index % 3) + 1)
            try await other.read(upTo: numbers.count)
            #expect(other.numbers == numbers)
            #expect(other.faults == [] && other.repeated.isEmpty)
        }
    }

    @Test("Held back, only what passes comes, without an offset; behind it the rest in order, and nothing twice")
    func held() async throws {
        let store = NoticeMemory()
        let hub = await hub(store)
        var (runner, other) = (try await listener(hub, 1), try await listener(hub, 2))
        store.commit()
        await hub.notices.appended()
        try await runner.read(upTo: 1)
        store.hold(1, true)
        await hub.notices.refreshHold(of: 1)
        store.commit()
        store.commit(passes: true)
        store.commit(to: [2], passes: true)
        store.commit(to: [1])
        await hub.notices.appended()
        try await other.read(upTo: 4)
        try await runner.read()
        #expect(runner.numbers == [1, 3] && runner.early == [3])
        #expect(runner.position?.offset == 1, "no position jumps over what waits")
        var second = try await listener(hub, 1)
        try await second.read()
        #expect(second.numbers == [1, 3] && second.position?.offset == 1)
        store.hold(1, false)
        await hub.notices.refreshHold(of: 1)
        try await runner.read(upTo: 4)
        try await second.read(upTo: 4)
        for one in [runner, second] {
            #expect(one.numbers == [1, 3, 2, 5])
            #expect(one.repeated.isEmpty && one.faults == [])
        }
        #expect(other.numbers == [1, 2, 3, 4])
        store.commit()
        await hub.notices.appended()
        try await runner.read(upTo: 5)
        #expect(runner.numbers.last == 6)
    }

    @Test("Who was held back long is given page by page what waited, also what is published meanwhile")
    func release() async throws {
        let store = NoticeMemory { await Task.yield() }
        let hub = await hub(store)
        var runner = try await listener(hub, 1)
        store.hold(1, true)
        await hub.notices.refreshHold(of: 1)
        for number in 1...50 { store.commit(passes: number % 10 == 0) }
        await hub.notices.appended()
        try await runner.read(upTo: 5)
        store.hold(1, false)
        async let released: Void = hub.notices.refreshHold(of: 1)
        for _ in 1...10 {
            store.commit()
            await hub.notices.appended()
        }
        await released
        try await runner.read(upTo: 60)
        let held: [Int64] = [10, 20, 30, 40, 50]
        let later: [Int64] = (1...60).filter { !held.contains($0) }
        #expect(runner.numbers == held + later)
        #expect(runner.faults == [] && runner.repeated.isEmpty)
    }

    @Test("A store that is away delays notices, and loses none; a hold that nobody told of is found")
    func away() async throws {
        let store = NoticeMemory()
        let hub = await hub(store)
        var listener = try await listener(hub, 1)
        store.setAway(true)
        store.commit()
        await hub.notices.appended()
        store.commit()
        try await listener.read()
        #expect(listener.taken.isEmpty)
        store.setAway(false)
        try await listener.read(upTo: 2)
        store.hold(1, true)
        await loop.sleep(for: NoticeFeed.pollInterval * (NoticeFeed.holdPolls + 1))
        store.commit()
        store.commit(passes: true)
        await hub.notices.appended()
        try await listener.read(upTo: 3)
        #expect(listener.numbers == [1, 2, 4])
        store.hold(1, false)
        try await listener.read(upTo: 4)
        #expect(listener.numbers == [1, 2, 4, 3] && listener.faults == [])
    }

    @Test("Nothing is given to a connection that has gone, is somebody else's, or has unsubscribed")
    func gone() async throws {
        let store = NoticeMemory()
        let hub = await hub(store)
        var (one, two, three) = (
            try await listener(hub, 1), try await listener(hub, 2), try await listener(hub, 3)
        )
        await hub.disconnect(one.viewer)
        await hub.unsubscribe(two.viewer, topic: .notices)
        store.commit()
        await hub.notices.appended()
        try await three.read(upTo: 1)
        try await one.read()
        try await two.read()
        #expect(one.taken.isEmpty && two.taken.isEmpty)
        #expect(await hub.notices.accounts == [3])
    }

    @Test("A log that was made anew has another epoch, which who subscribes again is told")
    func madeAnew() async throws {
        let store = NoticeMemory()
        let hub = await hub(store)
        for _ in 1...5 { store.commit() }
        var listener = try await listener(hub, 1)
        store.makeAnew()
        store.commit()
        await hub.notices.appended()
        try await listener.subscribe(hub, account: 1)
        #expect(listener.position == TopicPosition(epoch: 2, offset: 1))
        store.commit()
        await hub.notices.appended()
        _ = try await eventually("it goes on") { () -> Bool? in
            try await listener.read()
            return listener.position?.offset == 2 ? true : nil
        }
    }

    @Test(
        "Whatever happens in whatever order, each has what is theirs, in order but for what passes, and nothing else",
        arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func storm(seed: UInt64) async throws {
        let store = NoticeMemory { await Task.yield() }
        let hub = await hub(store)
        var random = SeededGenerator(seed: seed)
        var clients: [(account: Int64, listener: NoticeListener)] = []
        for index in 0..<12 {
            let account = Int64(index % 4) + 1
            clients.append((account, try await listener(hub, account, at: TopicPosition(epoch: 1, offset: 0))))
        }
        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let accounts: Set<Int64>? =
                    Bool.random(using: &random) ? nil : [Int64.random(in: 1...4, using: &random)]
                store.commit(to: accounts, passes: Int.random(in: 0..<4, using: &random) == 0)
                if Bool.random(using: &random) { await hub.notices.appended() }
            case 4, 5:
                let account = Int64.random(in: 1...4, using: &random)
                store.hold(account, Bool.random(using: &random))
                if Bool.random(using: &random) {
                    await hub.notices.refreshHold(of: account)
                } else {
                    Task { await hub.notices.refreshHold(of: account) }
                }
            case 6:
                let index = Int.random(in: 0..<clients.count, using: &random)
                await hub.disconnect(clients[index].listener.viewer)
                try await clients[index].listener.read()
                clients[index].listener = clients[index].listener.reconnected()
                try await clients[index].listener.subscribe(hub, account: clients[index].account)
            case 7:
                let index = Int.random(in: 0..<clients.count, using: &random)
                try await clients[index].listener.subscribe(hub, account: clients[index].account)
            default: await loop.sleep(for: .microseconds(Int64.random(in: 0..<300, using: &random)))
            }
        }
        for account in 1...4 as ClosedRange<Int64> {
            store.hold(account, false)
            await hub.notices.refreshHold(of: account)
        }
        await hub.notices.appended()
        for (account, var listener) in clients {
            let expected = store.log.filter { $0.accounts?.contains(account) ?? true }
            try await listener.read(upTo: expected.count)
            #expect(Set(listener.numbers) == Set(expected.map(\.offset)))
            #expect(listener.numbers.count == expected.count)
            let waiting = Set(expected.filter { !$0.passes }.map(\.offset))
            #expect(listener.numbers.filter(waiting.contains) == waiting.sorted(), "in order")
        }
    }
}
