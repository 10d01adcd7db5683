import Foundation
import Postgres
import Training
import Wire

/// Sets of trainings: checks, and the merge of changes from several devices.
///
/// A set is a register in which the last writer wins: of two changes, the one that is greater in the order of ``supersedes(_:_:)`` stays.
/// The order is total, so that changes in any order, and repeated ones, lead to the same sets. `mergeSQL` uses the same order.
enum StoredSet {
    /// Largest number of sets of a training, planned ones that nobody touched not counted.
    static let max: Int64 = 1_000
    /// Largest number of changed sets in a request.
    static let changesMax = 300
    static let positionMax = 1_000
    /// Largest number of remembered changes of a set from devices with clocks that are ahead.
    static let claimsMax = 8

    static let select = """
        SELECT id, entry, position, state, reps, kilograms, seconds, metres, at FROM training_sets
        WHERE account_id = $1 AND training_id = $2
        """

    static func read(_ row: PostgresRow) throws -> TrainingSet {
        TrainingSet(
            id: try row.text("id"), entry: try row.uuid("entry"), position: Int(try row.int("position")),
            state: SetState(rawValue: try row.text("state")) ?? .planned,
            values: PlannedSet(
                reps: try row.optionalInt("reps").map { Int($0) }, kilograms: try row.optionalDouble("kilograms"),
                seconds: try row.optionalDouble("seconds"), metres: try row.optionalDouble("metres")),
            at: Timestamp(milliseconds: try row.timestamp("at")))
    }

    /// Planned sets with the stored changes, and the added sets, in the order of the plan.
    static func merged(_ stored: [TrainingSet], into planned: [TrainingSet], of plan: WorkoutPlan) -> [TrainingSet] {
        var byID = Dictionary(planned.map { ($0.id, $0) }) { first, _ in first }
        for set in stored { byID[set.id] = set }
        let order = Dictionary(
            plan.sections.flatMap(\.groups).flatMap(\.entries).enumerated().map { ($1.id, $0) }
        ) { first, _ in first }
        return byID.values.sorted { one, other in
            (order[one.entry] ?? .max, one.position, one.id) < (order[other.entry] ?? .max, other.position, other.id)
        }
    }

    // MARK: Checks

    /// Checks the sets of a request against the plan, and keeps the latest change of each.
    /// - Throws: ``Wire/RPCError``.
    static func checked(_ sets: [TrainingSet], of plan: WorkoutPlan) throws -> [TrainingSet] {
        guard sets.count <= changesMax else { throw RPCError.invalid("sets", "has at most \(changesMax) sets") }
        let planned = Dictionary(
            plan.sections.flatMap(\.groups).flatMap(\.entries).map { ($0.id, $0.sets.count) }
        ) { first, _ in first }
        var latest: [String: TrainingSet] = [:]
        for (index, set) in sets.enumerated() {
            let set = try checked(set, planned, "sets[\(index)]")
            if let known = latest[set.id], !supersedes(set, known) { continue }
            latest[set.id] = set
        }
        return latest.values.sorted { $0.id < $1.id }
    }

    private static func checked(_ set: TrainingSet, _ planned: [String: Int], _ field: String) throws -> TrainingSet {
        var set = set
        set.id = set.id.lowercased()
        set.entry = set.entry.lowercased()
        guard let count = planned[set.entry] else {
            throw RPCError.invalid("\(field).entry", "is no entry of the training's plan")
        }
        let parts = set.id.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts.first == set.entry, let last = parts.last,
            last.utf8.count == 36 && UUID(uuidString: last) != nil
                || Int(last).map({ (0..<count).contains($0) && "\($0)" == last }) == true
        else {
            throw RPCError.invalid("\(field).id", "is the entry, a slash, and the number of a planned set or a UUID")
        }
        guard set.position <= positionMax else {
            throw RPCError.invalid("\(field).position", "must be 0 to \(positionMax)")
        }
        try PlanCheck.check(set.values, field: "\(field).values")
        return set
    }

    // MARK: Merging

