import Campus
import Wire

/// Methods of publishing a heatmap, to be attacked: the product's, and simpler ones for comparison.
enum HeatmapPublishing: CaseIterable {
    /// Publishes the number of people in cells with at least k.
    case plain
    /// Like ``plain``, rounded to the nearest multiple of 5.
    case rounded
    /// Like ``rounded``, with a secret addition to k for each cell and quarter of an hour.
    case jittered
    /// The product's method.
    case product

    var name: String {
        switch self {
        case .plain: "k alone"
        case .rounded: "k, rounded"
        case .jittered: "k and jitter, rounded"
        case .product: "Campanile"
        }
    }

    /// A publisher with its own secret.
    func publisher(secret: UInt64) -> Publisher { Publisher(self, secret: secret) }

    /// Publishes the counts of a crowd.
    struct Publisher {
        private let way: HeatmapPublishing
        private let secret: HeatmapSnapshot.Secret
        private var snapshot: HeatmapSnapshot
        private static let quarterEpochs: Int64 = 30

        init(_ way: HeatmapPublishing, secret: UInt64) {
            self.way = way
            self.secret = Self.dice(secret)
            snapshot = HeatmapSnapshot(secret: self.secret)
        }

        /// The published cells at the end of an epoch; other cells show nothing.
        mutating func end(_ epoch: Int64, with people: [HeatmapPerson]) -> [HeatmapPlace: Int] {
            if way == .product {
                _ = snapshot.end(epoch, with: people)
                return Dictionary(
                    uniqueKeysWithValues: snapshot.cells.map { (HeatmapPlace(x: $0.x, y: $0.y), $0.people) })
            }
            var counts: [HeatmapPlace: Int] = [:]
            for person in people { counts[person.place, default: 0] += 1 }
            var shown: [HeatmapPlace: Int] = [:]
            for (place, count) in counts {
                let jitter = way == .jittered ? Int(secret(place, epoch / Self.quarterEpochs, 0) % 5) : 0
                guard count >= HeatmapRules.peopleMin + jitter else { continue }
                shown[place] = way == .plain ? count : (count + 2) / 5 * 5
            }
            return shown
        }

        /// A fast pseudorandom function, which replaces HMAC because the attacks are many.
        static func dice(_ secret: UInt64) -> HeatmapSnapshot.Secret {
            { place, window, evaluation in
                var state = secret
                for word in [place.bits, UInt64(bitPattern: window), UInt64(evaluation)] {
                    state = mixed(state &+ 0x9E37_79B9_7F4A_7C15 ^ mixed(word &+ 0xD1B5_4A32_D192_ED03))
                }
                return state
            }
        }

        /// The finalizer of SplitMix64 (Steele, Lea and Flood 2014).
        private static func mixed(_ word: UInt64) -> UInt64 {
            var mixed = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }
}
