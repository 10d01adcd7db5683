/// How well a typed word matches a word of a name.
struct WordDistance {
    /// The typed word, at most ``FoldedText/wordBytesMax`` bytes: a column of the distance matrix fits into 64 bits.
    let typed: [UInt8]
    /// Maximum number of typing errors: a wrong, missing or additional letter, or two letters in the wrong order.
    let errorsMax: Int
    /// Bytes at the beginning of a word that a signature of its own has.
    static let headBytes = 12
    /// Letters and digits of the typed word.
    let signature: UInt64
    /// Pairs of neighbouring letters of the typed word.
    let pairSignature: UInt64
    /// The positions of each byte in the typed word, as bits.
    private let positions: [UInt64]

    /// Whether the typed word is searched for in the middle of words: if it is long enough to mean something.
    let hasInner: Bool

    init(_ typed: [UInt8], isLoose: Bool) {
        self.typed = typed
        let hasDigit = typed.contains { (0x30...0x39).contains($0) }
        errorsMax =
            switch typed.count {
            case ...2: 0
            // Codes with another digit are other codes.
            case 3: hasDigit ? 0 : 1
            case 4...5: isLoose && !hasDigit ? 2 : 1
            default: hasDigit ? 1 : (isLoose ? 3 : 2)
            }
        hasInner = typed.count >= (hasDigit ? 3 : 4)
        signature = Self.signature(typed)
        pairSignature = Self.pairSignature(typed)
        var positions = [UInt64](repeating: 0, count: 256)
        for (position, byte) in typed.prefix(64).enumerated() { positions[Int(byte)] |= 1 << UInt64(position) }
        self.positions = positions
    }

    /// One bit for each letter and digit, and one for all other bytes.
    static func signature(_ word: some Sequence<UInt8>) -> UInt64 {
        word.reduce(0) { bits, byte in
            switch byte {
            case 0x61...0x7A: bits | 1 << UInt64(byte - 0x61)
            case 0x30...0x39: bits | 1 << UInt64(byte - 0x30 + 26)
            default: bits | 1 << 63
            }
        }
    }

    /// One of 64 bits for each pair of neighbouring bytes. A word lacks no bit of a word that it contains.
    static func pairSignature(_ word: some Collection<UInt8>) -> UInt64 {
        zip(word, word.dropFirst()).reduce(0) { bits, pair in
            bits | 1 << UInt64((UInt32(pair.0) &* 31 &+ UInt32(pair.1)) & 63)
        }
    }

    /// Whether what matches the typed word with errors is within a word's first ``headBytes`` bytes.
    var fitsHead: Bool { typed.count + errorsMax <= Self.headBytes }

    /// The match of a word that begins with the typed word or is near it: 1 for the same word, 0 for none.
    func match(_ word: UnsafeBufferPointer<UInt8>) -> Float {
        let (typedCount, count) = (typed.count, word.count)
        if isEqual(word, at: 0) { return typedCount == count ? 1 : 0.88 + 0.1 * Float(typedCount) / Float(count) }
        guard count + errorsMax >= typedCount, errorsMax > 0, let (errors, length) = errors(in: word) else { return 0 }
        let likeness = 1 - 1.15 * Float(errors) / Float(max(typedCount, length))
        let part: Float = length == count ? 1 : 0.86 + 0.1 * Float(length) / Float(count)
        return likeness * part
    }

    /// The match of a word with the typed word in its middle or at its end.
    func innerMatch(_ word: UnsafeBufferPointer<UInt8>) -> Float {
        hasInner && contains(word) ? 0.6 + 0.2 * Float(typed.count) / Float(word.count) : 0
    }

    private func isEqual(_ word: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        guard start + typed.count <= word.count else { return false }
        var position = 0
        while position < typed.count, word[start + position] == typed[position] { position += 1 }
        return position == typed.count
    }

    private func contains(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
        var start = 1
        while start + typed.count <= word.count {
            if isEqual(word, at: start) { return true }
            start += 1
        }
        return false
    }

    /// The fewest typing errors that turn the typed word into a beginning of a word, and that beginning's length; nil above
    /// ``errorsMax``. Computes a column of the matrix of optimal string alignment at a time, as bits (Hyyrö, "A bit-vector
    /// algorithm for computing Levenshtein and Damerau edit distances", 2003).
    private func errors(in word: UnsafeBufferPointer<UInt8>) -> (errors: Int, length: Int)? {
        let last = min(word.count, typed.count + errorsMax)
        let lowest = UInt64(typed.count - 1)
        var (above, below): (UInt64, UInt64) = (~0, 0)
        var (diagonal, formerPositions): (UInt64, UInt64) = (0, 0)
        var (errors, best) = (typed.count, (errors: errorsMax + 1, length: 0))
        return positions.withUnsafeBufferPointer { positions in
            for row in 0..<last {
                let here = positions[Int(word[row])]
                let swapped = (~diagonal & here) << 1 & formerPositions
                diagonal = ((here & above) &+ above) ^ above | here | below | swapped
                var (rise, fall) = (below | ~(diagonal | above), above & diagonal)
                errors += Int(rise >> lowest & 1) - Int(fall >> lowest & 1)
                (rise, fall) = (rise << 1 | 1, fall << 1)
                (above, below) = (fall | ~(diagonal | rise), rise & diagonal)
                formerPositions = here
                // Of equal beginnings the whole word counts most.
                if errors < best.errors || (errors == best.errors && row + 1 == word.count) { best = (errors, row + 1) }
                // Each further letter removes at most one error.
                if errors - (last - row - 1) > errorsMax, best.errors > errorsMax { return nil }
            }
            return best.errors <= errorsMax ? best : nil
        }
    }
}
