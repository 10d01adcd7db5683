import Campus
import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore
@testable import Server

@Suite("Each rung of the ladder, tried as an attacker would on every outlet (B-4)")
struct LadderOutletTests {
    /// The outlets that tell where somebody is, as the PrivacyAttacks article has them.
    private static let outlets = ["share/<id>", "people/<x>/<y>", "sharing.answered"]

    /// By which of them somebody is told anything.
    private static func outlets(_ role: String, _ precision: Wire.Precision) -> Set<String> {
        switch role {
        case _ where precision == .campus, "guest": []
        case "person": Set(outlets)
        case "link": [outlets[0]]
        default: [outlets[0], outlets[1]]
        }
    }

    /// - Returns: Metres from the owner of the nearest position that somebody got, by outlet.
    private func nearest(
        _ caught: [LadderCatch], _ yield: LadderScene.Yield, _ rung: GeoPoint?, _ who: String, isExact: Bool
    ) throws -> [String: Double] {
        var nearest: [String: Double] = [:]
        let limit = yield.traces.metres(to: rung ?? SampleCampus.document.bounds.centre) - LadderTraces.slackMetres
        for one in caught {
            let json = try? JSONSerialization.jsonObject(with: Data(one.text.utf8))
            for position in json.map(yield.traces.positions) ?? [] {
                let metres = yield.traces.metres(to: position)
                nearest[one.outlet] = min(metres, nearest[one.outlet] ?? .infinity)
                let isRung = rung.map { $0.distance(to: position) < LadderTraces.slackMetres } ?? false
                #expect(
                    isExact || isRung || metres >= limit, "\(who) \(one.outlet): \(metres) m, \(one.text.prefix(600))")
            }
            guard !isExact else { continue }
            let found =
                yield.traces.digits(in: one.text, measuresWithin: json == nil ? 5e-7 : 5e-5)
                + (json.map(yield.traces.measures) ?? [])
            #expect(found.isEmpty, "\(who) \(one.outlet): \(found), \(one.text.prefix(600))")
        }
        return nearest
    }

    /// Nobody gets a share that is not theirs, and a part of the map has who is told to be there, not who is.
    private func checkRights(
        _ caught: [LadderCatch], _ allowed: Set<Int64>, _ rung: GeoPoint?, _ who: String, isExact: Bool
    ) throws {
        for one in caught {
            let bytes = Array(one.text.utf8)
            if let push = try? WireJSON.decode(Push<ShareUpdate>.self, from: bytes).params,
                push.topic.hasPrefix("share/")
            {
                #expect(allowed.contains { push.topic == "share/\($0)" }, "\(who): \(one.text)")
            }
            if let reply = try? WireJSON.decode(Success<Subscribed<ShareSnapshot>>.self, from: bytes).result {
                #expect(allowed.contains(reply.snapshot.share.id), "\(who): \(one.text)")
            }
            if allowed.isEmpty { #expect(!one.text.contains("onCampus"), "\(who): \(one.text)") }
            guard let push = try? WireJSON.decode(Push<PeopleUpdate>.self, from: bytes).params,
                push.topic.hasPrefix("people/")
            else { continue }
            #expect(push.data.people.allSatisfy { allowed.contains($0.share) }, "\(who): \(one.text)")
            guard !push.data.people.isEmpty, !isExact else { continue }
            let cell = rung.map { Topic.people(Cell(containing: $0, zoom: Topic.peopleZoom)).description }
            #expect(push.topic == cell, "\(who)")
        }
    }

    /// Maps in binary messages.
    private func checkBinary(_ frames: [[UInt8]], _ yield: LadderScene.Yield, _ decoy: Int64, _ who: String) throws {
        var decoders: [String: AreaDecoder] = [:]
        var others = 0
        for bytes in frames {
            #expect(!yield.traces.isInside(bytes), "\(who)")
            let frame = try AreaFrame(decoding: bytes)
            _ = try decoders["\(frame.area)", default: AreaDecoder()].apply(frame)
            for runner in decoders["\(frame.area)"]?.runners ?? [] {
                #expect(runner.session == decoy, "\(who): \(runner)")
                others += 1
            }
        }
        #expect(others > 0, "\(who)")
    }

    /// What was searched for is found where it should be: the search works.
    private func checkExact(_ yield: LadderScene.Yield) throws {
        let person = try #require(yield.caught["person"])
        for outlet in Self.outlets {
            let found = Set(person.filter { $0.outlet == outlet }.flatMap { yield.reported.digits(in: $0.text) })
            #expect(found.isSuperset(of: ["accuracy", "heading", "speed"]), "\(outlet): \(found)")
            #expect(yield.reported.times.contains { found.contains($0) }, "\(outlet): \(found)")
            // One latitude and one longitude at least.
            #expect(found.count { $0.contains(".") && !$0.contains("T") } >= 2, "\(outlet): \(found)")
        }
        let place = try #require(yield.traces.places.first)
        for value in [place.latitude, place.longitude] {
            let whole = Int32((value * 1e6).rounded())
            #expect(yield.traces.isInside([0, 1] + withUnsafeBytes(of: value) { Array($0) }))
            #expect(yield.traces.isInside([7] + withUnsafeBytes(of: whole.bigEndian) { Array($0) } + [0]))
        }
    }

    @Test(
        "Below exact no method, topic, page, message, log or table has a digit, a fine cell or a time of where somebody is, and no position nearer than the rung's place; who has no share gets nothing"
    )
    func everyOutlet() async throws {
        let scene = try await LadderScene()
        let decoy = await scene.decoy.id
        var metres: [String: [String]] = [:]
        for precision in Wire.Precision.allCases.reversed() {
            let isExact = precision == .exact
            let yield = try await scene.share(as: precision)
            let received = scene.ladder.shown(yield.fix, as: precision)
            let rung = try received.lat.map { try GeoPoint(latitude: $0, longitude: received.lon ?? 0) }
            var best: [String: Double] = [:]
            for (role, caught) in yield.caught {
                let who = "\(precision), \(role)"
                let found = try nearest(caught, yield, rung, who, isExact: isExact)
                #expect(Set(found.keys) == Self.outlets(role, precision), "\(who): \(found)")
                best.merge(found) { min($0, $1) }
                let allowed = Set(LadderScene.mayWatch(role).map { yield.shares[$0] })
                try checkRights(caught, allowed, rung, who, isExact: isExact)
                try checkBinary(yield.binary[role] ?? [], yield, decoy, who)
            }
            // Not even of an exact share.
            for line in yield.log { #expect(yield.traces.digits(in: line).isEmpty, "\(line)") }
            for row in yield.rows {
                #expect(yield.reported.digits(in: row, measuresWithin: nil).isEmpty, "\(row.prefix(300))")
            }
            if isExact {
                try checkExact(yield)
                // The last rung, and the last method.
                for attacker in scene.attackers {
                    let answer = try await attacker.leaveEverywhere()
                    #expect(yield.traces.digits(in: answer.text).isEmpty, "\(answer)")
                }
            }
            for outlet in Self.outlets {
                metres[outlet, default: []].insert(best[outlet].map { "\(Int($0.rounded())) m" } ?? "nothing", at: 0)
            }
        }
        await scene.server.stop()
        try Self.compare(
            Self.outlets.map { "| `\($0)` | \((metres[$0] ?? []).joined(separator: " | ")) |" }
                + ["| everything else | nothing | nothing | nothing | nothing |"])
    }

    // MARK: The article

    /// What was found is what the PrivacyAttacks article says.
    private static func compare(_ rows: [String]) throws {
        let article = TestServer.root.appendingPathComponent("Sources/campanile/Documentation.docc/PrivacyAttacks.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        let table = (["| outlet | `exact` | `building` | `zone` | `campus` |", "|---|---|---|---|---|"] + rows)
            .joined(separator: "\n")
        #expect(text.contains(table), "PrivacyAttacks.md does not have what the attackers found:\n\(table)")
    }
}
