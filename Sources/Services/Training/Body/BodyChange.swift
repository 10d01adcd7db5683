import Wire

/// A checked change of body data.
struct BodyChange: Sendable {
    private let params: BodySave.Params

    /// - Throws: ``Wire/RPCError``.
    init(_ params: BodySave.Params, now: Timestamp) throws {
        func check<Value: Comparable>(_ value: Value?, _ allowed: ClosedRange<Value>, _ field: String) throws {
            guard let value, !allowed.contains(value) else { return }
            throw RPCError.invalid(field, "must be \(allowed.lowerBound) to \(allowed.upperBound)")
        }
        try check(params.heightCentimetres, BodyRecords.height, "heightCentimetres")
        try check(params.restingPulse, BodyRecords.restingPulse, "restingPulse")
        try check(params.maximumPulse, BodyRecords.maximumPulse, "maximumPulse")
        var params = params
        params.conditions = params.conditions.map(Self.distinct)
        params.goals = params.goals.map(Self.distinct)
        guard params.goals?.count ?? 0 <= BodyRecords.goalsMax else {
            throw RPCError.invalid("goals", "has at most \(BodyRecords.goalsMax) goals")
        }
        if let period = params.lastPeriod { params.lastPeriod = try Self.lastPeriod(period, now: now) }
        let given: [BodyField: Bool] = [
            .heightCentimetres: params.heightCentimetres != nil, .lastPeriod: params.lastPeriod != nil,
            .restingPulse: params.restingPulse != nil, .maximumPulse: params.maximumPulse != nil,
        ]
        guard params.clear?.contains(where: { given[$0] == true }) != true else {
            throw RPCError.invalid("clear", "must not name a member that is given")
        }
        self.params = params
    }

    private static func distinct<Value: Equatable>(_ values: [Value]) -> [Value] {
        values.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private static func lastPeriod(_ period: LastPeriod, now: Timestamp) throws -> LastPeriod {
        guard (period.date == nil) != (period.skipped == nil) else {
            throw RPCError.invalid("lastPeriod", "has either a date or a reason")
        }
        guard let text = period.date else { return period }
        let day = try Day.past(text, "lastPeriod.date", now: now)
        guard day >= Day.adding(-BodyRecords.lastPeriodDaysMax, to: CalendarDay(now).description) else {
            throw RPCError.invalid("lastPeriod.date", "must be within the last year: give a reason instead")
        }
        return LastPeriod(date: day)
    }

    /// - Throws: ``Wire/RPCError`` if the pulses contradict each other.
    func applied(to known: BodyData) throws -> BodyData {
        var data = known
        for field in params.clear ?? [] {
            switch field {
            case .heightCentimetres: data.heightCentimetres = nil
            case .lastPeriod: data.lastPeriod = nil
            case .restingPulse: data.restingPulse = nil
            case .maximumPulse: data.maximumPulse = nil
            }
        }
        data.heightCentimetres = params.heightCentimetres ?? data.heightCentimetres
        data.conditions = params.conditions ?? data.conditions
        data.goals = params.goals ?? data.goals
        data.lastPeriod = params.lastPeriod ?? data.lastPeriod
        data.restingPulse = params.restingPulse ?? data.restingPulse
        data.maximumPulse = params.maximumPulse ?? data.maximumPulse
        if let resting = data.restingPulse, let maximum = data.maximumPulse, maximum <= resting {
            throw RPCError.invalid(
                params.maximumPulse == nil ? "restingPulse" : "maximumPulse",
                "the maximum must be above the resting heart rate")
        }
        return data
    }
}
