@testable import Wire

extension FuzzTarget {
    static let binary = [
        FuzzTarget("position-frame", inputBytesMax: 1_024, run: BinaryRules.positionFrame),
        FuzzTarget("counts-frame", inputBytesMax: 1_024, run: BinaryRules.countsFrame),
        FuzzTarget("track-frame", inputBytesMax: 1_024, run: BinaryRules.trackFrame),
    ]
}

/// Binary messages.
private enum BinaryRules {
    static func positionFrame(_ input: [UInt8]) throws {
        guard let frame = try? PositionFrame(decoding: input) else { return }
        let encoded = frame.encoded
        try demand(encoded.count <= input.count, "no number is shorter than ours")
        try demandEqual(try PositionFrame(decoding: encoded), frame, "what is encoded is decoded to the same")
        var decoder = PositionDecoder()
        for _ in 0..<2 {
            guard let update = try? decoder.apply(frame) else { break }
            for runner in update.runners {
                try demand(runner.lat.isFinite && runner.lon.isFinite, "a position is a number")
                try demand(runner.elapsed >= 0 && runner.elapsed.isFinite, "a clock shows a time")
                try demand(runner.at <= frame.serverTime, "no fix is from the future")
            }
        }
    }

    static func countsFrame(_ input: [UInt8]) throws {
        guard let frame = try? CountsFrame(decoding: input) else { return }
        let encoded = frame.encoded
        try demand(encoded.count <= input.count, "no number is shorter than ours")
        try demandEqual(try CountsFrame(decoding: encoded), frame, "what is encoded is decoded to the same")
        try demandEqual(try AreaFrame(decoding: input), .counts(frame), "its first byte tells its kind")
        var decoder = AreaDecoder()
        guard case .counts(let update)? = try decoder.apply(.counts(frame)) else {
            throw BrokenRule(description: "counts can be followed, whatever came before")
        }
        let indices = update.clusters.map(\.index)
        try demandEqual(indices, Set(indices).sorted(), "squares come in order, each once")
        for cluster in update.clusters {
            try demand(
                (0..<64).contains(cluster.index) && cluster.count > 0, "there is somebody in a square of the cell")
            try demand(abs(cluster.lat) <= 90 && abs(cluster.lon) <= 180, "a position is on earth")
        }
    }

    /// Points, and answers to them.
    static func trackFrame(_ input: [UInt8]) throws {
        if let frame = try? TrackFrame(decoding: input) {
            let encoded = try frame.encoded()
            try demand(encoded.count <= input.count, "no number is shorter than ours")
            try demandEqual(try TrackFrame(decoding: encoded), frame, "what is encoded is decoded to the same")
        }
        guard let reply = try? TrackReply(decoding: input) else { return }
        try demandEqual(try TrackReply(decoding: reply.encoded), reply, "an answer is decoded to the same")
    }
}
