import Foundation
import TestSupport
import Testing
import Wire

@testable import Server

/// Something about a person that is theirs alone, or known to some.
private struct Secret: Sendable, CustomTestStringConvertible {
    let name: String
    let source: InformationSource
    /// The person reads what the app shows.
    var reads = false
    /// What comes before it in both worlds.
    var prepare: @Sendable (TwinWorld) async throws -> Void = { _ in }
    /// Makes it so.
    let begin: @Sendable (TwinWorld) async throws -> Void
    /// Makes it so no longer.
    var end: @Sendable (TwinWorld) async throws -> Void = { _ in }

    var testDescription: String { name }

    /// Parts that take equally long, each for two worlds of its own: they run side by side.
    static let parts = stride(from: 0, to: all.count, by: 5).map { Array(all[$0..<min($0 + 5, all.count)]) }

    private static let all: [Secret] = [
        Secret(name: "her app is closed", source: .presence) {
            try await $0.close()
        } end: {
            try await $0.open()
        },
        Secret(name: "she runs in private", source: .activity) { world in
            _ = try await world.run(east: 77, north: 20)
        } end: { world in
            for session in try await world.call(TrackingCurrent.self, Empty()).sessions {
                try await world.call(TrackingStop.self, .init(session: session.id))
            }
        },
        Secret(name: "it is quiet hours for her", source: .activity) { world in
            try await world.call(
                NoticesSaveSettings.self,
                .init(quietHours: QuietHours(from: "00:00", to: "23:59", timeZone: "UTC"), zones: []))
        } end: { world in
            try await world.call(NoticesSaveSettings.self, .init(quietHours: nil, zones: []))
        },
        Secret(name: "she reads her notices", source: .receipts, reads: true) { _ in },
        Secret(name: "she reads her messages", source: .receipts) { world in
            try await world.call(ChatRead.self, .init(conversation: world.target.conversation, offset: 1))
        },
        Secret(name: "she has another birthday and last name", source: .identity) { world in
            try await world.call(
                ProfileSave.self,
                .init(firstName: "Vera", lastName: "Sommerfeld", birthday: "2001-03-04", gender: .female))
        },
        Secret(name: "she writes to somebody else", source: .content) { world in
            try await world.privateMessage("meet me at nine")
        },
        Secret(name: "she saves an event", source: .activity) { world in
            try await world.call(EventsSave.self, .init(event: world.target.events[1], saved: true))
        },
        Secret(name: "she saves a place and searches", source: .content) { world in
            try await world.call(
                SavedSave.self, .init(clientId: UUID().uuidString, name: "Clinic", lat: 41.7365, lon: 12.25))
            try await world.call(SearchesNote.self, .init(text: "clinic"))
        },
        Secret(name: "she drafts an event", source: .content) { world in
            try await world.call(
                EventsCreate.self,
                .init(
                    id: UUID().uuidString, audience: .private,
                    details: EventDetails(
                        title: "Surprise", startsAt: Timestamp.now.advanced(bySeconds: 86_400), duration: 3_600,
                        place: EventPlace(name: "Roof")), publish: false))
        },
        Secret(name: "she has a private zone", source: .location) { world in
            try await world.call(
                PrivacySaveZone.self,
                .init(clientId: UUID().uuidString, name: "Home", lat: 41.7365, lon: 12.25, size: .small))
        },
        Secret(name: "she has a home location, a degree and interests", source: .location) { world in
            try await world.call(
                AccountUpdateProfile.self,
                .init(
                    degree: "Law", interests: ["running"], home: HomeLocation(lat: 41.7365, lon: 12.25, name: "Home")))
        } end: { world in
            try await world.call(
                AccountUpdateProfile.self, .init(degree: "", interests: [], removeHome: true))
        },
        Secret(name: "she looks at a stranger's share", source: .presence) { world in
            for share in try await world.call(SharingWithMe.self, .init()).shares {
                _ = try? await world.watch(share.id)
            }
        },
        // The last: the buddy sees where she is until then.
        Secret(
            name: "she has ended a share in her private zone", source: .location,
            prepare: { try await $0.shareFromHome() }
        ) { world in
            for share in try await world.call(SharingMine.self, .init()).shares {
                try await world.call(SharingStop.self, ShareParams(share: share.id))
            }
        },
    ]
}

@Suite("Two worlds that differ in one secret of a person look the same to everybody else")
struct TwinWorldAttackTests {
    @Test("No answer and no push differs, but to those whom the disclosure matrix names", arguments: Secret.parts)
    private func indifference(secrets: [Secret]) async throws {
        async let one = TwinWorld()
        async let other = TwinWorld()
        let (plain, secret) = try await (one, other)
        for world in [plain, secret] { try await world.strangerShares() }
        for trait in secrets {
            for world in [plain, secret] { try await trait.prepare(world) }
            try await trait.begin(secret)
            async let first = plain.sweep(reads: false)
            async let second = secret.sweep(reads: trait.reads)
            let (before, after) = try await (first, second)
            for relation in Relation.allCases {
                check(before[relation] ?? [], after[relation] ?? [], trait, relation)
            }
            try await checkPushes(plain, secret, trait)
            // Both are the same again.
            try await trait.begin(plain)
            if trait.reads { try await plain.acknowledge(reads: true) }
            for world in [plain, secret] { try await trait.end(world) }
        }
        await plain.stop()
        await secret.stop()
    }

    private func check(_ one: Set<Disclosure>, _ other: Set<Disclosure>, _ secret: Secret, _ relation: Relation) {
        for difference in one.symmetricDifference(other)
        where !DisclosureMatrix.allows(difference.outlet, secret.source, relation) {
            Issue.record(
                """
                \(relation) learns from \(difference.outlet) whether \(secret.name): \
                \(one.contains(difference) ? "without" : "with") it is \(difference.text.prefix(700))
                """)
        }
    }

    /// What is pushed may come late in one of them: only a difference that stays is one.
    private func checkPushes(_ one: TwinWorld, _ other: TwinWorld, _ secret: Secret) async throws {
        func differing() throws -> [(Relation, Set<Disclosure>, Set<Disclosure>)] {
            let (pushes, others) = (try one.pushes(), try other.pushes())
            return Relation.allCases.compactMap { relation in
                let (mine, theirs) = (pushes[relation] ?? [], others[relation] ?? [])
                let isLeak = mine.symmetricDifference(theirs).contains {
                    !DisclosureMatrix.allows($0.outlet, secret.source, relation)
                }
                return isLeak ? (relation, mine, theirs) : nil
            }
        }
        _ = try? await eventually("pushes are the same") { try differing().isEmpty ? true : nil }
        for (relation, mine, theirs) in try differing() { check(mine, theirs, secret, relation) }
    }
}
