import Wire

/// Movements, positions and efforts of an exercise.
public struct Movements: OptionSet, Sendable, Hashable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    private init(bit: UInt64) {
        rawValue = 1 << bit
    }

    // Arms and shoulders.
    static let overhead = Movements(bit: 0)
    static let press = Movements(bit: 1)
    static let pull = Movements(bit: 2)
    static let hang = Movements(bit: 3)
    static let raise = Movements(bit: 4)
    static let elbowFlexion = Movements(bit: 5)
    static let elbowExtension = Movements(bit: 6)
    /// A load in the hands.
    static let grip = Movements(bit: 7)
    /// Weight of the body on the hands.
    static let handSupport = Movements(bit: 8)
    static let throwing = Movements(bit: 9)
    static let neckLoad = Movements(bit: 10)
    static let shrug = Movements(bit: 11)

    // Legs.
    static let squat = Movements(bit: 12)
    static let lunge = Movements(bit: 13)
    static let hinge = Movements(bit: 14)
    static let kneeExtension = Movements(bit: 15)
    static let kneeCurl = Movements(bit: 16)
    static let calfRaise = Movements(bit: 17)
    static let hipWork = Movements(bit: 18)
    static let jump = Movements(bit: 19)
    static let run = Movements(bit: 20)
    static let walk = Movements(bit: 21)
    static let step = Movements(bit: 22)
    static let cycle = Movements(bit: 23)
    static let rowing = Movements(bit: 24)
    static let carry = Movements(bit: 25)

    // Trunk.
    static let crunch = Movements(bit: 26)
    static let twist = Movements(bit: 27)
    static let sideBend = Movements(bit: 28)
    static let backExtension = Movements(bit: 29)
    static let legRaise = Movements(bit: 30)
    static let plank = Movements(bit: 31)
    /// Bending forward with a round back.
    static let roundBack = Movements(bit: 32)

    // Positions.
    static let supine = Movements(bit: 33)
    static let prone = Movements(bit: 34)
    /// Head below the heart.
    static let headDown = Movements(bit: 35)
    static let kneeling = Movements(bit: 36)
    /// Unstable, on one leg or on a narrow base.
    static let unstable = Movements(bit: 37)
    static let height = Movements(bit: 38)
    /// Quick changes of the position of the head.
    static let headMotion = Movements(bit: 39)

    // Efforts.
    /// Loads near the limit, for which people hold their breath.
    static let maximal = Movements(bit: 40)
    /// A load on the spine from above.
    static let axial = Movements(bit: 41)
    static let isometric = Movements(bit: 42)
    static let ballistic = Movements(bit: 43)
    /// 6 MET and above.
    static let vigorous = Movements(bit: 44)
    /// 8.5 MET and above.
    static let veryVigorous = Movements(bit: 45)
    static let traffic = Movements(bit: 46)
    /// A load above face or chest that falls onto the person when the grip fails.
    static let loadAbove = Movements(bit: 47)
    /// Hitting something.
    static let striking = Movements(bit: 48)

    // Water.
    static let water = Movements(bit: 49)
    static let armStroke = Movements(bit: 50)
    static let breaststrokeKick = Movements(bit: 51)
    static let flutterKick = Movements(bit: 52)
    /// Turning the head to breathe, or holding it up.
    static let swimmingBreath = Movements(bit: 53)
    static let deepWater = Movements(bit: 54)
}

/// Muscles as a set of bits.
public struct MuscleSet: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    init(_ muscles: [Muscle]) {
        rawValue = muscles.reduce(0) { $0 | Self.bits[$1, default: 0] }
    }

    private static let bits: [Muscle: UInt32] = Dictionary(
        uniqueKeysWithValues: Muscle.allCases.enumerated().map { ($1, 1 << UInt32($0)) })
}
