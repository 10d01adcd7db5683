import Campus
import Wire

/// A message between nodes about the heatmap, on a subject of its own. Version 1: a byte for the version, a byte for the kind, and the
/// content.
enum HeatmapMessage: Equatable, Sendable {
    /// To the publishing node: the people whose positions the sender receives. A large count takes several messages.
    case people(count: PartOfCount, [HeatmapCrowd.Report])
    /// To all other nodes: the published heatmap.
    case published(at: Timestamp, [HeatCell])

    /// Identifies a part of a count.
    struct PartOfCount: Equatable, Sendable {
        /// Grows with each count of a node.
        var number: UInt64
        /// From 0.
        var part: Int
        /// Number of parts of the count.
        var parts: Int
    }

    static let version: UInt8 = 1
    /// Largest number of people in one message, at most 20 bytes each.
    static let peopleMax = 10_000
    /// Largest number of messages of one count.
    static let partsMax = HeatmapRules.peopleMax / peopleMax
    /// Largest number of published cells: no more cells can have the smallest published number of people.
    static let cellsMax = HeatmapRules.peopleMax / HeatmapRules.peopleMin

    private enum Kind: UInt8 { case people = 1, published }

    /// The messages of a count.
    static func messages(number: UInt64, _ reports: [HeatmapCrowd.Report]) -> [HeatmapMessage] {
        let parts = min(partsMax, max(1, (reports.count + peopleMax - 1) / peopleMax))
        return (0..<parts).map { part in
            .people(
                count: PartOfCount(number: number, part: part, parts: parts),
                Array(reports.dropFirst(part * peopleMax).prefix(peopleMax)))
        }
    }

    var encoded: [UInt8] {
        var writer = BinaryWriter()
        writer.byte(Self.version)
        switch self {
        case .people(let count, let reports):
            writer.byte(Kind.people.rawValue)
            writer.varint(count.number)
            writer.varint(count.part)
            writer.varint(count.parts)
            writer.list(reports) {
                $0.varint($1.person.account)
                $0.varint($1.person.place.x)
                $0.varint($1.person.place.y)
                $0.varint($1.age)
            }
        case .published(let time, let cells):
            writer.byte(Kind.published.rawValue)
            writer.varint(time.milliseconds)
            writer.list(cells) {
                $0.varint($1.x)
                $0.varint($1.y)
                $0.varint($1.people)
            }
        }
        return writer.bytes
    }

    /// - Throws: ``Wire/BinaryFrameError`` for bytes that no node of this version writes.
    init(decoding bytes: [UInt8]) throws(BinaryFrameError) {
        var reader = BinaryReader(bytes)
        guard try reader.byte() == Self.version else { throw BinaryFrameError("the version is unknown") }
        guard let kind = Kind(rawValue: try reader.byte()) else { throw BinaryFrameError("the kind is unknown") }
        switch kind {
        case .people:
            let count = PartOfCount(
                number: try reader.varint(), part: try reader.varint(max: Self.partsMax - 1, "a part"),
                parts: try reader.varint(max: Self.partsMax, "a number of parts"))
            guard count.part < count.parts else { throw BinaryFrameError("a part's index is beyond the last part") }
            let reports = try reader.list(countMax: Self.peopleMax) { r throws(BinaryFrameError) in
                HeatmapCrowd.Report(
                    person: HeatmapPerson(account: try r.id(), place: try Self.place(&r)),
                    age: UInt64(try r.varint(max: Int(HeatmapRules.silenceSecondsMax), "an age")))
            }
            self = .people(count: count, reports)
        case .published:
            let time = Timestamp(milliseconds: try reader.number())
            let cells = try reader.list(countMax: Self.cellsMax) { r throws(BinaryFrameError) in
                let place = try Self.place(&r)
                let people = try r.varint(max: HeatmapRules.peopleMax, "a number of people")
                guard people >= HeatmapRules.peopleMin else { throw BinaryFrameError("a cell has too few people") }
                return HeatCell(x: place.x, y: place.y, people: people)
            }
            self = .published(at: time, cells)
        }
        guard reader.isAtEnd else { throw BinaryFrameError("bytes follow the end of the message") }
    }

    private static func place(_ reader: inout BinaryReader) throws(BinaryFrameError) -> HeatmapPlace {
        let last = 1 << Int(HeatmapRules.zoom) - 1
        return HeatmapPlace(
            x: UInt32(try reader.varint(max: last, "a column")), y: UInt32(try reader.varint(max: last, "a row")))
    }
}
