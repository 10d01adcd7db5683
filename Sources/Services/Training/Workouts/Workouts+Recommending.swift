import Campus
import EventLoop
import Postgres
import Training
import Wire

extension Workouts {
    /// Days of trainings that recommendations follow.
    static let historyDays = 90.0
    /// Largest number of such trainings.
    static let historyMax: Int64 = 100
    static let minutes = 5...180
    static let minutesDefault = 30
    static let recommendOffsetMax = 60

    /// Composes workouts for the caller.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func recommend(_ params: WorkoutsRecommend.Params, for identity: Identity) async throws -> Recommendations {
        let minutes = params.minutes ?? Self.minutesDefault
        guard Self.minutes.contains(minutes) else { throw RPCError.invalid("minutes", "must be 5 to 180") }
        guard params.offset ?? 0 <= Self.recommendOffsetMax else {
            throw RPCError.invalid("offset", "must be 0 to \(Self.recommendOffsetMax)")
        }
        try Exercises.check(params.equipment)
        let point = try Self.point(params.lat, params.lon)
        let moment = now()
        let body = try await body.known(of: identity.account.id).present
        let history = TrainingHistory(trainings: try await history(of: identity.account.id, now: moment), now: moment)
        let request = RecommendationRequest(
            type: params.type, goal: params.goal, equipment: params.equipment, place: params.place, minutes: minutes,
            level: params.level, offset: params.offset)
        let recommender = await exercises.catalogue.recommender
        let found = try await recommending.run { recommender.recommend(request, for: body, history: history) }
        var place: SuitablePlace?
        if let point { place = try await search.closest(of: Self.kinds(for: params.place, params.type), to: point) }
        return Recommendations(
            recommended: found.recommended.map { Self.placed($0, place, params.place) },
            others: found.others.map { Self.placed($0, place, params.place) }, hasMore: found.hasMore,
            leftOut: found.leftOut, guidelines: found.guidelines, place: place)
    }

    /// A recommendation for a wished place takes place at the closest one.
    private static func placed(
        _ recommendation: Recommendation, _ place: SuitablePlace?, _ wished: WorkoutPlace?
    ) -> Recommendation {
        guard let place, wished != nil, recommendation.plan.place == wished else { return recommendation }
        var recommendation = recommendation
        recommendation.plan.destination = place.destination
        recommendation.plan.destinationName = place.name
        return recommendation
    }

    private static func point(_ lat: Double?, _ lon: Double?) throws -> GeoPoint? {
        guard lat != nil || lon != nil else { return nil }
        guard let lat, let lon, let point = try? GeoPoint(latitude: lat, longitude: lon) else {
            throw RPCError.invalid(lat == nil ? "lat" : "lon", "must be given with the other coordinate")
        }
        return point
    }

    /// Classes of places, as OpenStreetMap has them, in descending order of suitability.
    static func kinds(for place: WorkoutPlace?, _ type: ExerciseType?) -> [[String]] {
        let gym = [["fitness_centre", "sports_centre"], ["stadium"]]
        switch place {
        case .pool: return [["swimming_pool"], ["sports_centre"]]
        case .track: return [["track"], ["stadium"], ["pitch"], ["sports_centre"]]
        case .outdoors: return [["fitness_station", "pitch", "track", "stadium", "park"], ["sports_centre"]]
        case .home: return []
        case .gym: return gym
        case .anywhere, nil: return type == .swimming ? [["swimming_pool"], ["sports_centre"]] : gym
        }
    }

    /// Trainings that have ended, with the exercises of which a set was done, the latest first.
    private func history(of account: Int64, now: Timestamp) async throws -> [PastTraining] {
        let rows = try await database.query(
            """
            SELECT t.started_at, t.plan->>'type' AS type, (
                SELECT coalesce(array_agg(DISTINCT e.value->>'exercise'), '{}')
                FROM jsonb_path_query(t.plan, '$.sections[*].groups[*].entries[*]') AS e(value)
                JOIN training_sets s ON s.account_id = t.account_id AND s.training_id = t.id AND s.state = 'done'
                    AND s.entry = (e.value->>'id')::uuid) AS exercises
            FROM trainings t WHERE t.account_id = $1 AND t.ended_at IS NOT NULL AND t.started_at > $2
            ORDER BY t.started_at DESC LIMIT $3
            """,
            [
                .int(account),
                .timestamp(now.advanced(bySeconds: -Self.historyDays * Timestamp.daySeconds).milliseconds),
                .int(Self.historyMax),
            ])
        return try rows.compactMap { row in
            guard let type = ExerciseType(rawValue: try row.text("type")) else { return nil }
            return PastTraining(
                startedAt: Timestamp(milliseconds: try row.timestamp("started_at")), type: type,
                exercises: try row.textArray("exercises"))
        }
    }
}
