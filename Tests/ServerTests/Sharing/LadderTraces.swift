import Campus
import Foundation
import Wire

/// What somebody's device told of where they are, and what is left of it in what others got.
struct LadderTraces: Sendable {
    /// Degrees around the owner within which two numbers count as a position: some 300 m, farther than the place of any rung.
    private static let near = 0.004
    /// Metres by which a computed position may differ.
    static let slackMetres = 0.5

    /// What was reported, and nowhere else in the world.
    static let measures = ["accuracy": 7.314159, "heading": 213.917463, "speed": 1.834729, "altitude": 148.631857]

    /// Where the owner was.
    let places: [GeoPoint]
    /// When the fixes were made, as JSON writes it.
    let times: [String]
    /// Decimal digits of a metre, with their point.
    private let decimals: [String]
    /// The same as whole numbers, the bits as PostgreSQL writes geometries, and cells of the map that hold little more than a building.
    private let wholes: Set<String>
    private let bits: [String]
    private let cells: [String]

    init(_ fixes: [(place: GeoPoint, at: Timestamp)]) throws {
        places = fixes.map(\.place)
        times = try fixes.map { String(decoding: try WireJSON.encode($0.at), as: UTF8.self).filter { $0 != "\"" } }
        let values = fixes.flatMap { [$0.place.latitude, $0.place.longitude] }
        decimals = values.flatMap { value in
            [(value * 1e5).rounded(.down), (value * 1e5).rounded()].map { String(format: "%.5f", $0 / 1e5) }
        }
        wholes = Set(
            values.flatMap { value in
                [1e6, 1e7].flatMap { [(value * $0).rounded(.down), (value * $0).rounded()] }.map { "\(Int64($0))" }
            })
        cells = places.flatMap { place in
            (17...Cell.zoomRange.upperBound).map { zoom in
                let cell = Cell(containing: place, zoom: zoom)
                return "/\(cell.zoom)/\(cell.x)/\(cell.y)"
            }
        }
        bits = values.map { value in
            withUnsafeBytes(of: value.bitPattern.littleEndian) { $0.map { String(format: "%02X", $0) }.joined() }
        }
    }

    // MARK: Digits

    /// What of it is in a text, of whatever kind.
    /// - Parameter tolerance: By which a number may differ from what was measured; nil leaves those out.
    func digits(in text: String, measuresWithin tolerance: Double? = 5e-5) -> [String] {
        // Byte for byte: a string's `contains`, which knows about accents, took an eighth of the attack.
        let bytes = Data(text.utf8)
        var found = (times + bits + cells).filter { bytes.range(of: Data($0.utf8)) != nil }
        for number in Self.numbers(in: text) {
            if number.contains(".") {
                found += decimals.filter(number.hasPrefix)
                if let value = Double(number), let tolerance {
                    found += Self.measures.filter { abs($0.value - value) < tolerance }.keys
                }
            } else if wholes.contains(number) {
                found.append(number)
            }
        }
        return found
    }

