import Campus
import Foundation
import Logging
import Postgres
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Server

/// The lines of a server's log.
private final class LogKeeper: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    var logger: Logger {
        Logger(label: "campanile") { [self] label in
            LineLogHandler(label: label, level: .trace, format: .json) { line in
                self.kept.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            }
        }
    }
}

/// Somebody who shares on one rung after the other, and everybody who attacks.
final class LadderScene: Sendable {
    static let metricsToken = "a-token-for-scrapers"
    /// Before anything else here, so that no other time is the same by chance.
    private static let reportedAgo = -400.0
    /// In the Student Union, and the way between two reports, in metres.
    private static let (corner, step) = ((east: 77.0, north: 20.0), (east: 1.5, north: 1.3))

    private let log = LogKeeper()
    let server: TestServer
    let stage: ShareStage
    let ladder: PrivacyLadder
    let attackers: [LadderAttacker]
    let target: LadderTarget
    /// Somebody else who is on everybody's map, far away: what the search for binary messages must find.
    let decoy: TestRun
    private let person: ChatPerson
    /// What was there before anything was told of the owner: it says nothing of them.
    private let known = Mutex<Set<String>>([])
    private let stored = Mutex<Set<String>>([])

    init() async throws {
        let server = try await TestServer.start(logger: log.logger) {
            $0.rateLimits = .off
            $0.testEndpoints = true
            $0.metricsToken = Self.metricsToken
        }
        await server.server?.waitForSearch()
        self.server = server
        stage = try await ShareStage(server)
        let (one, two, three) = (
            try await ChatPerson(server), try await ChatPerson(server), try await ChatPerson(server)
        )
        person = one
        let admin = try await Official(server, .admin)
        let owner = stage.owner
        let group = try await owner.makeGroup("Runners", with: [])
        let database = try await server.database()
        _ = try await database.query(
            """
            INSERT INTO members (conversation_id, account_id, role, state, since) VALUES ($1, $2, 'member', 'joined', now())
            """, [.int(group), .int(two.id)])
        database.close()
        _ = try await owner.client.call(
            PrivacySettingsSave.self, .init(heatmap: true, visits: true, searches: true))
        let session = try await owner.client.call(
            TrackingStart.self, .init(activity: .run, clientId: UUID().uuidString, audience: .private)
        ).session.id
        decoy = try await TestRun(on: server, course: 6)
        _ = try await decoy.send(await decoy.next(20))
        let picture = try #require(await server.server).environment.services.campus.snapshot
        ladder = picture.ladder
        target = LadderTarget(
            owner: owner.id, username: owner.username, group: group, session: session, shares: [987_654_321],
            token: "no-such-token", request: 987_654_321, zones: picture.zones.zones.map(\.id))
        func attacker(_ role: String, _ who: ChatPerson? = nil) async throws -> LadderAttacker {
            try await LadderAttacker(
                role, server, token: who?.token, account: who?.id ?? 0, username: who?.username)
        }
        attackers = [
            try await attacker("person", one), try await attacker("member", two),
            try await attacker("stranger", three), try await attacker("link"), try await attacker("guest"),
            try await LadderAttacker(
                "admin", server, token: admin.token, account: admin.id, username: admin.username),
        ]
        // Asked once before anything is told: the map of the campus and the like.
        for (_, caught) in try await attack(target) { known.withLock { $0.formUnion(caught.map(\.essence)) } }
        for attacker in attackers {
            let pushes = try attacker.pushes(from: 0)
            known.withLock { $0.formUnion(pushes.map(\.essence)) }
        }
        let rows = try await rows()
        stored.withLock { $0 = Set(rows) }
    }

    /// Who may see which of the shares with a person, a group, everybody and by a link.
    static func mayWatch(_ role: String) -> Set<Int> {
        switch role {
        case "person": [0, 2]
        case "member": [1, 2]
        case "stranger", "admin": [2]
        case "link": [3]
        default: []
        }
    }

