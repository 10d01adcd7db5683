import Foundation
import Hub
import HubCore
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Publishing")
struct PublishingTests {
    @Test("Eight publishers, two servers, one database: offsets without gaps, and all subscribers have all, in order")
    func twoServers() async throws {
        let here = try await World()
        let there = World(access: here.access, patience: .seconds(120))
        // As a bus between the two does, one way; the other server finds by itself what is new.
        await there.publications.setAnnouncer { topic, epoch, fresh in
            let position = TopicPosition(epoch: epoch, offset: fresh.last?.offset ?? 0)
            Task { await here.hub.logs.advance(topic, to: position) }
        }
        let topic = Reader.newTopic()
        var readers = [Reader(topic), Reader(topic)]
        try await readers[0].subscribe(here)
        try await readers[1].subscribe(there)
        let (publishers, each) = (8, 40)
        let places = try await withThrowingTaskGroup(of: [Published].self) { group in
            for publisher in 0..<publishers {
                group.addTask {
                    var places: [Published] = []
                    for number in 0..<each {
                        places.append(
                            try await (publisher % 2 == 0 ? here : there).publish("\(publisher).\(number)", on: topic))
                    }
                    return places
                }
            }
            return try await group.reduce(into: [[Published]]()) { $0.append($1) }
        }
        let kept = try await here.kept(topic)
        #expect(kept.map(\.offset) == Array(1...Int64(publishers * each)))
        #expect(Set(places.joined().map(\.offset)).count == publishers * each)
        for one in places { #expect(one.map(\.offset) == one.map(\.offset).sorted()) }
        for index in readers.indices {
            // What only the other server committed last is found by the next look.
            try await readers[index].read(upTo: kept.count)
            #expect(readers[index].offsets == kept.map(\.offset))
            #expect(readers[index].data == kept.map(\.data.data))
        }
        await there.close()
    }

    @Test("Sent again it is the same publication, also at once, on both servers, and in one group")
    func again() async throws {
        let here = try await World()
        let there = World(access: here.access, patience: .seconds(120))
        let topic = Reader.newTopic()
        var reader = Reader(topic)
        try await reader.subscribe(here)
        for round in 0..<10 {
            let (id, upper) = (UUID().uuidString.lowercased(), UUID().uuidString)
            let places = try await withThrowingTaskGroup(of: Published.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        try await (number % 2 == 0 ? here : there).publish("\(round)", on: topic, id: id)
                    }
                }
                return try await group.reduce(into: [Published]()) { $0.append($1) }
            }
            #expect(Set(places.map(\.offset)).count == 1)
            #expect(try await here.publish("later", on: topic, id: id.uppercased()) == places.first)
            try await there.publish("between \(upper)", on: topic, id: upper)
        }
        let kept = try await here.kept(topic)
        #expect(kept.count == 20)
        #expect(kept.filter { !$0.data.data.hasPrefix("between") }.map(\.data.data) == (0..<10).map { "\($0)" })
        try await reader.read(upTo: 20)
        #expect(reader.offsets == Array(1...20))
        await there.close()
    }

    @Test(
        "A publication is acknowledged with the offset that subscribers see, and its data are delivered byte for byte")
    func bytes() async throws {
        let world = try await World()
        let topic = Reader.newTopic()
        let odd = "\u{0}\u{1F600} \"\\/ \u{2028} é\n"
        var reader = Reader(topic)
        try await reader.subscribe(world)
        let place = try await world.publish(odd, on: topic)
        try await reader.read(upTo: 1)
        #expect(reader.data == [odd])
        #expect(reader.position == TopicPosition(epoch: place.epoch, offset: place.offset))
        #expect(try await world.kept(topic).map(\.data.data) == [odd])
        var later = Reader(topic, at: TopicPosition(epoch: place.epoch, offset: 0))
        try await later.subscribe(world.restarted())
        #expect(later.data == [odd])
    }

    @Test("One that PostgreSQL refuses does not take along those it shares a transaction with")
    func culprit() async throws {
        let world = try await World()
        let topic = Reader.newTopic()
        let results = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask {
                    // Nobody's account.
                    let author: Int64? = number == 7 ? -1 : nil
                    let draft = Draft(
                        topic: topic, clientID: World.newID(), authorID: author, at: .now,
                        data: Array(#"{"type":"test","id":"","data":"\#(number)"}"#.utf8))
                    return (try? await world.publications.publish(draft)) != nil
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(results.count(where: \.self) == 19)
        let kept = try await world.kept(topic)
        #expect(kept.map(\.offset) == Array(1...19))
        #expect(!kept.contains { $0.data.data == "7" })
    }

    @Test("Old publications go, from the beginning; who was there is recovered, others are told; sent again it is new")
    func pruning() async throws {
        // All topics are pruned.
        let world = World(access: try await MigratedDatabase.shared.own(), patience: .seconds(30))
        let topic = Topic.test(1)
        let id = World.newID()
        let first = try await world.publish("old", on: topic, id: id)
        world.clock.advance(bySeconds: 100)
        for number in 0..<9 { try await world.publish("\(number)", on: topic) }
        #expect(try await world.publish("old", on: topic, id: id) == first)
        _ = try await world.table.prune(keptMax: 1_000, before: world.clock.now)
        #expect(try await world.kept(topic).map(\.offset) == Array(2...10))
        _ = try await world.table.prune(keptMax: 4, before: world.clock.now)
        #expect(try await world.kept(topic).map(\.offset) == Array(7...10))
        for (offset, reason) in [(5, RecoveryFailure.tooOld), (6, nil), (10, nil)] as [(Int64, RecoveryFailure?)] {
            var reader = Reader(topic, at: TopicPosition(epoch: first.epoch, offset: offset))
            try await reader.subscribe(world.restarted())
            #expect(reader.replies.map(\.reason) == [reason])
            #expect(reader.replies.map(\.recovered) == [reason == nil])
            #expect(reader.offsets == (reason == nil ? Array((offset + 1)..<11) : [8, 9, 10]))
        }
        #expect(try await world.publish("old", on: topic, id: id).offset == 11)
        await world.close()
    }
}
