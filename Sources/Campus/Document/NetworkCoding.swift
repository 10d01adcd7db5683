import Wire

/// The objects of a network as bytes, as the database has them.
///
/// Version 1: a byte for the version; the tags' keys, values and roles once; then the objects. Ids are differences to the id
/// before, and positions are whole numbers on OpenStreetMap's grid of ten millionths of a degree.
public enum NetworkCoding {
    /// Maximum number of objects, and of texts.
    public static let objectsMax = 4_000_000
    /// Maximum bytes of a tag's key or value; OpenStreetMap has at most 255 characters.
    public static let textBytesMax = 4_096
    /// Maximum tags of an object, and maximum nodes or members.
    static let (tagsMax, nodesMax) = (1_000, 100_000)
    private static let version: UInt8 = 1
    private static let stepsPerDegree = 1e7
    /// Ids that the differences of the encoding can express.
    private static let ids: ClosedRange<Int64> = -((1 << 51) - 1)...((1 << 51) - 1)

    /// Encodes a network. Objects and tags beyond the limits are left out.
    public static func bytes(_ network: [OSMObject]) -> [UInt8] {
        var texts = Texts()
        var body = BinaryWriter()
        var count = 0
        var last: Int64 = 0
        for object in network.prefix(objectsMax) {
            guard ids.contains(object.id), object.nodes.count <= nodesMax, object.members.count <= nodesMax,
                (object.nodes + object.members.map(\.id)).allSatisfy(ids.contains)
            else { continue }
            count += 1
            body.byte(object.kind.code)
            body.signed(object.id - last)
            last = object.id
            let tags = object.tags.filter { max($0.key.utf8.count, $0.value.utf8.count) <= textBytesMax }
                .sorted { $0.key < $1.key }.prefix(tagsMax)
            body.list(Array(tags)) { writer, tag in
                writer.varint(texts.number(tag.key))
                writer.varint(texts.number(tag.value))
            }
            switch object.kind {
            case .node:
                body.byte(object.point == nil ? 0 : 1)
                guard let point = object.point else { break }
                body.signed(Int64((point.latitude * stepsPerDegree).rounded()))
                body.signed(Int64((point.longitude * stepsPerDegree).rounded()))
            case .way:
                var before: Int64 = 0
                body.list(object.nodes) { writer, node in
                    writer.signed(node - before)
                    before = node
                }
            case .relation:
                body.list(object.members) { writer, member in
                    writer.byte(member.kind.code)
                    writer.signed(member.id)
                    writer.varint(texts.number(String(member.role.prefix(255))))
                }
            }
        }
        var writer = BinaryWriter()
        writer.byte(version)
        writer.list(texts.list) { $0.text($1) }
        writer.varint(count)
        return writer.bytes + body.bytes
    }

    /// Decodes a network.
    /// - Throws: ``Wire/BinaryFrameError`` for bytes that ``bytes(_:)`` does not write.
    public static func network(_ bytes: [UInt8]) throws(BinaryFrameError) -> [OSMObject] {
        var reader = BinaryReader(bytes)
        guard try reader.byte() == version else { throw BinaryFrameError("the version is unknown") }
        let texts = try reader.list(countMax: objectsMax) { r throws(BinaryFrameError) in
            try r.text(bytesMax: textBytesMax, "a text")
        }
        var last: Int64 = 0
        let objects = try reader.list(countMax: objectsMax) { r throws(BinaryFrameError) in
            let object = try object(&r, texts, after: last)
            last = object.id
            return object
        }
        guard reader.isAtEnd else { throw BinaryFrameError("bytes follow the last object") }
        return objects
    }

    private static func object(
        _ reader: inout BinaryReader, _ texts: [String], after last: Int64
    ) throws(BinaryFrameError) -> OSMObject {
        let kind = try kind(&reader)
        // A difference has 53 bits, and the id before it is in the range: the sum cannot overflow.
        let id = last + (try reader.signed())
        guard ids.contains(id) else { throw BinaryFrameError("an id is out of its range") }
        var object = OSMObject(kind: kind, id: id)
        for (key, value) in try reader.list(
            countMax: tagsMax, { r throws(BinaryFrameError) in (try text(&r, texts), try text(&r, texts)) })
        {
            object.tags[key] = value
        }
        switch kind {
        case .node:
            guard try reader.byte() == 1 else { break }
            let latitude = Double(try reader.signed()) / stepsPerDegree
            let longitude = Double(try reader.signed()) / stepsPerDegree
            guard let point = try? GeoPoint(latitude: latitude, longitude: longitude) else {
                throw BinaryFrameError("a position is out of its range")
            }
            object.point = point
        case .way:
            var before: Int64 = 0
            object.nodes = try reader.list(countMax: nodesMax) { r throws(BinaryFrameError) in
                let node = before + (try r.signed())
                guard ids.contains(node) else { throw BinaryFrameError("an id is out of its range") }
                before = node
                return node
            }
        case .relation:
            object.members = try reader.list(countMax: nodesMax) { r throws(BinaryFrameError) in
                OSMObject.Member(kind: try Self.kind(&r), id: try r.signed(), role: try text(&r, texts))
            }
        }
        return object
    }

    private static func kind(_ reader: inout BinaryReader) throws(BinaryFrameError) -> OSMObject.Kind {
        guard let kind = OSMObject.Kind(code: try reader.byte()) else { throw BinaryFrameError("a kind is unknown") }
        return kind
    }

    private static func text(_ reader: inout BinaryReader, _ texts: [String]) throws(BinaryFrameError) -> String {
        let number = try reader.varint(max: max(0, texts.count - 1), "a text's number")
        guard texts.indices.contains(number) else { throw BinaryFrameError("a text is missing") }
        return texts[number]
    }

    /// Numbers texts by their first use.
    private struct Texts {
        var list: [String] = []
        private var numbers: [String: Int] = [:]

        mutating func number(_ text: String) -> Int {
            if let known = numbers[text] { return known }
            numbers[text] = list.count
            list.append(text)
            return list.count - 1
        }
    }
}

extension OSMObject.Kind {
    fileprivate var code: UInt8 {
        switch self {
        case .node: 0
        case .way: 1
        case .relation: 2
        }
    }

    fileprivate init?(code: UInt8) {
        switch code {
        case 0: self = .node
        case 1: self = .way
        case 2: self = .relation
        default: return nil
        }
    }
}

extension BinaryWriter {
    /// Writes a number, then the elements.
    fileprivate mutating func list<Element>(_ elements: [Element], _ write: (inout BinaryWriter, Element) -> Void) {
        varint(elements.count)
        for element in elements { write(&self, element) }
    }
}

extension BinaryReader {
    /// Reads a number, then the elements, each of which has at least one byte.
    fileprivate mutating func list<Element>(
        countMax: Int, _ read: (inout BinaryReader) throws(BinaryFrameError) -> Element
    ) throws(BinaryFrameError) -> [Element] {
        let count = try varint(max: min(countMax, remaining), "a number of elements")
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }
}