    /// Everything that each attacker can get, by their own asking.
    private func attack(_ target: LadderTarget) async throws -> [String: [LadderCatch]] {
        try await withThrowingTaskGroup(of: (String, [LadderCatch]).self) { group in
            for attacker in attackers {
                group.addTask {
                    let hasLink = attacker.role == "link"
                    var mine = target
                    // A guest without the link does not know its token.
                    if !hasLink { mine.token = "no-such-token" }
                    return (
                        attacker.role,
                        try await attacker.subscribe(mine, hasLink: hasLink) + attacker.askAll(mine)
                            + attacker.askPages(mine, metricsToken: Self.metricsToken)
                    )
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// Every row of every table.
    private func rows() async throws -> [String] {
        let database = try await server.database()
        defer { database.close() }
        let tables = try await database.query(
            """
            SELECT quote_ident(table_name) AS name FROM information_schema.tables
            WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'spatial_ref_sys'
            """)
        var rows: [String] = []
        for table in try tables.map({ try $0.text("name") }) {
            rows += try await database.query("SELECT t::text AS line FROM \(table) t").map { try $0.text("line") }
        }
        return rows
    }

    // MARK: A rung

    /// All that came of a rung.
    struct Yield: Sendable {
        let traces: LadderTraces
        /// Of what was reported alone: tracked points are kept for their owner.
        let reported: LadderTraces
        let fix: LocatedFix
        let shares: [Int64]
        var caught: [String: [LadderCatch]]
        let binary: [String: [[UInt8]]]
        /// New lines of the log, and new rows of the database.
        let log: [String]
        let rows: [String]
    }

    /// The owner shares on a rung with everybody, and moves within the building, while everybody asks for everything.
    func share(as precision: Wire.Precision) async throws -> Yield {
        let owner = stage.owner.client
        _ = try await owner.call(LocationClear.self, .init())
        let (frames, lines) = (attackers.map(\.framesUntilNow), log.lines.count)
        let starts = [
            try await stage.start(.person, with: person, precision: precision),
            try await stage.start(.group, group: target.group, precision: precision),
            try await stage.start(.campus, precision: precision), try await stage.start(.link, precision: precision),
        ]
        var target = target
        target.shares = starts.map(\.share.id)
        target.token = try #require(starts[3].token)
        var caught: [String: [LadderCatch]] = [:]
        // Before anything is known, so that all of it is pushed.
        for attacker in attackers {
            var mine = target
            if attacker.role != "link" { mine.token = "no-such-token" }
            caught[attacker.role] = try await attacker.subscribe(mine, hasLink: attacker.role == "link")
        }
        var fixes: [(place: GeoPoint, at: Timestamp)] = []
        for index in 0..<3 {
            fixes.append((place(index, precision), Timestamp.now.advanced(bySeconds: Self.reportedAgo)))
            try await report(fixes[index])
        }
        let hub = try #require(await server.server).environment.services.hub
        let fix = try #require(await hub.shares.location(of: stage.owner.id))
        target.request = try await askAndAnswer(as: precision)
        for (role, more) in try await attack(target) { caught[role, default: []] += more }
        // The map of people, and an exact share, are told once a second.
        if precision == .exact || precision == .building || precision == .zone {
            for role in ["person", "stranger"] {
                let index = try #require(attackers.firstIndex { $0.role == role })
                _ = try await eventually("they are on the map of people") {
                    try attackers[index].pushes(from: frames[index]).contains {
                        $0.outlet.hasPrefix("people") && $0.text.contains(stage.owner.username)
                    } ? true : nil
                }
            }
        }
        // Tracked, in private.
        let tracked = (6..<9).map {
            (place: place($0, precision), at: Timestamp.now.advanced(bySeconds: Self.reportedAgo + Double($0)))
        }
        try await track(tracked, seq: Int64(precision.rank * 10))
        try await Task.sleep(for: .milliseconds(1_100))
        for (index, attacker) in attackers.enumerated() {
            try await attacker.settle()
            caught[attacker.role, default: []] += try attacker.pushes(from: frames[index])
        }
        for share in target.shares { _ = try await stage.stop(share) }
        let (known, stored) = (known.withLock { $0 }, stored.withLock { $0 })
        return Yield(
            traces: try LadderTraces(fixes + (precision == .exact ? [] : tracked)),
            reported: try LadderTraces(fixes), fix: fix, shares: target.shares,
            caught: caught.mapValues { $0.filter { !known.contains($0.essence) } },
            binary: Dictionary(uniqueKeysWithValues: attackers.map { ($0.role, $0.binary) }),
            log: Array(log.lines.dropFirst(lines)),
            rows: try await rows().filter { !stored.contains($0) })
    }

    private func place(_ index: Int, _ precision: Wire.Precision) -> GeoPoint {
        // Each rung has digits of its own.
        let shift = 0.3 * Double(precision.rank)
        return SampleCampus.origin.offset(
            eastMetres: Self.corner.east + Self.step.east * Double(index) + shift,
            northMetres: Self.corner.north + Self.step.north * Double(index) + shift)
    }

    private func report(_ fix: (place: GeoPoint, at: Timestamp)) async throws {
        let measures = LadderTraces.measures
        _ = try await stage.owner.client.call(
            LocationReport.self,
            .init(
                lat: fix.place.latitude, lon: fix.place.longitude, accuracy: measures["accuracy"] ?? 0, source: .gps,
                at: fix.at, heading: measures["heading"], speed: measures["speed"]))
    }

    private func track(_ fixes: [(place: GeoPoint, at: Timestamp)], seq: Int64) async throws {
        let measures = LadderTraces.measures
        for (index, fix) in fixes.enumerated() {
            let point = TrackPoint(
                seq: seq + Int64(index) + 1, lat: fix.place.latitude, lon: fix.place.longitude, time: fix.at,
                accuracy: measures["accuracy"], altitude: measures["altitude"], speed: measures["speed"],
                heading: measures["heading"])
            _ = try await stage.owner.client.call(
                TrackingPoints.self, .init(session: target.session, points: [point]))
        }
    }

    /// The person asks where the owner is, and is answered; they read it when they attack.
    private func askAndAnswer(as precision: Wire.Precision) async throws -> Int64 {
        let database = try await server.database()
        _ = try await database.query("UPDATE where_requests SET at = at - interval '2 hours'")
        database.close()
        let request = try await person.client.call(
            SharingAsk.self, .init(clientId: UUID().uuidString, username: stage.owner.username)
        ).request.id
        _ = try await stage.owner.client.call(
            SharingAnswer.self, .init(request: request, precision: precision))
        return request
    }
}
