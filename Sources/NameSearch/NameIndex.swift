/// Finds documents by their names while somebody types: by the beginnings of words, with typing errors, without accents,
/// in any script. Immutable: any number of threads search it, and a changed campus gets a new one.
public final class NameIndex: Sendable {
    /// A document with the texts that find it.
    public struct Document: Sendable {
        /// The names, the most important first.
        public var names: [String]
        /// Codes, such as that of a room.
        public var codes: [String]
        /// Classes of the document: `cafe`. They find the document, after those with such a name.
        public var classes: [String]
        /// Where the document is, such as the name of its building. It does not find the document alone.
        public var context: [String]
        /// Added to the match of the document, to rank equal names: 0 to 0.05.
        public var weight: Float

        public init(
            names: [String], codes: [String] = [], classes: [String] = [], context: [String] = [], weight: Float = 0
        ) {
            self.names = names
            self.codes = codes
            self.classes = classes
            self.context = context
            self.weight = weight
        }
    }

    /// A found document.
    public struct Match: Sendable, Equatable {
        /// The number of the document.
        public let document: Int
        /// The number of the matching name in ``Document/names``; nil for a code or a class.
        public let name: Int?
        /// How well the text matches, from 0 to 1, without weights.
        public let quality: Float
    }

    /// The part of its document that a word is from.
    enum Role: UInt8, Sendable {
        case own, pair, classWord, context
    }

    /// A name or a code of a document.
    private struct Name: Sendable {
        let document: UInt32
        /// The number in `names`; -1 for codes.
        let number: Int16
        /// Number of bytes of all words.
        let bytes: UInt16
    }

    /// Maximum number of typed words that count; further ones are ignored. One byte of a word of the processor for each.
    public static let typedWordsMax = 8
    /// Minimum match of a result.
    static let qualityMin: Float = 0.5
    /// Minimum match of a suggestion.
    static let looseQualityMin: Float = 0.42
    /// A best match below this gets a suggestion as well.
    public static let weakQuality: Float = 0.66

    private let names: [Name]
    private let weights: [Float]
    private let vocabulary: Vocabulary
    /// Number of documents.
    public var count: Int { weights.count }
    /// Number of names and codes.
    public var nameCount: Int { names.count }
    /// Bytes in memory, approximately.
    public var approximateBytes: Int { vocabulary.approximateBytes + names.count * 8 + weights.count * 4 }

    public init(_ documents: [Document]) {
        var names: [Name] = []
        var words = Vocabulary.Collection()
        func add(_ text: FoldedText, _ name: Int, _ role: Role) {
            for word in text.words { words.add(word, .init(name: UInt32(name), role: role)) }
        }
        for (number, document) in documents.enumerated() {
            let context = FoldedText(document.context.joined(separator: " "))
            let classes = FoldedText(document.classes.joined(separator: " "))
            var own = document.names.enumerated().map { ($0, $1) } + document.codes.map { (-1, $0) }
            // A document without a name is found by its class.
            if own.isEmpty { own = document.classes.prefix(1).map { (-1, $0) } }
            for (position, text) in own {
                let folded = FoldedText(text)
                guard !folded.words.isEmpty else { continue }
                let name = names.count
                names.append(
                    Name(document: UInt32(number), number: Int16(clamping: position), bytes: UInt16(folded.bytes)))
                add(folded, name, .own)
                for joined in Self.joined(folded.words, isWhole: position < 0) {
                    words.add(joined, .init(name: UInt32(name), role: .pair))
                }
                guard position <= 0 else { continue }
                add(classes, name, .classWord)
                add(context, name, .context)
            }
        }
        self.names = names
        weights = documents.map(\.weight)
        vocabulary = Vocabulary(words)
    }

    /// Maximum number of words of a name that is also found if it is typed as one word.
    private static let joinedWordsMax = 4

    /// Neighbouring words without the blank between them, because people leave it out; of a code, or a short name, also all its parts.
    private static func joined(_ words: [[UInt8]], isWhole: Bool) -> [[UInt8]] {
        var joined = zip(words, words.dropFirst()).map { Array(($0 + $1).prefix(FoldedText.wordBytesMax)) }
        if words.count > 2, isWhole || words.count <= joinedWordsMax {
            joined.append(Array(words.joined().prefix(FoldedText.wordBytesMax)))
        }
        return joined
    }

    // MARK: Search

    /// Finds documents, the best first.
    /// - Parameters:
    ///   - limit: Maximum number of results.
    ///   - adjust: What is added to the match of a document; nil leaves it out. Called once for each matching name.
    public func find(_ text: String, limit: Int, adjust: (Int) -> Float? = { _ in 0 }) -> [Match] {
        find(FoldedText(text), limit: limit, isLoose: false, adjust)
    }

