/// Payload of a heartbeat frame.
///
/// A heartbeat carries the node's name, the sync requests (``SyncRequest``) that it answers, and subjects with the sequence of their last
/// message. It lists each subject that the node has published to since its previous heartbeat, or that an answered sync request
/// matches.
///
/// Layout: length of the name (1 byte), name, number of answered requests (1 byte), for each of them the requesting node and the
/// request's number (8 bytes each), then for each subject its length (1 byte), the subject and the sequence (8 bytes).
struct Heartbeat {
    /// Bytes of subjects and sequences in one heartbeat. Entries beyond it go into further heartbeats.
    static let entriesBytesMax = BusLimits.messageBytesMax / 2

    let name: String
    /// The latest sync request of each node that this heartbeat answers.
    private(set) var answered: [(node: NodeID, number: UInt64)] = []
    private(set) var entries: [(subject: Subject, sequence: UInt64)] = []

    /// Encodes one or more heartbeats. The last one carries the answered sync requests.
    /// - Parameter answered: Sync requests to answer; at most ``BusLimits/nodesMax`` are included.
    static func payloads(
        name: String, answered: [(node: NodeID, number: UInt64)] = [], entries: [(subject: Subject, sequence: UInt64)]
    ) -> [[UInt8]] {
        let name = [UInt8(truncatingIfNeeded: name.utf8.count)] + Array(name.utf8)
        var payloads: [[UInt8]] = []
        var payload: [UInt8] = []
        for (subject, sequence) in entries {
            let spelled = subject.description.utf8
            if payload.count + spelled.count + 9 > entriesBytesMax {
                payloads.append(name + [0] + payload)
                payload.removeAll(keepingCapacity: true)
            }
            payload.append(UInt8(truncatingIfNeeded: spelled.count))
            payload += spelled
            payload.append(bigEndian: sequence)
        }
        let answered = answered.prefix(BusLimits.nodesMax)
        var last = name + [UInt8(answered.count)]
        for (node, number) in answered {
            last.append(bigEndian: node.bits)
            last.append(bigEndian: number)
        }
        return payloads + [last + payload]
    }

    /// Decodes a payload; nil if it is malformed.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        guard let name = rest.popText(), BusNode.isName(name), let count = rest.popFirst(), count <= BusLimits.nodesMax
        else { return nil }
        self.name = name
        for _ in 0..<count {
            guard let node = rest.popNumber(), let number = rest.popNumber() else { return nil }
            answered.append((NodeID(bits: node), number))
        }
        while !rest.isEmpty {
            guard let subject = rest.popText(), subject.utf8.count <= Subject.subjectBytesMax,
                let sequence = rest.popNumber()
            else { return nil }
            entries.append((Subject(spelled: subject), sequence))
        }
    }
}

/// Payload of a sync request: the patterns whose current sequences the sender wants, each as its length (1 byte) and its text. The
/// next heartbeat of each receiver answers the request.
struct SyncRequest {
    let patterns: [SubjectPattern]

    /// Splits the patterns into as many sync requests as their size needs, at least one.
    static func divided(_ patterns: [SubjectPattern]) -> [ArraySlice<SubjectPattern>] {
        let perRequest = BusLimits.messageBytesMax / (Subject.subjectBytesMax + 1)
        return stride(from: 0, to: max(1, patterns.count), by: perRequest).map {
            patterns[$0..<min($0 + perRequest, patterns.count)]
        }
    }

    static func payload(_ patterns: some Sequence<SubjectPattern>) -> [UInt8] {
        patterns.reduce(into: []) { payload, pattern in
            payload.append(UInt8(truncatingIfNeeded: pattern.description.utf8.count))
            payload += pattern.description.utf8
        }
    }

    /// Decodes a payload; nil if it is malformed.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        var patterns: [SubjectPattern] = []
        while !rest.isEmpty {
            guard let pattern = rest.popText(), pattern.utf8.count <= Subject.subjectBytesMax else { return nil }
            patterns.append(SubjectPattern(spelled: pattern))
        }
        self.patterns = patterns
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Removes a string that is prefixed with its length in one byte. Nil for an empty or truncated string, or for invalid UTF-8.
    fileprivate mutating func popText() -> String? {
        guard let length = popFirst(), length > 0, count >= length else { return nil }
        defer { self = dropFirst(Int(length)) }
        return String(validating: prefix(Int(length)), as: UTF8.self)
    }

    fileprivate mutating func popNumber() -> UInt64? {
        guard count >= 8 else { return nil }
        defer { self = dropFirst(8) }
        return BusFrame.number(UnsafeRawBufferPointer(rebasing: prefix(8)), at: 0)
    }
}
