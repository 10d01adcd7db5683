import Campus
import EventLoop
import HubCore
import Wire

/// Locations of people: the latest of each account that reports to this node, in memory only.
extension ShareFeed {
    /// The hub has ``ShareLimits/locationsMax`` locations already.
    public struct TooManyLocations: Error {}

    /// Begins to share locations. Call it once, before the server accepts connections.
    /// - Parameters:
    ///   - accepted: Called on the hub's loop with each accepted position, whether it is shown or not.
    public func setStore(
        _ store: any ShareStore, rules: any LocationRules = DefaultLocationRules(),
        accepted: (@Sendable (Int64, LocatedFix) -> Void)? = nil
    ) {
        registry.store = store
        registry.rules = rules
        if let accepted { registry.accepted = accepted }
    }

    /// Sets the function called on the hub's loop with each accepted position.
    public func setAccepted(_ accepted: @escaping @Sendable (Int64, LocatedFix) -> Void) {
        registry.accepted = accepted
    }

    /// Sets the function called on the hub's loop with each account whose location does not count here any more: it was cleared on any
    /// node, or another node has received a newer one.
    public func setForgotten(_ forgotten: @escaping @Sendable (Int64) -> Void) { registry.forgotten = forgotten }

    /// Applies changed rules of an account, such as a new suppression zone, to its shares at once.
    public func rulesChanged(for account: Int64) {
        for id in registry.of[account] ?? [] {
            guard let live = registry.shares[id], let held = registry.locations[account] else { continue }
            if isHidden(held.fix, of: account) { resampleNow(live) }
        }
    }

    /// Takes a location of an account from a device. Of two locations the newer counts.
    /// - Returns: The account's location, without the jitter of a resting device.
    /// - Throws: ``TooManyLocations``.
    @discardableResult
    public func locate(_ fix: LocatedFix, of account: Int64) throws -> LocatedFix {
        let now = monotonic()
        let isPin = fix.source == .manual
        if let until = registry.pinnedElsewhere[account], !isPin {
            guard until.until <= now else { return fix }
            registry.pinnedElsewhere[account] = nil
        }
        guard var held = registry.locations[account] else {
            guard registry.locations.count < ShareLimits.locationsMax else { throw TooManyLocations() }
            return hold(ReceivedLocation(fix: fix, received: now, receivedAt: serverTime), of: account, isPin: isPin)
        }
        if let until = held.pinnedUntil, until > now, !isPin {
            // The pin stays; the report only shows that its owner is there.
            held.fix.at = max(held.fix.at, fix.at)
        } else if !isPin, fix.at < held.fix.at {
            return held.fix
        } else {
            // A position in a hidden place counts as it is, however close it is to the last one outside.
            let isNew = isPin || held.pinnedUntil != nil || isHidden(fix, of: account)
            held.fix = isNew ? fix : held.fix.followed(by: fix)
            held.pinnedUntil = nil
        }
        (held.received, held.receivedAt) = (now, serverTime)
        if let elsewhere = held.elsewhere, isPin || elsewhere.receivedAt < held.receivedAt {
            (held.elsewhere, held.announced) = (nil, 0)
        }
        return hold(held, of: account, isPin: isPin)
    }

    /// Whether a position is hidden from everyone by its inaccuracy and the rules. A pin is where its owner set it, whatever a device
    /// reports.
    func isHidden(_ fix: LocatedFix, of account: Int64) -> Bool { hiddenReason(fix, of: account) != nil }

    /// Whether the current rules hide a position of an account, from whatever source.
    public func isHidden(_ position: LatLon, within metres: Double, of account: Int64) -> Bool {
        registry.rules.hidden(account, at: position, within: metres) != nil
    }

    private func hiddenReason(_ fix: LocatedFix, of account: Int64) -> MyLocation.Hidden? {
        registry.rules.hidden(account, at: fix.position, within: fix.accuracy)
    }

    private func hold(_ held: ReceivedLocation, of account: Int64, isPin: Bool) -> LocatedFix {
        var held = held
        if isPin {
            held.pinnedUntil = held.received + Duration.nanoseconds(ofSeconds: ShareLimits.pinSeconds)
            registry.pinnedElsewhere[account] = nil
        }
        registry.locations[account] = held
        if isPin { announcePin(of: account) }
        scheduleAnnouncement(of: account, held)
        registry.accepted?(account, held.fix)
        if registry.known.contains(account) {
            for id in registry.of[account] ?? [] { registry.shares[id].map { moved($0) } }
        } else {
            readShares(of: account)
        }
        scheduleSweep()
        return held.fix
    }

    /// The location of an account according to this node; nil when it has none, or another node has a newer one.
    public func location(of account: Int64) -> LocatedFix? {
        registry.locations[account].flatMap { $0.elsewhere == nil ? $0.fix : nil }
    }

    /// The location of an account in a precision, for a single delivery to others; nil when there is none, or it is hidden.
    public func shownLocation(of account: Int64, as precision: Precision) -> SharedLocation? {
        guard let held = registry.locations[account], held.elsewhere == nil, !isHidden(held.fix, of: account) else {
            return nil
        }
        var shown = registry.rules.shown(held.fix, as: precision)
        if precision != .exact {
            // Not the time of the fix: the time of a report reveals whether the device moves.
            let clock = SamplingClock(precision, secret: [])
            shown.at = held.isOld(monotonic()) ? clock.samplingTime(at: held.receivedAt) : serverTime
        }
        return shown
    }

