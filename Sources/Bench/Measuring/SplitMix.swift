import Foundation

/// The SplitMix pseudorandom generator (Steele, Lea and Flood 2014), deterministic for a seed.
struct SplitMix: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A uniform number in 0..<1.
    mutating func uniform() -> Double { Double.random(in: 0..<1, using: &self) }

    /// A normally distributed number with mean 0 and standard deviation 1 (Box and Muller).
    mutating func normal() -> Double {
        (-2 * log(1 - uniform())).squareRoot() * cos(2 * .pi * uniform())
    }
}
