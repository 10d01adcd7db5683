import TestSupport
import Testing

@testable import Bus

@Suite struct BusFrameTests {
    private func read(_ bytes: [UInt8]) -> (frame: BusFrame, payload: [UInt8])? {
        bytes.withUnsafeBytes { raw in BusFrame.read(raw).map { ($0.frame, Array($0.payload)) } }
    }

    @Test("What is written is read back, of every kind")
    func roundTrip() throws {
        let frames = [
            BusFrame(kind: .message, isFlagged: true, node: NodeID(bits: 7), sequence: .max, request: nil),
            BusFrame(kind: .request, isFlagged: false, node: .random(), sequence: 1, request: 1 << 40),
            BusFrame(kind: .reply, isFlagged: false, node: .random(), sequence: 3, request: nil),
            BusFrame(kind: .heartbeat, isFlagged: true, node: .random(), sequence: 4, request: nil),
            BusFrame(kind: .syncRequest, isFlagged: false, node: .random(), sequence: 0, request: nil),
        ]
        for frame in frames {
            let (back, payload) = try #require(read(frame.encoded([1, 2, 3])))
            #expect(back.kind == frame.kind && back.isFlagged == frame.isFlagged && back.node == frame.node)
            #expect(back.sequence == frame.sequence && back.request == frame.request && payload == [1, 2, 3])
        }
    }

    @Test("A message's bytes are those of the documentation")
    func layout() {
        let frame = BusFrame(kind: .request, isFlagged: true, node: NodeID(bits: 0x0102), sequence: 3, request: 4)
        #expect(
            frame.encoded([9]) == [1, 2, 1, 0] + [0, 0, 0, 0, 0, 0, 1, 2] + [0, 0, 0, 0, 0, 0, 0, 3]
                + [0, 0, 0, 0, 0, 0, 0, 4] + [9])
    }

    @Test("Another version, an unknown kind or flag, and a head that is cut off are not read")
    func unreadable() {
        let bytes = BusFrame(kind: .request, isFlagged: false, node: .random(), sequence: 1, request: 2).encoded([])
        for (index, value) in [(0, UInt8(2)), (1, 0), (1, 6), (2, 2), (3, 1)] {
            var changed = bytes
            changed[index] = value
            #expect(read(changed) == nil)
        }
        for count in 0..<bytes.count { #expect(read(Array(bytes.prefix(count))) == nil) }
        #expect(read(bytes + [UInt8](repeating: 0, count: BusLimits.messageBytesMax + 1)) == nil)
    }

    @Test("A beat of many subjects is as many beats as it takes, none too large, and nothing is left out")
    func beats() throws {
        let entries = try (0..<20_000).map {
            (subject: try Subject(topic: "session/\($0)/positions"), sequence: UInt64($0) + 1)
        }
        let answered = (0..<BusLimits.nodesMax).map { (node: NodeID(bits: UInt64($0)), number: UInt64($0) * 3) }
        let payloads = Heartbeat.payloads(name: "node", answered: answered, entries: entries)
        #expect(payloads.count > 1 && payloads.allSatisfy { $0.count <= BusLimits.messageBytesMax })
        let beats = try payloads.map { payload in try #require(payload.withUnsafeBytes { Heartbeat($0) }) }
        #expect(beats.allSatisfy { $0.name == "node" })
        let back = beats.flatMap(\.entries)
        #expect(back.map(\.subject) == entries.map(\.0) && back.map(\.sequence) == entries.map(\.1))
        #expect(beats.dropLast().allSatisfy { $0.answered.isEmpty })
        #expect(beats.last?.answered.map(\.number) == answered.map(\.number))
    }

    @Test("A beat that is cut off anywhere but between subjects is not read")
    func cutBeat() throws {
        let entries = try ["a/1", "b/2"].map { (subject: try Subject(topic: $0), sequence: UInt64(1)) }
        let payload = try #require(Heartbeat.payloads(name: "n", entries: entries).first)
        let whole = [3, 3 + 12, payload.count]
        for count in 0...payload.count {
            let isRead = payload.prefix(count).withUnsafeBytes { Heartbeat($0) } != nil
            #expect(isRead == whole.contains(count), "\(count) of \(payload.count) bytes")
        }
    }

    @Test("Sync requests ask for all patterns, in as many as it takes")
    func syncRequests() throws {
        let patterns = try (0..<5_000).map { try SubjectPattern(topic: "session/\($0)/*") }
        let parts = SyncRequest.divided(patterns)
        let payloads = parts.map { SyncRequest.payload($0) }
        #expect(parts.count > 1 && payloads.allSatisfy { $0.count <= BusLimits.messageBytesMax })
        let back = try payloads.flatMap { payload in try #require(payload.withUnsafeBytes { SyncRequest($0) }).patterns
        }
        #expect(back == patterns && back.allSatisfy(\.hasWildcard))
        #expect(SyncRequest.divided([]).count == 1)
    }
}