    /// Accounts with a location at this node.
    public var locatedAccounts: [Int64] { Array(registry.locations.keys) }

    /// The location as the account itself sees it.
    public func myLocation(of account: Int64) -> MyLocation {
        let working = registry.of[account]?.compactMap { registry.shares[$0] } ?? []
        let shares = working.count { [.live, .old].contains($0.own?.state ?? .none) }
        guard let fix = registry.locations[account]?.fix else { return MyLocation(location: nil, shares: shares) }
        var shown = SharedLocation(exact: fix)
        shown.onCampus = registry.rules.shown(fix, as: .campus).onCampus
        func place(_ precision: Precision, _ kind: LocationPlace.Kind) -> LocationPlace? {
            registry.rules.shown(fix, as: precision).place.flatMap { $0.kind == kind ? $0 : nil }
        }
        return MyLocation(
            location: shown, building: place(.building, .building), zone: place(.zone, .zone),
            hidden: hiddenReason(fix, of: account), shares: shares)
    }

    /// Forgets the location of an account, here and at the other nodes. When this returns, the nodes that answer in time have forgotten
    /// it.
    public func clearLocation(of account: Int64) async {
        clearLocally(of: account)
        await askShares(.cleared(account: account))
        tickPeople { $0.person.account == account }
    }

    func clearLocally(of account: Int64) {
        forgetLocation(of: account)
        registry.forgotten?(account)
        registry.recordCleared(account, now: monotonic())
        // Also if the people came from another node.
        takeOffMap { $0.person.account == account }
    }

    /// - Parameter isSilence: The account's devices have not reported for long; no person asked to forget the location.
    func forgetLocation(of account: Int64, isSilence: Bool = false) {
        registry.pinnedElsewhere[account] = nil
        guard let held = registry.locations.removeValue(forKey: account) else { return }
        registry.known.remove(account)
        let hasOnMap = (registry.of[account] ?? []).contains { registry.shares[$0]?.share.audience == .campus }
        for id in registry.of[account] ?? [] {
            registry.shares[id].map { fallSilent($0, isSilence: isSilence) }
        }
        // If another node has a newer location, the person on the map is that node's.
        if hasOnMap, held.elsewhere == nil { takeOffMap { $0.person.account == account } }
    }

    /// Ends what this node shows of a share whose owner's location is gone. Viewers of a hidden location learn that by
    /// ``Campus/HiddenEndClock``; viewers of a coarse one, whose device has fallen silent, at its next sampling time.
    private func fallSilent(_ live: LiveShare, isSilence: Bool) {
        let state = live.own?.state
        if state == .hidden {
            live.silencePublishedAt = live.endClock.publication(of: serverTime)
        } else if isSilence, state == .live || state == .old, let last = live.share.samplingTime(before: serverTime) {
            live.silencePublishedAt = last.advanced(bySeconds: Double(live.share.precision.samplingSeconds))
        } else {
            withdraw(live)
        }
    }

    /// Withdraws the location that this node shows for a share.
    func withdraw(_ live: LiveShare) {
        // Replaces this node's location at other nodes, and no other node's.
        live.own = .none(of: live.share)
        (live.sampledAt, live.sourceFix) = (nil, nil)
        registry.move(live, to: nil)
        send(live)
        live.own = nil
        publishShown(live)
    }

    /// Reads the shares of an account that reports to this node.
    func readShares(of account: Int64) {
        guard let store = registry.store, registry.reading.insert(account).inserted else { return }
        Task {
            let found = try? await store.shares(of: account)
            registry.reading.remove(account)
            // If PostgreSQL does not answer, the next report repeats the read.
            guard let found, registry.locations[account] != nil else { return }
            registry.known.insert(account)
            for share in found where !registry.ended.contains(share.id) { moved(adopt(share)) }
        }
    }

    /// Forgets locations without a recent report. By the monotonic clock.
    func sweepLocations(_ now: UInt64) {
        let kept = Duration.nanoseconds(ofSeconds: ShareLimits.keptSeconds)
        for (account, held) in registry.locations {
            // The other node has not announced the location for ``ShareLimits/keptSeconds``, so that it has forgotten it as well.
            if let elsewhere = held.elsewhere, now > elsewhere.last + kept {
                registry.locations[account]?.elsewhere = nil
            }
            if now > max(held.received + kept, held.pinnedUntil ?? 0) {
                forgetLocation(of: account, isSilence: true)
            }
        }
        for (account, until) in registry.pinnedElsewhere where until.until <= now {
            registry.pinnedElsewhere[account] = nil
        }
    }
}

extension ShareFeed {
    /// Calls ``locate(_:of:)`` from another isolation; synchronous on the hub's loop. A location for which there is no room is dropped.
    public nonisolated func post(_ fix: LocatedFix, of account: Int64) {
        let apply: @Sendable () -> Void = { [self] in _ = assumeIsolated { feed in try? feed.locate(fix, of: account) }
        }
        if loop.isCurrent { apply() } else { loop.execute(apply) }
    }
}
