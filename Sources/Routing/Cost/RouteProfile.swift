/// A person's preferences for a route. Equal profiles share weights and search trees.
public struct RouteProfile: Sendable, Hashable, Codable {
    /// The range of walking speeds on a plane, in millimetres per second.
    public static let speedRange: ClosedRange<Int32> = 300...3_000
    /// Weidmann's free walking speed, in millimetres per second.
    public static let speedDefault: Int32 = 1_340
    /// The factor by which a person who avoids crowds weighs the density: a cell of 60 people then counts as one of 240.
    public static let aversion = 4.0

    /// Uses no steps, escalators or known barriers (`Disability Friendly Route`).
    public var isStepFree: Bool
    /// Uses no steps. Escalators and lifts are used.
    public var avoidsStairs: Bool
    /// Makes detours around crowds (`Avoid Pedestrian Traffic`).
    public var avoidsCrowds: Bool
    /// Walking speed on a plane, in millimetres per second, within ``speedRange``.
    public let speed: Int32

    /// - Parameter speed: Clamped to ``speedRange``.
    public init(
        isStepFree: Bool = false, avoidsStairs: Bool = false, avoidsCrowds: Bool = false,
        speed: Int32 = RouteProfile.speedDefault
    ) {
        self.isStepFree = isStepFree
        self.avoidsStairs = avoidsStairs
        self.avoidsCrowds = avoidsCrowds
        self.speed = min(max(speed, Self.speedRange.lowerBound), Self.speedRange.upperBound)
    }

    private enum CodingKeys: String, CodingKey {
        case isStepFree, avoidsStairs, avoidsCrowds, speed
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            isStepFree: try values.decode(Bool.self, forKey: .isStepFree),
            avoidsStairs: try values.decode(Bool.self, forKey: .avoidsStairs),
            avoidsCrowds: try values.decode(Bool.self, forKey: .avoidsCrowds),
            speed: try values.decode(Int32.self, forKey: .speed))
    }

    /// Whether the profile uses a passage.
    func uses(_ kind: PassageKind, _ stepFree: StepFree) -> Bool {
        if isStepFree, stepFree == .impassable { return false }
        return !(avoidsStairs && kind == .steps && stepFree == .impassable)
    }
}
