import Foundation
import Wire

/// A notice of the sample office.
struct SampleNotice: Sendable {
    let title: String
    let body: String
    let level: NoticeLevel
    /// Name of the zone; nil for the whole campus.
    var zone: String?
    /// Whether the visitor has read it.
    var isRead = false
    /// Seconds from the start of the demonstration until the notice is published.
    var afterSeconds = 0.0
    /// Hours until the notice expires.
    let hours: Double

    static let all: [SampleNotice] = [
        SampleNotice(
            title: "Library open until midnight",
            body: "Weaver Library stays open until midnight during the weeks of examinations.",
            level: .info, isRead: true, hours: 96),
        SampleNotice(
            title: "Campus Run: get your start number",
            body: "Numbers are at the desk of the Sports Hall, today until eight.",
            level: .info, hours: 24),
        SampleNotice(
            title: "Pitches closed for mowing",
            body: "Football and hockey pitches are closed until four. The track stays open.",
            level: .info, zone: "Sports Fields", hours: 8),
        SampleNotice(
            title: "Quad Steps East closed",
            body: "A step is loose. Use the East Ramp or the steps in the west until tomorrow.",
            level: .important, hours: 30),
        SampleNotice(
            title: "Soup of the day: pumpkin",
            body: "The Refectory serves until two. Bring your own bowl and save a euro.",
            level: .info, afterSeconds: 45, hours: 6),
    ]
}

/// Publishes the sample notices.
struct SampleNotices: Sendable {
    private static let hourSeconds = 3_600.0

    let people: SamplePeople

    /// Publishes all notices; the later ones are scheduled.
    func publish() async throws {
        let zones = try await people.office.client.call(CampusInfoGet.self, Empty()).zones
        // The visitor follows the zone of a notice, so that the list has one that is not for the whole campus.
        let followed = zones.filter { zone in SampleNotice.all.contains { $0.zone == zone.name } }
        try await people.visitor.attempt(NoticesSaveSettings.self, .init(zones: followed.map(\.id)))
        for plan in SampleNotice.all {
            let zone = plan.zone.flatMap { name in zones.first { $0.name == name } }
            if plan.zone != nil, zone == nil { continue }
            let publishAt = Timestamp.now.advanced(bySeconds: plan.afterSeconds)
            let sent = try await people.office.client.call(
                NoticesPublish.self,
                .init(
                    id: UUID().uuidString, audience: zone.map { .zone($0.id) } ?? .campus, title: plan.title,
                    body: plan.body,
                    level: plan.level, publishAt: plan.afterSeconds > 0 ? publishAt : nil,
                    expiresAt: publishAt.advanced(bySeconds: plan.hours * Self.hourSeconds)))
            if plan.isRead {
                try await people.visitor.attempt(NoticesRead.self, .init(notices: [sent.notice.number]))
            }
        }
    }
}
