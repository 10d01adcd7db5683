/// Reads Prometheus text format 0.0.4 and nothing looser: what a scraper would stumble over is told with its line.
public struct Exposition: Sendable {
    /// One sample.
    public struct Sample: Sendable, Equatable {
        /// With its suffix.
        public let name: String
        /// In order.
        public let labels: [String: String]
        /// The number.
        public let value: Double
    }
    /// What stands against the format.
    public struct Malformed: Error, CustomStringConvertible {
        /// One plain fact.
        public let description: String
    }

    /// Type by family.
    public private(set) var types: [String: String] = [:]
    /// Everything told.
    public private(set) var samples: [Sample] = []

    /// - Throws: ``Malformed``.
    public init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Malformed(description: "the last line does not end") }
        var helped: Set<String> = []
        var family = ""
        var seen: Set<String> = []
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            func fail(_ reason: String) -> Malformed { Malformed(description: "\(reason): \(line)") }
            let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            if line.hasPrefix("# HELP ") {
                guard words.count == 4, Self.isName(words[2]), helped.insert(String(words[2])).inserted else {
                    throw fail("a bad or second HELP")
                }
            } else if line.hasPrefix("# TYPE ") {
                guard words.count == 4, types[String(words[2])] == nil,
                    ["counter", "gauge", "histogram"].contains(words[3])
                else { throw fail("a bad or second TYPE") }
                family = String(words[2])
                types[family] = String(words[3])
            } else {
                let sample = try Self.sample(line)
                let suffixes = types[family] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
                guard suffixes.contains(where: { sample.name == family + $0 }) else {
                    throw fail("a sample of no family")
                }
                let key =
                    sample.name
                    + sample.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
                guard seen.insert(key).inserted else { throw fail("a series twice") }
                samples.append(sample)
            }
        }
        for (name, type) in types where type == "histogram" { try checkHistogram(name) }
    }

    /// The value of a sample; nil when there is none.
    public func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }

    /// The sum over all series of a name that have these labels.
    public func sum(_ name: String, where labels: [String: String] = [:]) -> Double {
        samples.filter { sample in sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value } }
            .reduce(0) { $0 + $1.value }
    }

    private func checkHistogram(_ name: String) throws {
        var buckets: [[String: String]: [(Double, Double)]] = [:]
        for sample in samples where sample.name == name + "_bucket" {
            var labels = sample.labels
            guard let text = labels.removeValue(forKey: "le"), let bound = Self.number(text) else {
                throw Malformed(description: "\(name) has a bucket without a bound")
            }
            buckets[labels, default: []].append((bound, sample.value))
        }
        for (labels, list) in buckets {
            guard zip(list, list.dropFirst()).allSatisfy({ $0.0 < $1.0 && $0.1 <= $1.1 }), list.last?.0 == .infinity,
                list.last?.1 == value(name + "_count", labels), value(name + "_sum", labels) != nil
            else { throw Malformed(description: "\(name) \(labels): buckets, sum and count do not fit") }
        }
    }

    private static func sample(_ line: Substring) throws -> Sample {
        let malformed = Malformed(description: "not a sample: \(line)")
        var rest = line[...]
        let name = rest.prefix { $0 != "{" && $0 != " " }
        guard isName(name) else { throw malformed }
        rest = rest.dropFirst(name.count)
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest = rest.dropFirst()
            while rest.first != "}" {
                let label = rest.prefix { $0 != "=" }
                rest = rest.dropFirst(label.count + 1)
                guard isName(label), !label.contains(":"), rest.popFirst() == "\"" else { throw malformed }
                var value = ""
                while let character = rest.popFirst(), character != "\"" {
                    guard character == "\\" else {
                        value.append(character)
                        continue
                    }
                    switch rest.popFirst() {
                    case "\\": value += "\\"
                    case "\"": value += "\""
                    case "n": value += "\n"
                    default: throw malformed
                    }
                }
                guard labels.updateValue(value, forKey: String(label)) == nil else { throw malformed }
                if rest.first == "," { rest = rest.dropFirst() } else if rest.first != "}" { throw malformed }
            }
            rest = rest.dropFirst()
        }
        guard rest.first == " ", let value = number(String(rest.dropFirst())) else { throw malformed }
        return Sample(name: String(name), labels: labels, value: value)
    }

    private static func number(_ text: String) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: text.allSatisfy { $0.isNumber || "+-.eE".contains($0) } ? Double(text) : nil
        }
    }

    private static func isName(_ name: Substring) -> Bool {
        name.first?.isNumber == false
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") }
    }
}
