import Campus
import Foundation

/// Walking times without a crowd, in milliseconds. The article on routes gives the sources.
enum WalkingTime {
    /// Free walking speed on a plane, in metres per second (Weidmann 1993).
    static let speed = 1.34
    /// Horizontal speed on stairs, in metres per second (Weidmann 1993).
    static let (speedUp, speedDown) = (0.610, 0.694)
    /// Speed of an escalator, in metres per second (EN 115-1: up to 0.5 on public premises).
    static let escalatorSpeed = 0.5
    /// Horizontal length of the stairs of one level, in metres: 3.5 m at a gradient of 17 to 29 cm.
    static let stairsMetresPerLevel = 6.0
    /// Wait for a lift (CIBSE Guide D: 30 s in offices), and its ride by one level with acceleration and doors.
    static let (liftWait, liftRidePerLevel): (Int32, Double) = (30_000, 4_500)

    /// Factors of the time by surface (Soule and Goldman 1972, terrain coefficients). Other surfaces are paved.
    static let surfaceFactors: [String: Double] = [
        "unpaved": 1.1, "ground": 1.1, "dirt": 1.1, "earth": 1.1, "gravel": 1.1, "fine_gravel": 1.1, "pebblestone": 1.1,
        "woodchips": 1.1, "cobblestone": 1.1, "unhewn_cobblestone": 1.1, "sett": 1.1, "rock": 1.1,
        "stepping_stones": 1.1,
        "grass": 1.2, "grass_paver": 1.2, "mud": 1.8, "sand": 2.1,
    ]

    /// Tobler's hiking function (1993), relative to the plane.
    static func tobler(slope: Double) -> Double { exp(-3.5 * abs(slope + 0.05)) / exp(-3.5 * 0.05) }

    /// Time for a length, in milliseconds, rounded half up.
    static func milliseconds(_ metres: Double, speed: Double) -> Int32 {
        Int32(max(0, min(Double(RouteLimits.edgeCostMax), (metres / speed * 1000 + 0.5).rounded(.down))))
    }

    /// Speed by the tags of a way.
    /// - Parameter isForward: In the direction of the nodes.
    static func speed(_ tags: [String: String], kind: PassageKind, isForward: Bool) -> Double {
        let incline = Incline(tags["incline"])
        switch kind {
        case .steps:
            // Without a direction both directions count as up, the slower one.
            guard let isUp = incline?.isUp else { return speedUp }
            return isUp == isForward ? speedUp : speedDown
        case .escalator: return escalatorSpeed
        case .path, .lift:
            let level = speed / (surfaceFactors[tags["surface"] ?? ""] ?? 1)
            guard let slope = incline?.slope else { return level }
            return level * tobler(slope: isForward ? slope : -slope)
        }
    }
}