    /// Numbers that are no part of a word, a time or a UUID.
    private static func numbers(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }
        func isWord(_ byte: UInt8) -> Bool { isDigit(byte) || byte | 32 >= 97 && byte | 32 <= 122 || byte == 95 }
        var numbers: [String] = []
        var index = 0
        while index < bytes.count {
            guard isDigit(bytes[index]) else {
                index += 1
                continue
            }
            let start = index
            while index < bytes.count, isDigit(bytes[index]) || bytes[index] == 46 { index += 1 }
            let isSigned = start > 0 && bytes[start - 1] == 45
            let before = start - (isSigned ? 2 : 1)
            let isApart = before < 0 || !isWord(bytes[before])
            let isEnd = index == bytes.count || !isWord(bytes[index]) && bytes[index] != 45
            if isApart, isEnd { numbers.append(String(decoding: bytes[start..<index], as: UTF8.self)) }
        }
        return numbers
    }

    // MARK: Positions

    /// Metres from the owner, who moved a little: from where they were nearest.
    func metres(to point: GeoPoint) -> Double { places.map { $0.distance(to: point) }.min() ?? .infinity }

    /// Everything in a value of JSON that can be taken for a position near the owner: members and neighbours in arrays that can be
    /// degrees in either order, middles of boxes, and cells of the map.
    func positions(in json: Any) -> [GeoPoint] {
        switch json {
        case let object as [String: Any]:
            let numbers = object.values.compactMap(Self.fraction)
            let pairs = numbers.flatMap { one in numbers.compactMap { position(one, $0) } }
            return pairs + cells(object) + object.values.flatMap(positions)
        case let array as [Any]:
            let numbers = array.compactMap(Self.fraction)
            guard numbers.count == array.count else { return array.flatMap(positions) }
            var pairs = zip(numbers, numbers.dropFirst()).flatMap { [position($0, $1), position($1, $0)] }
            if numbers.count == 4 {
                let (one, two) = ((numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2)
                pairs += [position(one, two), position(two, one)]
            }
            return pairs.compactMap(\.self)
        default: return []
        }
    }

    /// Members that say how exactly, how fast and whereto, as the owner's device did, however rounded.
    func measures(in json: Any) -> [String] {
        switch json {
        case let object as [String: Any]:
            let own = object.compactMap { key, value -> String? in
                guard let received = Self.measures[key], let value = Self.number(value) else { return nil }
                return abs(received - value) < max(0.5, received * 0.01) ? key : nil
            }
            return own + object.values.flatMap(measures)
        case let array as [Any]: return array.flatMap(measures)
        default: return []
        }
    }

    private static func number(_ value: Any) -> Double? { (value as? NSNumber)?.doubleValue }

    /// A whole number is somebody's, and no coordinate.
    private static func fraction(_ value: Any) -> Double? { number(value).flatMap { $0 == $0.rounded() ? nil : $0 } }

    private func position(_ latitude: Double, _ longitude: Double) -> GeoPoint? {
        guard let own = places.first, abs(own.latitude - latitude) < Self.near,
            abs(own.longitude - longitude) < Self.near
        else { return nil }
        return try? GeoPoint(latitude: latitude, longitude: longitude)
    }

    /// The middle of a cell, of whatever zoom it may be.
    private func cells(_ object: [String: Any]) -> [GeoPoint] {
        guard let x = object["x"].flatMap(Self.number), let y = object["y"].flatMap(Self.number),
            let column = UInt32(exactly: x), let row = UInt32(exactly: y)
        else { return [] }
        return (15...Cell.zoomRange.upperBound).compactMap { zoom in
            guard let middle = Cell(zoom: zoom, x: column, y: row)?.box.centre else { return nil }
            return position(middle.latitude, middle.longitude)
        }
    }

    // MARK: Bits

    /// Whether a binary message has the owner's coordinates in any width that positions come in: 64 and 32 bits, floating or fixed point.
    func isInside(_ bytes: [UInt8]) -> Bool {
        places.contains { place in
            [place.latitude, place.longitude].contains { value in
                (0..<bytes.count).contains { start in
                    let rest = bytes[start...]
                    return rest.count >= 8 && Self.doubles(rest.prefix(8)).contains { abs($0 - value) < 1e-5 }
                        || rest.count >= 4
                            && Self.wholes(rest.prefix(4)).contains { whole in
                                [1e5, 1e6, 1e7].contains { abs(Double(whole) / $0 - value) < 1e-5 }
                            }
                }
            }
        }
    }

    private static func doubles(_ bytes: ArraySlice<UInt8>) -> [Double] {
        let word = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return [Double(bitPattern: word), Double(bitPattern: word.byteSwapped)]
    }

    private static func wholes(_ bytes: ArraySlice<UInt8>) -> [Int32] {
        let word = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return [Int32(bitPattern: word), Int32(bitPattern: word.byteSwapped)]
    }
}
