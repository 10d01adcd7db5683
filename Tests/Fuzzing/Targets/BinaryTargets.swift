@testable import Wire

extension FuzzTarget {
    static let binary = [
        FuzzTarget("position-frame", inputBytesMax: 1_024, run: BinaryRules.positionFrame),
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
