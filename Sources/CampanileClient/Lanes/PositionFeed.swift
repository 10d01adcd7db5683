import EventLoop
import Wire

/// What ``LivePositions`` reads from: keeps the cells in view and asks for others as the map moves.
///
/// Isolation: an actor on its client's event loop, where the connection calls it.
actor PositionFeed: LaneFeed {
    nonisolated let client: ResilientClient
    nonisolated var claimed: String { "positions.view" }
    nonisolated var unownedExecutor: UnownedSerialExecutor { client.loop.asUnownedSerialExecutor() }

    private var viewport: MapViewport
    /// What the server was told last on this connection, and has answered.
    private var told: MapViewport?
    /// The cells that the server tells of on this connection, as topics.
    private var topics: Set<String> = []
    /// Those of them of which nothing whole was told yet, and since when, in monotonic nanoseconds.
    private var awaited: [String: UInt64] = [:]
    /// What is known. Of an awaited cell it is what was known before.
    private var cells: [PositionFrame.Picture: PictureDecoder] = [:]
    private var serverTime: Timestamp?
    /// There is something that the reader was not given.
    private var isNew = false
    private var isOffering = false
    private var readers: [CheckedContinuation<PositionsPicture?, any Error>] = []
    private var ending: (any Error)?
    private var running: Task<Void, Never>?
    private let work: WakeUp

    /// The connection that was asked for a view: it may have one, answered or not.
    private var asked: CampanileConnection?
    /// The server is to be told that there is no view, and then of it again: only cells that come into view are told whole.
    private var isAnew = false
    private var trouble = ViewTrouble()
    /// Views in a row that the server would not answer now.
    var attempt = 0

    init(client: ResilientClient, viewport: MapViewport) {
        (self.client, self.viewport) = (client, viewport)
        work = WakeUp(loop: client.loop)
    }

    func move(to viewport: MapViewport) {
        self.viewport = viewport
        work.signal()
    }

    // MARK: Reading

    func next() async throws -> PositionsPicture? {
        try Task.checkCancellation()
        if running == nil, ending == nil { running = Task { await run() } }
        return try await withCheckedThrowingContinuation { reader in
            if let ending {
                reader.resume(throwing: ending)
            } else if isNew, readers.isEmpty {
                isNew = false
                reader.resume(returning: picture)
            } else {
                readers.append(reader)
            }
        }
    }

    var hasEnded: Bool { ending != nil }

    func end(_ error: any Error) {
        guard ending == nil else { return }
        ending = error
        cells = [:]
        for reader in readers { reader.resume(throwing: error) }
        readers = []
        // Whatever it waits for, a connection that may never come among it.
        running?.cancel()
        work.signal()
    }

    private var isCurrent: Bool { told == viewport && awaited.isEmpty && !isAnew && !trouble.isPending }

    /// Whoever goes from one cell into another may be in both for a moment, or in none.
    private var picture: PositionsPicture {
        var runners: [Int64: Runner] = [:]
        for runner in cells.values.lazy.flatMap(\.runners)
        where runners[runner.session].map({ $0.at <= runner.at }) ?? true { runners[runner.session] = runner }
        return PositionsPicture(
            viewport: viewport, serverTime: serverTime, runners: runners,
            clusters: cells.mapValues(\.clusters).filter { !$0.value.isEmpty }, isCurrent: isCurrent)
    }

    /// The frames that came together are one picture: readers wait for the end of the turn.
    private func changed() {
        isNew = true
        guard !readers.isEmpty, !isOffering else { return }
        isOffering = true
        client.loop.execute { self.assumeIsolated { $0.offer() } }
    }

    private func offer() {
        isOffering = false
        guard isNew, !readers.isEmpty else { return }
        isNew = false
        let picture = picture
        for reader in readers { reader.resume(returning: picture) }
        readers = []
    }

    // MARK: Looking

    func follow(on connection: CampanileConnection) async throws {
        // Its earlier view may be known to the server although no answer came.
        isAnew = connection === asked
        told = nil
        if !isAnew {
            forgetView()
            await connection.setPositionSink(
                PositionSink(
                    frame: { bytes in self.assumeIsolated { $0.take(frame: bytes) } },
                    finish: { self.assumeIsolated { $0.lostConnection() } }))
        }
        while ending == nil, await connection.isOpen {
            if isAnew {
                try await connection.view(PositionsView.Params(box: nil)) { _ in
                    self.assumeIsolated { $0.forgetView() }
                }
                isAnew = false
            } else if told != viewport {
                asked = connection
                let wanted = viewport
                try await connection.view(wanted.params) { topics in
                    self.assumeIsolated { $0.take(reply: topics, to: wanted) }
                }
                if ending == nil { await client.loop.sleep(for: LivePositions.moveInterval) }
            } else {
                await work.wait(for: trouble.nextLook(awaitedSince: awaited.values.min()))
                isAnew = trouble.isDue(awaitedSince: awaited.values.min())
            }
        }
    }

    func stopFollowing() async {
        guard let asked, await asked.isOpen else { return }
        await asked.setPositionSink(nil)
        await asked.lookAway()
    }

    /// The server knows of no view of this connection, or of none any more. What is known of cells stays until it is told anew.
    private func forgetView() {
        told = nil
        topics = []
        awaited = [:]
        trouble.isPending = false
    }

    private func lostConnection() {
        let wasCurrent = isCurrent
        forgetView()
        if wasCurrent { changed() }
        work.signal()
    }

    // MARK: What comes

    /// In the order of the wire: what follows is of these cells.
    private func take(reply names: [String], to wanted: MapViewport) {
        let inView = Set(names)
        let now = EventLoop.nowNanoseconds
        awaited = awaited.filter { inView.contains($0.key) }
        for topic in inView where !topics.contains(topic) { awaited[topic] = now }
        cells = cells.filter { inView.contains($0.key.topic) }
        (topics, told, attempt) = (inView, wanted, 0)
        changed()
    }

    private func take(frame bytes: [UInt8]) {
        guard ending == nil else { return }
        guard let frame = try? PictureFrame(decoding: bytes) else { return viewAnewSoon() }
        let topic = frame.picture.topic
        // It left the view meanwhile, or what went before it is missing: something whole follows.
        guard topics.contains(topic), frame.isWhole || awaited[topic] == nil else { return }
        var decoder = cells[frame.picture] ?? PictureDecoder()
        do {
            if try decoder.apply(frame) == nil {
                miss(topic)
            } else {
                cells[frame.picture] = decoder
                awaited[topic] = nil
            }
        } catch {
            // It speaks of strangers.
            miss(topic)
            viewAnewSoon()
        }
        serverTime = max(serverTime ?? frame.serverTime, frame.serverTime)
        changed()
    }

    /// What was known of a cell stays until it is told whole.
    private func miss(_ topic: String) {
        awaited[topic] = EventLoop.nowNanoseconds
        work.signal()
    }

    private func viewAnewSoon() {
        trouble.note()
        changed()
        work.signal()
    }
}

extension PictureFrame {
    /// What was known of the picture before is to be forgotten.
    fileprivate var isWhole: Bool {
        switch self {
        case .positions(let frame): frame.grid != nil
        case .counts: true
        }
    }

    fileprivate var serverTime: Timestamp {
        switch self {
        case .positions(let frame): frame.serverTime
        case .counts(let frame): frame.serverTime
        }
    }
}

extension PositionFrame.Picture {
    /// As topics call it.
    var topic: String {
        switch self {
        case .cell(let zoom, let x, let y): "cell/\(zoom)/\(x)/\(y)"
        case .zone(let id): "zone/\(id)/positions"
        }
    }
}