    /// Whether a change is later than another of the same set. Changes of one instant are ordered by their contents.
    static func supersedes(_ new: TrainingSet, _ old: TrainingSet) -> Bool {
        if new.at != old.at { return new.at > old.at }
        let (first, second) = (order(new), order(old))
        for (new, old) in zip(first, second) where new != old { return new > old }
        return false
    }

    private static func order(_ set: TrainingSet) -> [Double] {
        let states: [SetState] = [.planned, .skipped, .done, .removed]
        return [
            Double(states.firstIndex(of: set.state) ?? 0), Double(set.position), set.values.reps.map(Double.init) ?? -1,
            set.values.kilograms ?? -1, set.values.seconds ?? -1, set.values.metres ?? -1,
        ]
    }

    private static func orderSQL(_ row: String) -> String {
        """
        ROW(\(row).at, array_position(ARRAY['planned', 'skipped', 'done', 'removed'], \(row).state), \(row).position,
            coalesce(\(row).reps, -1), coalesce(\(row).kilograms, -1), coalesce(\(row).seconds, -1), coalesce(\(row).metres, -1))
        """
    }

    /// A change with a time in the future counts as made now. Its stated time is remembered, because the same change sent again would
    /// otherwise count as made later than before.
    private static let mergeSQL = """
        INSERT INTO training_sets AS t (account_id, training_id, id, entry, position, state, reps, kilograms, seconds, metres, at,
            claims)
        SELECT $1, $2, v.id, v.entry::uuid, v.position, v.state, v.reps, v.kilograms, v.seconds, v.metres, least(v.at, $3),
            CASE WHEN v.at > $3 THEN ARRAY[v.at] ELSE '{}' END
        FROM unnest($4::text[], $5::text[], $6::bigint[], $7::text[], $8::bigint[], $9::double precision[],
            $10::double precision[], $11::double precision[], $12::timestamptz[])
            AS v (id, entry, position, state, reps, kilograms, seconds, metres, at)
        ON CONFLICT (account_id, training_id, id) DO UPDATE SET position = excluded.position, state = excluded.state,
            reps = excluded.reps, kilograms = excluded.kilograms, seconds = excluded.seconds, metres = excluded.metres,
            at = excluded.at, claims = (excluded.claims || t.claims)[1:\(claimsMax)]
        WHERE \(orderSQL("excluded")) > \(orderSQL("t")) AND NOT (
            t.claims && ARRAY[(SELECT c.at FROM unnest($4::text[], $12::timestamptz[]) AS c (id, at) WHERE c.id = t.id)])
        """

    /// Merges checked sets into a training.
    /// - Returns: Whether anything changed.
    /// - Throws: ``Wire/RPCError`` `conflict` for too many sets; ``Postgres/PostgresError``.
    static func merge(
        _ sets: [TrainingSet], into training: String, of account: Int64, now: Timestamp,
        in transaction: PostgresTransaction
    ) async throws -> Bool {
        guard !sets.isEmpty else { return false }
        let written = try await transaction.query(
            mergeSQL,
            [
                .int(account), .uuid(training), .timestamp(now.milliseconds), .textArray(sets.map(\.id)),
                .textArray(sets.map(\.entry)), .intArray(sets.map { Int64($0.position) }),
                .textArray(sets.map(\.state.rawValue)), .optionalIntArray(sets.map { $0.values.reps.map(Int64.init) }),
                .optionalDoubleArray(sets.map(\.values.kilograms)), .optionalDoubleArray(sets.map(\.values.seconds)),
                .optionalDoubleArray(sets.map(\.values.metres)), .timestampArray(sets.map(\.at.milliseconds)),
            ])
        let count = try await transaction.query(
            "SELECT count(*) AS n FROM training_sets WHERE account_id = $1 AND training_id = $2",
            [.int(account), .uuid(training)])
        guard try count.first?.int("n") ?? 0 <= max else {
            throw RPCError(.conflict, "a training has at most \(max) changed sets", field: "sets")
        }
        return written.affected > 0
    }
}
