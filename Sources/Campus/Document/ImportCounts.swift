/// What an import found in its source, what it took, and what it left out with the reasons.
///
/// For every category `found == imported + skipped`.
public struct ImportCounts: Codable, Sendable, Equatable {
    /// The counts of one category.
    public struct Row: Codable, Sendable, Equatable {
        /// What is counted: "buildings", "footways", "steps", "lifts", …
        public var category: String
        /// How many objects of the category went into the document.
        public var imported: Int
        /// How many did not, by reason; a reason is a plain phrase ("building=no").
        public var skipped: [String: Int]

        /// How many objects of the category the source holds.
        public var found: Int { imported + skipped.values.reduce(0, +) }
    }

    /// The categories in the order in which they first occurred.
    public private(set) var rows: [Row] = []

    /// No counts yet.
    public init() {}

    /// The row of a category; nil when the source holds none.
    public subscript(category: String) -> Row? {
        rows.first { $0.category == category }
    }

    /// Counts objects that went into the document.
    public mutating func take(_ category: String, count: Int = 1) {
        rows[position(category)].imported += count
    }

    /// Counts objects that were left out.
    public mutating func skip(_ category: String, because reason: String, count: Int = 1) {
        rows[position(category)].skipped[reason, default: 0] += count
    }

    /// Forgets a category, as what was taken of it was replaced.
    mutating func remove(_ category: String) { rows.removeAll { $0.category == category } }

    /// Adds what was counted in another source.
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
