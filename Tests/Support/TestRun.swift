import CampanileClient
import Campus
import Foundation
import Wire

/// A runner on a course of the sample campus, tracked over a real connection: believable fixes, one a second of its clock.
public actor TestRun {
    /// The connection it is tracked over.
    public nonisolated let connection: CampanileConnection
    /// The account's name.
    public nonisolated let name: String
    /// The session as last told.
    public private(set) var session: Session
    private let line: [GeoPoint]
    private let metresPerSecond: Double
    private var seq: Int64 = 0
    private var metres: Double
    private var time: Timestamp

    /// Starts a run of a new account.
    /// - Parameters:
    ///   - startedAgo: Seconds; that many seconds of fixes can be sent at once.
    ///   - course: Which of the sample campus's.
    ///   - offset: Metres along it to begin at.
    public init(
        on server: TestServer, audience: Audience = .public, course: Int = 0, offset: Double = 0,
        startedAgo: Double = 600, metresPerSecond: Double = 3, title: String? = nil
    ) async throws {
        let (connection, account) = try await server.register()
        try await self.init(
            connection, account: account.account, audience: audience, course: course, offset: offset,
            startedAgo: startedAgo, metresPerSecond: metresPerSecond, title: title)
    }

    /// Starts a run over a connection that is signed in.
    public init(
        _ connection: CampanileConnection, account: Account, audience: Audience = .public, course: Int = 0,
        offset: Double = 0, startedAgo: Double = 600, metresPerSecond: Double = 3, title: String? = nil
    ) async throws {
        self.connection = connection
        name = account.username
        line = SampleCampus.courses[course % SampleCampus.courses.count].line
        self.metresPerSecond = metresPerSecond
        metres = offset
        time = Timestamp.now.advanced(bySeconds: -startedAgo)
        session = try await connection.call(
            TrackingStart.self,
            TrackingStart.Params(
                activity: .run, clientId: UUID().uuidString, title: title, audience: audience, startedAt: time)
        ).session
    }

    /// Its number.
    public var id: Int64 { session.id }

    /// The next fixes, not sent yet.
    public func next(_ count: Int) -> [TrackPoint] {
        (0..<count).map { _ in
            seq += 1
            time = time.advanced(bySeconds: 1)
            metres += metresPerSecond
            let at = position(metres)
            return TrackPoint(
                seq: seq, lat: at.latitude, lon: at.longitude, time: time, accuracy: 5, speed: metresPerSecond)
        }
    }

    /// Sends points and gives back the reply.
    @discardableResult
    public func send(_ points: [TrackPoint]) async throws -> TrackingPoints.Result {
        let result = try await connection.call(
            TrackingPoints.self, TrackingPoints.Params(session: session.id, points: points))
        session = result.session
        return result
    }

    /// Moves on by some seconds' worth of fixes.
    @discardableResult
    public func run(_ seconds: Int) async throws -> TrackingPoints.Result { try await send(next(seconds)) }

    /// Ends the session.
    @discardableResult
    public func stop() async throws -> SessionReply {
        try await connection.call(TrackingStop.self, SessionTimeParams(session: session.id))
    }

    private func position(_ metres: Double) -> LatLon {
        let lengths = zip(line, line.dropFirst()).map { $0.distance(to: $1) }
        var left = metres.truncatingRemainder(dividingBy: lengths.reduce(0, +))
        for (index, length) in lengths.enumerated() {
            guard left > length else {
                let (a, b) = (line[index], line[index + 1])
                let share = length > 0 ? left / length : 0
                return LatLon(
                    a.latitude + (b.latitude - a.latitude) * share, a.longitude + (b.longitude - a.longitude) * share)
            }
            left -= length
        }
        return LatLon(line[0].latitude, line[0].longitude)
    }
}
