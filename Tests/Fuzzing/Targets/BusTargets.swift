@testable import Bus

extension FuzzTarget {
    static let bus = [
        FuzzTarget("bus-frame", inputBytesMax: 256, run: BusRules.frame),
        FuzzTarget("bus-heartbeat", run: BusRules.heartbeat),
        FuzzTarget("bus-sync-request", run: BusRules.syncRequest),
        FuzzTarget("bus-subject", inputBytesMax: 512, run: BusRules.subject),
        FuzzTarget("nats-address", inputBytesMax: 512, run: BusRules.address),
    ]
}

/// What other nodes say, and what is said to them about.
private enum BusRules {
    static func frame(_ input: [UInt8]) throws {
        let read = input.withUnsafeBytes { bytes in BusFrame.read(bytes).map { ($0.frame, Array($0.payload)) } }
        guard let (frame, payload) = read else { return }
        try demandEqual(frame.encoded(payload), input, "what is read is written the same")
    }

    static func heartbeat(_ input: [UInt8]) throws {
        guard let beat = input.withUnsafeBytes({ Heartbeat($0) }) else { return }
        let payloads = Heartbeat.payloads(name: beat.name, answered: beat.answered, entries: beat.entries)
        try demandEqual(payloads, [input], "what is read is written the same")
    }

    static func syncRequest(_ input: [UInt8]) throws {
        guard let request = input.withUnsafeBytes({ SyncRequest($0) }) else { return }
        try demandEqual(SyncRequest.payload(request.patterns), input, "what is read is written the same")
        let subject = Subject(spelled: "zone.7.positions")
        for pattern in request.patterns { _ = pattern.matches(subject) }
    }

    static func subject(_ input: [UInt8]) throws {
        let topic = String(decoding: input, as: UTF8.self)
        let subject: Subject
        do {
            subject = try Subject(topic: topic)
        } catch {
            return try demandPlain(error.description)
        }
        try demandEqual(subject.topic, topic, "a subject says its topic")
        try demand(subject.description.utf8.count <= Subject.subjectBytesMax, "a subject is short")
        try demand(
            subject.description.utf8.allSatisfy { (0x2D...0x7A).contains($0) && !"/:;<>?@[\\]^`".utf8.contains($0) },
            "a subject has nothing that NATS or a pattern reads otherwise")
        try demand(SubjectPattern(subject).matches(subject), "a subject matches itself")
        let pattern = try SubjectPattern(topic: topic)
        try demand(!pattern.hasWildcard && pattern == SubjectPattern(subject), "a subject's pattern is itself")
    }

    static func address(_ input: [UInt8]) throws {
        do {
            let configuration = try NATSConfiguration(String(decoding: input, as: UTF8.self))
            try demand((1...NATSConfiguration.serversMax).contains(configuration.servers.count), "there is a server")
            let again = try NATSConfiguration(configuration.description)
            try demandEqual(again.servers, configuration.servers, "what is shown is read the same")
            try demandEqual(again.isSecure, configuration.isSecure, "and as securely")
        } catch let error as NATSConfiguration.Invalid {
            try demandPlain(error.description)
        }
    }
}
