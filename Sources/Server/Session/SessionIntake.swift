/// State machine of how a session takes input from its socket. Pure: it decides, the session acts.
///
/// | state | event | next state | actions |
/// |---|---|---|---|
/// | `reading` | decoded, no room for requests | `full` | stop reading |
/// | `reading` | postponed: the loop iteration is long | `scheduled` | stop reading, schedule |
/// | `full` | answered | `scheduled` | schedule |
/// | `full` | postponed | `scheduled` | schedule |
/// | `full` | decoded, room again | `reading` | start reading |
/// | `scheduled` | postponed, answered, decoded | `scheduled` | |
/// | `scheduled` | begun: the scheduled iteration is there | `full` | |
///
/// Once the peer has ended its side there is nothing to read, so no action starts or stops reading. The socket closes then as soon as all
/// requests are answered. A close frame of the peer that waits for earlier requests is taken up again when these are answered.
struct SessionIntake {
    enum State: Equatable {
        /// The socket is read, and input is decoded as it arrives.
        case reading
        /// The socket is not read: received input waits until there is room for requests.
        case full
        /// The socket is not read: the loop will decode received input in an iteration that has time.
        case scheduled
    }

    struct Actions: OptionSet {
        let rawValue: UInt8
        static let startReading = Actions(rawValue: 1)
        static let stopReading = Actions(rawValue: 2)
        static let schedule = Actions(rawValue: 4)
        static let closeAfterFlush = Actions(rawValue: 8)
    }

    private(set) var state = State.reading
    /// Whether the close frame of the peer is the next input and waits for the replies to earlier requests.
    private(set) var isCloseWaiting = false
    /// Whether the peer has ended its side. It may still read, and gets the replies to its requests.
    private(set) var hasPeerEnded = false

    var isPaused: Bool { state != .reading }
    /// Whether an empty send queue lets the session go on with its input.
    var waitsForReplies: Bool { isPaused || isCloseWaiting || hasPeerEnded }

    /// Input is left to a later iteration.
    mutating func postpone() -> Actions {
        defer { state = .scheduled }
        switch state {
        case .reading: return hasPeerEnded ? .schedule : [.stopReading, .schedule]
        case .full: return .schedule
        case .scheduled: return []
        }
    }

    /// The scheduled iteration is there.
    mutating func begin() { if state == .scheduled { state = .full } }

    /// Received input was decoded as far as possible.
    /// - Parameters:
    ///   - hasRoom: Whether there is room for further requests.
    ///   - isCloseNext: Whether decoding ended at a close frame of the peer that waits.
    ///   - isIdle: Whether all requests are answered.
    mutating func decoded(hasRoom: Bool, isCloseNext: Bool, isIdle: Bool) -> Actions {
        isCloseWaiting = isCloseNext
        var actions: Actions = []
        if state != .scheduled, isPaused == hasRoom {
            if !hasPeerEnded { actions.insert(hasRoom ? .startReading : .stopReading) }
            state = hasRoom ? .reading : .full
        }
        if hasPeerEnded, isIdle { actions.insert(.closeAfterFlush) }
        return actions
    }

    /// All requests are answered, or the send queue is empty again.
    /// - Parameter isIdle: Whether no request waits.
    mutating func answered(isIdle: Bool) -> Actions {
        if isPaused || isCloseWaiting { return postpone() }
        return hasPeerEnded && isIdle ? .closeAfterFlush : []
    }

    mutating func endPeer() { hasPeerEnded = true }
}
