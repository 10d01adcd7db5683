/// The distinct words of an index, sorted, each with the names that have it.
struct Vocabulary: Sendable {
    /// Where a word occurs.
    struct Occurrence: Sendable {
        /// Number of the name.
        let name: UInt32
        let role: NameIndex.Role
    }

    private var bytes: [UInt8] = []
    private var starts: [UInt32] = [0]
    /// Of each word's first ``WordDistance/headBytes`` bytes, by which a beginning with typing errors is found.
    private var headSignatures: [UInt64] = []
    private var signatures: [UInt64] = []
    private var pairSignatures: [UInt64] = []
    private var occurrences: [Occurrence] = []
    private var firstOccurrences: [UInt32] = [0]

    var count: Int { signatures.count }

    /// Words in the order in which they were found, before they are sorted.
    struct Collection {
        private(set) var bytes: [UInt8] = []
        private(set) var found: [(start: UInt32, count: UInt8, occurrence: Occurrence)] = []

        mutating func add(_ word: some Swift.Collection<UInt8>, _ occurrence: Occurrence) {
            found.append((UInt32(bytes.count), UInt8(word.count), occurrence))
            bytes += word
        }
    }

    init(_ words: Collection) {
        words.bytes.withUnsafeBufferPointer { source in
            func text(_ word: (start: UInt32, count: UInt8, occurrence: Occurrence)) -> UnsafeBufferPointer<UInt8> {
                UnsafeBufferPointer(rebasing: source[Int(word.start)..<Int(word.start) + Int(word.count)])
            }
            let sorted = words.found.sorted { one, other in
                let order = Self.compare(text(one), text(other))
                return order < 0 || (order == 0 && one.occurrence.name < other.occurrence.name)
            }
            for (index, word) in sorted.enumerated() {
                if index == 0 || Self.compare(text(sorted[index - 1]), text(word)) != 0 {
                    if index > 0 { firstOccurrences.append(UInt32(occurrences.count)) }
                    bytes += text(word)
                    starts.append(UInt32(bytes.count))
                    headSignatures.append(WordDistance.signature(text(word).prefix(WordDistance.headBytes)))
                    signatures.append(WordDistance.signature(text(word)))
                    pairSignatures.append(WordDistance.pairSignature(text(word)))
                }
                occurrences.append(word.occurrence)
            }
            if !sorted.isEmpty { firstOccurrences.append(UInt32(occurrences.count)) }
        }
    }

    /// Negative if `one` comes first, 0 if both are equal.
    private static func compare(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Int {
        var position = 0
        while position < one.count, position < other.count {
            if one[position] != other[position] { return Int(one[position]) - Int(other[position]) }
            position += 1
        }
        return one.count - other.count
    }

    private func word(_ index: Int) -> ArraySlice<UInt8> { bytes[Int(starts[index])..<Int(starts[index + 1])] }

    /// Below this match of the best word with the same first letter, words with other first letters are compared as well.
    private static let firstLetterMatchMin: Float = 0.72

    /// Calls `body` with each matching word's occurrences and its match.
    ///
    /// The first letter is seldom wrong, and the words are sorted: first only words with that letter are compared. All others
    /// are compared if none of them matches well, else they are only searched for the typed word in their middle.
    /// - Parameter isJoined: Whether the word is made of two typed words. Then only words with its first letter match.
    func matches(
        _ typed: [UInt8], isLoose: Bool, isJoined: Bool, _ body: (ArraySlice<Occurrence>, Float) -> Void
    ) {
        let distance = WordDistance(typed, isLoose: isLoose)
        // Without errors only words with this beginning match, and they are neighbours.
        let near = beginning(with: distance.errorsMax == 0 ? typed : Array(typed.prefix(1)))
        var best: Float = 0
        scan(near, distance, isInner: false) { occurrences, match in
            best = max(best, match)
            body(occurrences, match)
        }
        guard !isJoined else { return }
        let isInner = distance.errorsMax == 0 || best >= Self.firstLetterMatchMin
        guard !isInner || distance.hasInner else { return }
        for range in [0..<near.lowerBound, near.upperBound..<count] { scan(range, distance, isInner: isInner, body) }
    }

    private func scan(
        _ range: Range<Int>, _ distance: WordDistance, isInner: Bool, _ body: (ArraySlice<Occurrence>, Float) -> Void
    ) {
        let heads = distance.fitsHead ? headSignatures : signatures
        bytes.withUnsafeBufferPointer { bytes in
            heads.withUnsafeBufferPointer { heads in
                pairSignatures.withUnsafeBufferPointer { pairs in
                    starts.withUnsafeBufferPointer { starts in
                        for index in range {
                            let isNear =
                                !isInner && (distance.signature & ~heads[index]).nonzeroBitCount <= distance.errorsMax
                            let mayContain = distance.hasInner && distance.pairSignature & ~pairs[index] == 0
                            guard isNear || mayContain else { continue }
                            let word = UnsafeBufferPointer(rebasing: bytes[Int(starts[index])..<Int(starts[index + 1])])
                            let near = isNear ? distance.match(word) : 0
                            let match = mayContain ? max(near, distance.innerMatch(word)) : near
                            guard match > 0 else { continue }
                            body(occurrences[Int(firstOccurrences[index])..<Int(firstOccurrences[index + 1])], match)
                        }
                    }
                }
            }
        }
    }

    /// The words that begin with `prefix`.
    private func beginning(with prefix: [UInt8]) -> Range<Int> {
        let low = partition { $0.lexicographicallyPrecedes(prefix) }
        let high = partition { $0.lexicographicallyPrecedes(prefix) || $0.starts(with: prefix) }
        return low..<max(low, high)
    }

    /// Number of words at the beginning for which the condition holds.
    private func partition(_ isBefore: (ArraySlice<UInt8>) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(word(middle)) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Bytes in memory, approximately.
    var approximateBytes: Int {
        bytes.count + 4 * (starts.count + firstOccurrences.count) + 8 * (3 * signatures.count + occurrences.count)
    }
}
