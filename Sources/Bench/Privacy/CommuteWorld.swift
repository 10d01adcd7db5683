import COpenSSL
import Campus
import Foundation
import Wire

/// Simulated people who commute from home along the streets, each with a private zone, and the tracks that others see.
struct CommuteWorld: Sendable {
    /// The construction of the zone, and the published distance.
    enum Defence: String, CaseIterable, Sendable {
        /// A circle of the requested size centred on the home, with the session's whole distance: the published attacks
        /// target this one.
        case plain
        /// The product's circle, with the session's whole distance.
        case secretCircle
        /// The product's circle, with the distance of the visible part: the product's defence.
        case ours
    }

    /// The success rate of an attack.
    struct Success: Sendable, Equatable {
        /// Fraction of homes found within 50 m.
        var within50 = 0.0
        /// Fraction of homes found within 100 m.
        var within100 = 0.0
        /// The median error, in metres.
        var medianMetres = Double.infinity
    }

    let graph: StreetGraph
    let size: PrivateZoneSize
    let homes: Int
    let commutesPerHome: Int

    /// Distance between fixes: one per second while running.
    private static let stepMetres = 3.0
    /// Noise of the fixes in metres, correlated like a phone's.
    private static let noiseMetres = 3.0

    private struct Fix {
        let point: PlanePoint
        /// Distance along the route.
        let metres: Double
    }

    private struct Person {
        let home: PlanePoint
        let commutes: [[Fix]]
        let key: [UInt8]
    }

    /// Runs all attacks against all defences, with the same people.
    func run(seed: UInt64) -> [Defence: [String: Success]] {
        var generator = SplitMix(seed)
        let people = (0..<homes).compactMap { _ in person(&generator) }
        var found: [Defence: [String: Success]] = [:]
        for defence in Defence.allCases {
            var errors: [String: [Double]] = [:]
            for person in people {
                let shown = shown(person, defence)
                let guesses = [
                    "circle": ZoneAttack.circle(shown)?.centre, "distance": ZoneAttack.byDistance(shown, on: graph),
                    "method": ZoneAttack.byMethod(shown, on: graph, &generator),
                ]
                for (name, guess) in guesses {
                    errors[name, default: []].append(guess.map { $0.distance(to: person.home) } ?? .infinity)
                }
            }
            found[defence] = errors.mapValues(Self.success)
        }
        return found
    }

    private static func success(_ errors: [Double]) -> Success {
        let sorted = errors.sorted()
        func share(_ metres: Double) -> Double { Double(errors.count { $0 <= metres }) / Double(max(1, errors.count)) }
        return Success(
            within50: share(50), within100: share(100),
            medianMetres: sorted.isEmpty ? .infinity : sorted[sorted.count / 2])
    }

    private func person(_ generator: inout SplitMix) -> Person? {
        let reach = size.nominalMetres * SuppressionZone.radiusShare.upperBound * 2
        let extent = graph.nodes.map { max(abs($0.east), abs($0.north)) }.max() ?? 0
        for _ in 0..<100 {
            guard let start = graph.nodes.indices.randomElement(using: &generator) else { return nil }
            let home = graph.nodes[start]
            // In the middle of town, so that there are destinations in all directions.
            guard max(abs(home.east), abs(home.north)) < extent / 2 else { continue }
            let ways = graph.ways(from: start)
            let far = graph.nodes.indices.filter { graph.nodes[$0].distance(to: home) > reach }
            guard far.count >= commutesPerHome else { continue }
            let commutes = (0..<commutesPerHome).map { _ -> [Fix] in
                let end = far[Int.random(in: far.indices, using: &generator)]
                return fixes(along: ways.path(to: end).map { graph.nodes[$0] }, &generator)
            }
            return Person(
                home: home, commutes: commutes, key: (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        return nil
    }

    private func fixes(along line: [PlanePoint], _ generator: inout SplitMix) -> [Fix] {
        var fixes: [Fix] = []
        var (rest, along) = (0.0, 0.0)
        var noise = (east: 0.0, north: 0.0)
        for (from, to) in zip(line, line.dropFirst()) {
            let metres = from.distance(to: to)
            var at = rest
            while at < metres {
                // Satellite errors drift; they do not jump.
                noise.east = noise.east * 0.9 + generator.normal() * Self.noiseMetres * 0.43
                noise.north = noise.north * 0.9 + generator.normal() * Self.noiseMetres * 0.43
                let point = from.moved(toward: to, at / max(metres, 1e-9))
                let noisy = PlanePoint(east: point.east + noise.east, north: point.north + noise.north)
                fixes.append(Fix(point: noisy, metres: along + at))
                at += Self.stepMetres
            }
            rest = at - metres
            along += metres
        }
        return fixes
    }

    private func shown(_ person: Person, _ defence: Defence) -> [ShownCommute] {
        let isHidden = hidingRule(person, defence)
        return person.commutes.compactMap { fixes in
            let visible = fixes.map { !isHidden($0.point) }
            guard let first = visible.firstIndex(of: true), let end = fixes.last else { return nil }
            // Steps with both ends visible. Uses the true lengths, because the GPS filter removes the noise.
            let shownMetres = zip(zip(fixes, fixes.dropFirst()), zip(visible, visible.dropFirst()))
                .reduce(0.0) { $0 + ($1.1.0 && $1.1.1 ? $1.0.1.metres - $1.0.0.metres : 0) }
            let reported = defence == .ours ? shownMetres : end.metres
            return ShownCommute(
                edge: fixes[first].point, surplusMetres: reported - shownMetres,
                isWhole: !visible[first...].contains(false))
        }
    }

    private func hidingRule(_ person: Person, _ defence: Defence) -> (PlanePoint) -> Bool {
        guard defence != .plain else {
            return { $0.distance(to: person.home) <= size.nominalMetres }
        }
        let mac = { Self.mac($0, key: person.key) }
        let zone = SuppressionZone(ZoneAnchor(of: graph.plane.place(person.home), mac: mac), size: size, mac: mac)
        let (centre, radius) = (graph.plane.point(zone.centre), zone.radiusMetres)
        return { $0.distance(to: centre) <= radius }
    }

    static func mac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &digest, &length)
        return digest
    }
}
