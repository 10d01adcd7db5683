import Hub
import Services

/// Loads the stored campus when it differs from the one in memory.
struct CampusReloader: Sendable {
    let campus: CampusMap
    let hub: Hub
    let store: CampusStore
    /// Recomputes all visible locations, because the zones and residences of people may have changed.
    let redraw: @Sendable () async -> Void

    /// Checks the store once. While the database is unreachable, the campus in memory remains.
    /// - Returns: Whether a different campus was loaded.
    func reload() async -> Bool {
        guard let version = try? await store.version(), String(version) != campus.snapshot.info.version, version > 0,
            let snapshot = try? await store.load(),
            // A concurrent call may already have loaded a newer campus.
            snapshot.info.version != campus.snapshot.info.version
        else { return false }
        await replace(with: snapshot)
        return true
    }

    /// Checks the store, and notifies the other nodes of a new campus.
    func reloadAndNotifyNodes() async {
        if await reload() { await hub.announceCampusChange() }
    }

    /// Replaces the campus in memory.
    func replace(with snapshot: CampusMap.Snapshot) async {
        let isSame = snapshot.residences.isSame(as: campus.snapshot.residences)
        campus.replace(with: snapshot)
        await show()
        if !isSame { await redraw() }
    }

    /// Passes the present zones to the hub, which reassigns runners to zones and ends the topics of removed zones.
    func show() async {
        let zones = campus.snapshot.zones.zones
        let boxes = zones.compactMap { zone in zone.box.map { (zone.id, $0) } }
        await hub.sessions.setZones(Dictionary(boxes) { first, _ in first })
        await hub.sessions.rezone { campus.zone(at: $0) }
        await hub.endZones(except: Set(campus.snapshot.info.zones.map(\.id)))
    }
}
