import Campus
import Foundation
import Wire

/// Shares locations of the sample people and keeps reporting them.
struct SampleShares: Sendable {
    /// Interval between two reports of a person.
    static let reportInterval = Duration.seconds(5)
    /// Duration of a share; the longest that the server accepts.
    static let shareSeconds = 86_400.0
    /// Number of reports after which the shares are extended: about an hour.
    static let reportsPerExtension = 720
    /// Walking speed in m/s.
    private static let walkingSpeed = 1.4
    /// Accuracy of a report in metres.
    private static let accuracy = 6.0
    /// Duration of the visitor's past share in seconds; it ends earlier.
    private static let pastShareSeconds = 3_600.0

    let people: SamplePeople
    let places: SamplePlaces

    /// Reports the first locations, starts all shares, and asks the visitor where they are.
    func start() async throws {
        for plan in SampleSharePlan.all {
            try await report(plan, metres: start(of: plan))
            try await share(plan)
        }
        let visitor = people.visitor
        // A past share with its receipt, and a question that the visitor may answer.
        if let share = try await visitor.attempt(
            SharingStart.self,
            .init(
                clientId: UUID().uuidString, audience: .person, account: people.students[0].account.id,
                precision: .building, expiresIn: Self.pastShareSeconds))
        {
            try await visitor.attempt(SharingStop.self, .init(share: share.share.id))
        }
        try await people.students[1].attempt(
            SharingAsk.self, .init(clientId: UUID().uuidString, account: visitor.account.id))
    }

    /// Reports locations until the task is cancelled.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for plan in SampleSharePlan.all { group.addTask { try await keepReporting(plan) } }
            try await group.waitForAll()
        }
    }

    private func keepReporting(_ plan: SampleSharePlan) async throws {
        var (metres, reports) = (start(of: plan), 0)
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.reportInterval)
            metres += Self.walkingSpeed * Double(Self.reportInterval.components.seconds)
            try await report(plan, metres: metres)
            reports += 1
            if reports.isMultiple(of: Self.reportsPerExtension) { try await extend(plan) }
        }
    }

    private func report(_ plan: SampleSharePlan, metres: Double) async throws {
        guard let point = point(plan.movement, metres: metres) else { return }
        var speed: Double?
        if case .walks = plan.movement { speed = Self.walkingSpeed }
        try await people.students[plan.student].attempt(
            LocationReport.self,
            .init(lat: point.lat, lon: point.lon, accuracy: Self.accuracy, source: .gps, speed: speed))
    }

    /// People begin at different points of their courses.
    private func start(of plan: SampleSharePlan) -> Double { Double(plan.student) * 170 }

    private func point(_ movement: SampleSharePlan.Movement, metres: Double) -> (lat: Double, lon: Double)? {
        switch movement {
        case .stays(let name):
            return places[name].map { ($0.latitude, $0.longitude) }
        case .walks(let name):
            let line = SampleCampus.courses.first { $0.name == name }?.line ?? []
            return Course(line.map { (lat: $0.latitude, lon: $0.longitude) })?.position(at: metres)
        }
    }

    private func share(_ plan: SampleSharePlan) async throws {
        let person = people.students[plan.student]
        var params = SharingStart.Params(
            clientId: UUID().uuidString, audience: .campus, precision: plan.precision, expiresIn: Self.shareSeconds)
        switch plan.audience {
        case .nobody: return
        case .campus: break
        case .visitor:
            params.audience = .person
            params.account = people.visitor.account.id
        case .group(let name):
            let list = try await person.attempt(ChatList.self, Empty())?.conversations ?? []
            params.audience = .group
            params.group = list.first { $0.name == name }?.id
        }
        try await person.client.call(SharingStart.self, params)
    }

    private func extend(_ plan: SampleSharePlan) async throws {
        let person = people.students[plan.student]
        for share in try await person.attempt(SharingMine.self, Empty())?.shares ?? [] {
            try await person.attempt(SharingChange.self, .init(share: share.id, expiresIn: Self.shareSeconds))
        }
    }
}
