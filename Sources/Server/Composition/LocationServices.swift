import EventLoop
import Hub
import Postgres
import Services
import Wire

/// The services that handle locations, and the suppression rules that all of them follow.
struct LocationServices: Sendable {
    let clock: ServerClock
    let rules: PrivacyRules
    let tracking: Tracking
    let heatmap: Heatmap
    let personalPlaces: PersonalPlaces
    let privacy: Privacy
    let watch: CampusReloader
    /// Called after the suppression rules of an account have changed: recomputes or removes everything that shows the account here.
    let rulesChanged: @Sendable (Int64) async -> Void

    static func make(
        _ core: CoreServices, loop: EventLoop, _ clients: DatabaseClients
    ) async throws -> LocationServices {
        let (pool, hub, campus) = (clients.pool, core.hub, core.campus)
        let rules = PrivacyRules(loop: loop, database: pool, campus: campus)
        let clock = ServerClock()
        let tracking = Tracking(
            loop: loop, database: pool, writer: clients.points, hub: hub, campus: campus, rules: rules, clock: clock)
        await hub.shares.setStore(ShareTable(database: pool), rules: rules)
        await tracking.setLocated { hub.shares.post($1, of: $0) }
        rules.setLoaded { await tracking.redraw($0) }
        let heatmap = try await Heatmap.make(
            loop: loop, database: pool, hub: hub, members: HeatmapByRules(rules: rules))
        let personalPlaces = PersonalPlaces(loop: loop, database: pool)
        // The fastest step comes first.
        let rulesChanged: @Sendable (Int64) async -> Void = { account in
            heatmap.forget(account: account)
            await personalPlaces.forgetStay(of: account)
            await hub.shares.rulesChanged(for: account)
            await tracking.redraw(account)
        }
        let watch = CampusReloader(campus: campus, hub: hub, store: core.campusStore) {
            for account in await hub.shares.locatedAccounts {
                heatmap.forget(account: account)
                await personalPlaces.forgetStay(of: account)
                await hub.shares.rulesChanged(for: account)
                await Task.yield()
            }
            await tracking.redrawAll()
        }
        let privacy = Privacy(
            loop: loop, database: pool, rules: rules,
            forget: { try await personalPlaces.forget($0, but: $1, $2) },
            changed: { account in
                await hub.announcePrivacyChange(of: account)
                await rulesChanged(account)
                await hub.signals.publish([AccountSignal(account, UserSignal(type: .privacy))], by: 0)
            })
        await connectLocations(hub, campus, rules, heatmap, personalPlaces)
        return LocationServices(
            clock: clock, rules: rules, tracking: tracking, heatmap: heatmap, personalPlaces: personalPlaces,
            privacy: privacy, watch: watch, rulesChanged: rulesChanged)
    }

    /// Accepted locations count in the heatmap and in visits, as far as the account consents.
    private static func connectLocations(
        _ hub: Hub, _ campus: CampusMap, _ rules: PrivacyRules, _ heatmap: Heatmap, _ personalPlaces: PersonalPlaces
    ) async {
        await hub.shares.setAccepted { account, fix in
            heatmap.note(account: account, position: fix.position, accuracy: fix.accuracy)
            guard rules.keepsVisits(account), fix.accuracy <= PersonalPlaces.accuracyMax else { return }
            let isHidden = rules.hidden(account, at: fix.position, within: fix.accuracy) != nil
            let place = isHidden ? nil : campus.snapshot.ladder.building(at: fix.point)
            Task { await personalPlaces.isAt(place, account) }
        }
        await hub.shares.setForgotten { heatmap.forget(account: $0) }
    }
}
