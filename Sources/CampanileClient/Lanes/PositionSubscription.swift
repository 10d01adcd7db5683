import EventLoop
import Wire

/// The subscription behind ``LivePositions``: keeps the state of the cells in view, and requests others when the map moves.
///
/// Isolation: an actor on its client's event loop, where the connection calls it.
actor PositionSubscription: ReaderSubscription {
    nonisolated let client: ResilientClient
    nonisolated var claimed: String { "positions.view" }
    nonisolated var unownedExecutor: UnownedSerialExecutor { client.loop.asUnownedSerialExecutor() }

    private var viewport: MapViewport
    /// The last viewport that the server has confirmed on this connection.
    private var sentViewport: MapViewport?
    /// Topics of the cells that the server sends on this connection.
    private var topics: Set<String> = []
    /// Topics without a complete frame yet, with the time since when, in monotonic nanoseconds.
    private var awaited: [String: UInt64] = [:]
    /// Known state by cell. A cell in `awaited` keeps its old state.
    private var cells: [PositionFrame.Area: AreaDecoder] = [:]
    private var serverTime: Timestamp?
    /// Whether the state has changed since the reader's last element.
    private var isNew = false
    private var isOffering = false
    private var readers: [CheckedContinuation<ViewportPositions?, any Error>] = []
    private var ending: (any Error)?
    private var running: Task<Void, Never>?
    private let work: WakeUp

    /// The connection that a viewport was sent to, confirmed or not.
    private var asked: CampanileConnection?
    /// Whether to clear the viewport before sending it again: the server sends complete frames only of cells that come into view.
    private var clearsFirst = false
    private var trouble = ViewRetry()
    /// Number of consecutive retryable failures.
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

    func next() async throws -> ViewportPositions? {
        try Task.checkCancellation()
        if running == nil, ending == nil { running = Task { await run() } }
        return try await withCheckedThrowingContinuation { reader in
            if let ending {
                reader.resume(throwing: ending)
            } else if isNew, readers.isEmpty {
                isNew = false
                reader.resume(returning: positions)
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
        // Cancel the task in case it waits for a connection that may never come.
        running?.cancel()
        work.signal()
    }

    private var isCurrent: Bool { sentViewport == viewport && awaited.isEmpty && !clearsFirst && !trouble.isPending }

    /// The current state. A runner who crosses a cell border may briefly be in both cells or in none; the newest position counts.
    private var positions: ViewportPositions {
        var runners: [Int64: Runner] = [:]
        for runner in cells.values.lazy.flatMap(\.runners)
        where runners[runner.session].map({ $0.at <= runner.at }) ?? true { runners[runner.session] = runner }
        return ViewportPositions(
            viewport: viewport, serverTime: serverTime, runners: runners,
            clusters: cells.mapValues(\.clusters).filter { !$0.value.isEmpty }, isCurrent: isCurrent)
    }

    /// Schedules one element for all frames that arrive together: readers resume at the end of the event-loop iteration.
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
        let positions = positions
        for reader in readers { reader.resume(returning: positions) }
        readers = []
    }

    // MARK: Viewport

    func follow(on connection: CampanileConnection) async throws {
        // The server may have received an earlier viewport although its reply is missing.
        clearsFirst = connection === asked
        sentViewport = nil
        if !clearsFirst {
            resetView()
            await connection.setPositionSink(
                PositionSink(
                    frame: { bytes in self.assumeIsolated { $0.take(frame: bytes) } },
                    finish: { self.assumeIsolated { $0.lostConnection() } }))
        }
        while ending == nil, await connection.isOpen {
            if clearsFirst {
                try await connection.view(PositionsView.Params(box: nil)) { _ in
                    self.assumeIsolated { $0.resetView() }
                }
                clearsFirst = false
            } else if sentViewport != viewport {
                asked = connection
                let wanted = viewport
                try await connection.view(wanted.params) { topics in
                    self.assumeIsolated { $0.take(reply: topics, to: wanted) }
                }
                if ending == nil { await client.loop.sleep(for: LivePositions.moveInterval) }
            } else {
                await work.wait(for: trouble.nextCheck(awaitedSince: awaited.values.min()))
                clearsFirst = trouble.isDue(awaitedSince: awaited.values.min())
            }
        }
    }

    func stopFollowing() async {
        guard let asked, await asked.isOpen else { return }
        await asked.setPositionSink(nil)
        await asked.closeViewport()
    }

    /// Resets the server's view of this connection. Known cells keep their state until complete frames arrive.
    private func resetView() {
        sentViewport = nil
        topics = []
        awaited = [:]
        trouble.isPending = false
    }

    private func lostConnection() {
        let wasCurrent = isCurrent
        resetView()
        if wasCurrent { changed() }
        work.signal()
    }

    // MARK: Received messages

    /// Handles the reply to a viewport. It is called in the order of sending, so later frames are of these cells.
    private func take(reply names: [String], to wanted: MapViewport) {
        let inView = Set(names)
        let now = EventLoop.nowNanoseconds
        awaited = awaited.filter { inView.contains($0.key) }
        for topic in inView where !topics.contains(topic) { awaited[topic] = now }
        cells = cells.filter { inView.contains($0.key.topic) }
        (topics, sentViewport, attempt) = (inView, wanted, 0)
        changed()
    }

    private func take(frame bytes: [UInt8]) {
        guard ending == nil else { return }
        guard let frame = try? AreaFrame(decoding: bytes) else { return scheduleReset() }
        let topic = frame.area.topic
        // The cell has left the view, or an earlier frame is missing. A complete frame will follow.
        guard topics.contains(topic), frame.isWhole || awaited[topic] == nil else { return }
        var decoder = cells[frame.area] ?? AreaDecoder()
        do {
            if try decoder.apply(frame) == nil {
                miss(topic)
            } else {
                cells[frame.area] = decoder
                awaited[topic] = nil
            }
        } catch {
            // The frame refers to unknown runners.
            miss(topic)
            scheduleReset()
        }
        serverTime = max(serverTime ?? frame.serverTime, frame.serverTime)
        changed()
    }

    /// Waits for a complete frame of a cell. Its old state stays until then.
    private func miss(_ topic: String) {
        awaited[topic] = EventLoop.nowNanoseconds
        work.signal()
    }

    private func scheduleReset() {
        trouble.schedule()
        changed()
        work.signal()
    }
}

extension AreaFrame {
    /// Whether the frame replaces all earlier state of its cell.
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

extension PositionFrame.Area {
    /// The topic's name in the protocol.
    var topic: String {
        switch self {
        case .cell(let zoom, let x, let y): "cell/\(zoom)/\(x)/\(y)"
        case .zone(let id): "zone/\(id)/positions"
        }
    }
}
