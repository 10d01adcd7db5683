/// What a beat says: the node's name, the marks it answers, and for each subject that it published since the beat before, or was asked for
/// by these marks, the sequence of its last message. The length of the name (1 byte), the name, the number of marks (1 byte), for each of
/// them its node and its number (8 bytes each), then for each subject its length (1 byte), the subject and the sequence (8 bytes).
struct Beat {
    /// Bytes of one beat's subjects; what does not fit is in one more.
    static let entriesBytesMax = BusLimits.messageBytesMax / 2

    let name: String
    /// The latest mark of each node that is answered.
    private(set) var marks: [(node: NodeID, number: UInt64)] = []
    private(set) var entries: [(subject: Subject, sequence: UInt64)] = []

    /// The payloads of as many beats as it takes, at least one. The last one answers the marks.
    /// - Parameter marks: Not more than ``BusLimits/nodesMax`` are answered.
    static func payloads(
        name: String, marks: [(node: NodeID, number: UInt64)] = [], entries: [(subject: Subject, sequence: UInt64)]
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
        let answered = marks.prefix(BusLimits.nodesMax)
        var last = name + [UInt8(answered.count)]
        for (node, number) in answered {
            last.append(bigEndian: node.bits)
            last.append(bigEndian: number)
        }
        return payloads + [last + payload]
    }

    /// Nil for what no node writes.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        guard let name = rest.popText(), BusNode.isName(name), let marks = rest.popFirst(), marks <= BusLimits.nodesMax
        else { return nil }
        self.name = name
        for _ in 0..<marks {
            guard let node = rest.popNumber(), let number = rest.popNumber() else { return nil }
            self.marks.append((NodeID(bits: node), number))
        }
        while !rest.isEmpty {
            guard let subject = rest.popText(), subject.utf8.count <= Subject.subjectBytesMax,
                let sequence = rest.popNumber()
            else { return nil }
            entries.append((Subject(spelled: subject), sequence))
        }
    }
}

/// What a mark says: the patterns whose state is asked for, each as its length (1 byte) and its text. The next beat answers it.
struct Mark {
    let patterns: [SubjectPattern]

    /// The patterns divided into as many marks as it takes, at least one.
    static func divided(_ patterns: [SubjectPattern]) -> [ArraySlice<SubjectPattern>] {
        let perMark = BusLimits.messageBytesMax / (Subject.subjectBytesMax + 1)
        return stride(from: 0, to: max(1, patterns.count), by: perMark).map {
            patterns[$0..<min($0 + perMark, patterns.count)]
        }
    }

    static func payload(_ patterns: some Sequence<SubjectPattern>) -> [UInt8] {
        patterns.reduce(into: []) { payload, pattern in
            payload.append(UInt8(truncatingIfNeeded: pattern.description.utf8.count))
            payload += pattern.description.utf8
        }
    }

    /// Nil for what no node writes.
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
    /// A text behind its length of one byte.
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