    /// The document whose name is nearest to a text with more errors than ``find(_:limit:adjust:)`` accepts.
    public func nearest(_ text: String, adjust: (Int) -> Float? = { _ in 0 }) -> Match? {
        find(FoldedText(text), limit: 1, isLoose: true, adjust).first
    }

    private func find(_ text: FoldedText, limit: Int, isLoose: Bool, _ adjust: (Int) -> Float?) -> [Match] {
        let typed = Array(text.words.prefix(Self.typedWordsMax))
        guard !typed.isEmpty, limit > 0 else { return [] }
        var lanes = Lanes(names.count)
        for (lane, word) in typed.enumerated() {
            vocabulary.matches(word, isLoose: isLoose, isJoined: false) { occurrences, match in
                for occurrence in occurrences { lanes.take(match, lane...lane, occurrence) }
            }
        }
        // People also put a blank into a word.
        for (lane, pair) in zip(typed, typed.dropFirst()).enumerated() {
            let word = Array((pair.0 + pair.1).prefix(FoldedText.wordBytesMax))
            vocabulary.matches(word, isLoose: isLoose, isJoined: true) { occurrences, match in
                for occurrence in occurrences { lanes.take(match * 0.98, lane...(lane + 1), occurrence) }
            }
        }
        return best(lanes, typed, limit: limit, isLoose: isLoose, adjust)
    }

    /// The best matches of each word, by name.
    private struct Lanes {
        /// One byte for each typed word.
        private(set) var scores: [UInt64]
        /// Whether a word of the name itself, or of its class, matches.
        private(set) var isFound: [Bool]
        private(set) var touched: [UInt32] = []

        init(_ count: Int) {
            scores = Array(repeating: 0, count: count)
            isFound = Array(repeating: false, count: count)
        }

        mutating func take(_ match: Float, _ lanes: ClosedRange<Int>, _ occurrence: Vocabulary.Occurrence) {
            let name = Int(occurrence.name)
            let factor: Float =
                switch occurrence.role {
                case .own, .pair: 1
                case .classWord: 0.8
                case .context: 0.75
                }
            let value = UInt64(max(1, min(255, match * factor * 255)))
            if scores[name] == 0 { touched.append(occurrence.name) }
            if occurrence.role != .context { isFound[name] = true }
            for lane in lanes {
                let shift = UInt64(8 * lane)
                if (scores[name] >> shift) & 0xFF < value {
                    scores[name] = scores[name] & ~(0xFF << shift) | value << shift
                }
            }
        }
    }

    private func best(
        _ lanes: Lanes, _ typed: [[UInt8]], limit: Int, isLoose: Bool, _ adjust: (Int) -> Float?
    ) -> [Match] {
        let lengths = typed.map { Float($0.count) }
        let total = lengths.reduce(0, +)
        let qualityMin = isLoose ? Self.looseQualityMin : Self.qualityMin
        // Sorted, the best first. Nearly all names are worse than the last one, so that few are inserted.
        var top: [(rank: Float, name: UInt32, document: UInt32, quality: Float)] = []
        for name in lanes.touched where lanes.isFound[Int(name)] {
            var (sum, scores) = (Float(0), lanes.scores[Int(name)])
            for length in lengths {
                sum += length * Float(scores & 0xFF) / 255
                scores >>= 8
            }
            let quality = sum / total
            let entry = names[Int(name)]
            guard quality >= qualityMin, let bonus = adjust(Int(entry.document)) else { continue }
            let coverage = min(1, total / Float(max(1, entry.bytes)))
            let secondary: Float = entry.number > 0 ? 0.02 : 0
            let rank = quality + 0.1 * coverage * quality - secondary + weights[Int(entry.document)] + bonus
            if top.count == limit, let last = top.last, (rank, last.name) <= (last.rank, name) { continue }
            if let known = top.firstIndex(where: { $0.document == entry.document }) {
                guard rank > top[known].rank else { continue }
                top.remove(at: known)
            } else if top.count == limit {
                top.removeLast()
            }
            let position = top.firstIndex { (rank, $0.name) > ($0.rank, name) } ?? top.count
            top.insert((rank, name, entry.document, quality), at: position)
        }
        return top.map { found in
            let number = names[Int(found.name)].number
            return Match(
                document: Int(found.document), name: number < 0 ? nil : Int(number), quality: found.quality)
        }
    }
}
