import WebSocket
import Wire

/// Receiver of a connection's binary position and count frames. Called on the connection's loop, in the order of sending.
struct PositionSink: Sendable {
    let frame: @Sendable ([UInt8]) -> Void
    /// Called when the connection has ended.
    let finish: @Sendable () -> Void
}

extension CampanileConnection {
    func setPositionSink(_ sink: PositionSink?) { positionSink = sink }

    /// Sets the connection's viewport.
    /// - Parameter onReply: Receives the topics of the cells before any later frame is handled.
    /// - Throws: The errors of ``call(_:_:timeout:)``.
    func view(_ params: PositionsView.Params, onReply: @escaping @Sendable ([String]) -> Void) async throws {
        let id = nextCall()
        let frame = try WireJSON.encode(Request(id: .number(id), method: PositionsView.name, params: params))
        let _: Void = try await withCheckedThrowingContinuation { continuation in
            send(frame, id: id, timeout: nil) { reply in
                continuation.resume(
                    with: reply.flatMap { bytes in
                        guard let reply = try? WireJSON.decode(Success<PositionsView.Result>.self, from: bytes) else {
                            return .failure(
                                ClientError.protocolViolation("the reply to positions.view cannot be read"))
                        }
                        onReply(reply.result.topics)
                        return .success(())
                    })
            }
        }
    }

    /// Clears the connection's viewport without waiting for the reply.
    func closeViewport() { sendIgnoringReply(PositionsView.self, PositionsView.Params(box: nil)) }

    /// Sends track points as a binary message.
    /// - Parameters:
    ///   - session: The number of the points' session.
    ///   - timeout: Overrides ``Options/callTimeout``.
    /// - Returns: The server's result, without the unchanging members of the session.
    /// - Throws: The errors of ``call(_:_:timeout:)``; `invalidParams` for a value that a frame cannot hold.
    public func send(
        points: [TrackPoint], session: Int64, timeout: Duration? = nil
    ) async throws -> TrackReply.Taken {
        let id = nextCall()
        let frame = try Self.frame(id, session, points)
        let bytes: [UInt8] = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                let masked = FrameEncoder.binary(frame, mask: FrameEncoder.randomMask())
                send(frame: masked, id: id, timeout: timeout, isBinary: true) { continuation.resume(with: $0) }
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.finishCall(id, .failure(CancellationError())) } }
        }
        guard let reply = try? TrackReply(decoding: bytes) else {
            throw ClientError.protocolViolation("the answer to points cannot be read")
        }
        switch reply.outcome {
        case .taken(let taken): return taken
        case .failed(let error): throw error
        }
    }

    private static func frame(_ id: Int64, _ session: Int64, _ points: [TrackPoint]) throws -> [UInt8] {
        do {
            // A connection sends fewer than 2³² requests.
            return try TrackFrame(id: UInt32(truncatingIfNeeded: id), session: session, points: points).encoded()
        } catch {
            let culprit = points.firstIndex { point in
                (try? TrackFrame(id: 0, session: session, points: [point]).encoded()) == nil
            }
            throw RPCError.invalid("points[\(culprit ?? 0)]", "has a value that is not a number or too large")
        }
    }

    /// Handles a binary message from the server.
    func take(binary bytes: [UInt8]) {
        switch bytes.first {
        case PositionFrame.kind, CountsFrame.kind: positionSink?.frame(bytes)
        case TrackReply.kind:
            // The server answers an unreadable request with ID 0. Requests are answered in order, so it was the oldest binary one.
            guard let reply = try? TrackReply(decoding: bytes) else {
                return end(.protocolViolation("an answer to points cannot be read"))
            }
            let id = reply.id == 0 ? calls.filter(\.value.isBinary).keys.min() : Int64(reply.id)
            if let id { finishCall(id, .success(bytes)) }
        default:
            // A newer server may send other kinds. Ignore them.
            break
        }
    }
}
