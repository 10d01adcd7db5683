/// Numbers of objects that an import found, imported and skipped, with the reasons.
///
/// For every category `found == imported + skipped`.
public struct ImportCounts: Codable, Sendable, Equatable {
    public struct Row: Codable, Sendable, Equatable {
        /// The kind of object: "buildings", "footways", "steps", "lifts", …
        public var category: String
        /// Number of objects in the document.
        public var imported: Int
        /// Number of omitted objects by reason; a reason is a plain phrase ("building=no").
        public var skipped: [String: Int]

        /// Number of objects in the source.
        public var found: Int { imported + skipped.values.reduce(0, +) }
    }

    /// The categories in the order of their first occurrence.
    public private(set) var rows: [Row] = []

    public init() {}

    /// The row of a category; nil if the source holds no such object.
    public subscript(category: String) -> Row? {
        rows.first { $0.category == category }
    }

    /// Counts imported objects.
    public mutating func take(_ category: String, count: Int = 1) {
        rows[position(category)].imported += count
    }

    /// Counts omitted objects.
    public mutating func skip(_ category: String, because reason: String, count: Int = 1) {
        rows[position(category)].skipped[reason, default: 0] += count
    }

    /// Removes a category whose objects were replaced.
    mutating func remove(_ category: String) { rows.removeAll { $0.category == category } }

    /// Adds the counts of another source.
    mutating func add(_ other: ImportCounts) {
        for row in other.rows {
            take(row.category, count: row.imported)
            for (reason, count) in row.skipped { skip(row.category, because: reason, count: count) }
        }
    }

    private mutating func position(_ category: String) -> Int {
        if let known = rows.firstIndex(where: { $0.category == category }) { return known }
        rows.append(Row(category: category, imported: 0, skipped: [:]))
        return rows.count - 1
    }

    /// A table for a terminal: one line per category, reasons sorted.
    public var table: String {
        rows.map { row in
            let reasons = row.skipped.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            let name = row.category + String(repeating: " ", count: max(1, 16 - row.category.count))
            let tail = reasons.isEmpty ? "" : "; left out: " + reasons.joined(separator: ", ")
            return "\(name)\(row.imported) of \(row.found)\(tail)"
        }.joined(separator: "\n")
    }
}
