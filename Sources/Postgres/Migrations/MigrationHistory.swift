/// A row of `schema_migrations`.
struct AppliedMigration: Sendable, Equatable {
    let version: Int64
    let name: String
    let checksum: String
    /// In milliseconds since 1970-01-01T00:00:00Z.
    let at: Int64
}

/// The numbered files, compared with those that were applied to a database.
struct MigrationHistory {
    /// Applied migrations. For a database with the former history, the baselines.
    let applied: [AppliedMigration]
    let pending: [MigrationFile]
    /// The former history is complete: the rows of the baselines replace its rows.
    let takesOver: Bool

    init(files: [MigrationFile], applied: [AppliedMigration]) throws(MigrationError) {
        takesOver = FormerHistory.isComplete(applied)
        if takesOver {
            let at = applied.map(\.at).max() ?? 0
            self.applied = files.filter { $0.version <= FormerHistory.newestBaseline }.map {
                AppliedMigration(version: $0.version, name: $0.name, checksum: $0.checksum, at: at)
            }
        } else if FormerHistory.isBegun(applied) {
            throw .formerHistory(newestApplied: applied.last?.name ?? "")
        } else {
            self.applied = applied
        }
        pending = try Self.pending(files, self.applied)
    }

    private static func pending(
        _ files: [MigrationFile], _ applied: [AppliedMigration]
    ) throws(MigrationError) -> [MigrationFile] {
        let newestFile = files.last?.version ?? 0
        let newestApplied = applied.last?.version ?? 0
        guard newestApplied <= newestFile else {
            throw .databaseNewer(applied: newestApplied, newestFile: newestFile)
        }
        for entry in applied {
            guard let file = files.first(where: { $0.version == entry.version }) else { throw .missing(entry.name) }
            guard file.checksum == entry.checksum else { throw .changed(file.name) }
        }
        let pending = files.filter { file in !applied.contains { $0.version == file.version } }
        if let first = pending.first, first.version < newestApplied {
            throw .outOfOrder(first.name, newestApplied: newestApplied)
        }
        return pending
    }
}
