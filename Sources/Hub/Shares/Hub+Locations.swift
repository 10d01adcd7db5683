import Campus
import EventLoop
import Wire

/// Where people are: the latest of each account that reports to this node, in memory only.
extension Hub {
    /// There is no room for one more.
    public struct TooManyLocations: Error {}

    /// Begins to share locations. Once, before anybody is served.
    /// - Parameters:
    ///   - accepted: Called on the hub's loop with each position that is taken, whoever it is shown to.
    public func setShares(
        _ store: any ShareStore, rules: any LocationRules = PlainRules(),
        accepted: (@Sendable (Int64, LocatedFix) -> Void)? = nil
    ) {
        board.store = store
        board.rules = rules
        if let accepted { board.accepted = accepted }
    }

    /// Other rules from now on.
    public func setLocationRules(_ rules: any LocationRules) { board.rules = rules }

    /// Called on the hub's loop with each position that is taken.
    public func setAccepted(_ accepted: @escaping @Sendable (Int64, LocatedFix) -> Void) { board.accepted = accepted }

    /// Called on the hub's loop with each account whose location was cleared, on whichever node, and each that was located here
    /// and of which another node has heard since.
    public func setForgotten(_ forgotten: @escaping @Sendable (Int64) -> Void) { board.forgotten = forgotten }

    /// A private zone or the like of an account changed: what is shown of it is looked at anew, at once.
    public func rulesChanged(for account: Int64) {
        for id in board.of[account] ?? [] {
            guard let live = board.shares[id], let held = board.locations[account] else { continue }
            if isHidden(held.fix, of: account) { lookAgain(live) }
        }
    }

    /// A device tells where its account is. Of two the newer counts.
    /// - Returns: Where the account is now, without the noise of standing still.
    /// - Throws: ``TooManyLocations``.
    @discardableResult
    public func locate(_ fix: LocatedFix, of account: Int64) throws -> LocatedFix {
        let now = monotonic()
        let isPin = fix.source == .manual
        if let until = board.pinnedElsewhere[account], !isPin {
            guard until.until <= now else { return fix }
            board.pinnedElsewhere[account] = nil
        }
        guard var held = board.locations[account] else {
            guard board.locations.count < ShareLimits.locationsMax else { throw TooManyLocations() }
            return hold(HeldLocation(fix: fix, heard: now, heardAt: serverTime), of: account, isPin: isPin)
        }
        if let until = held.pinnedUntil, until > now, !isPin {
            // The pin stays, and what comes says that its owner is there.
            held.fix.at = max(held.fix.at, fix.at)
        } else if !isPin, fix.at < held.fix.at {
            return held.fix
        } else {
            // Whoever came into the dark is there, however near to the street they stood before.
            let isNew = isPin || held.pinnedUntil != nil || isHidden(fix, of: account)
            held.fix = isNew ? fix : held.fix.followed(by: fix)
            held.pinnedUntil = nil
        }
        (held.heard, held.heardAt) = (now, serverTime)
        if let elsewhere = held.elsewhere, isPin || elsewhere.heardAt < held.heardAt {
            (held.elsewhere, held.told) = (nil, 0)
        }
        return hold(held, of: account, isPin: isPin)
    }

    /// Whether it is told to nobody. A pin is where its owner says, whatever a device knows.
    func isHidden(_ fix: LocatedFix, of account: Int64) -> Bool { hiddenWhy(fix, of: account) != nil }

    /// Whether a position of an account is hidden by the rules of now, wherever it came from.
    public func isHidden(_ position: LatLon, within metres: Double, of account: Int64) -> Bool {
        board.rules.hidden(account, at: position, within: metres) != nil
    }

    private func hiddenWhy(_ fix: LocatedFix, of account: Int64) -> MyLocation.Hidden? {
        board.rules.hidden(account, at: fix.position, within: fix.accuracy)
    }

    private func hold(_ held: HeldLocation, of account: Int64, isPin: Bool) -> LocatedFix {
        var held = held
        if isPin {
            held.pinnedUntil = held.heard + Duration.nanoseconds(ofSeconds: ShareLimits.pinSeconds)
            board.pinnedElsewhere[account] = nil
        }
        board.locations[account] = held
        if isPin { tellPin(of: account) }
        tellSoon(of: account, held)
        board.accepted?(account, held.fix)
        if board.known.contains(account) {
            for id in board.of[account] ?? [] { board.shares[id].map { moved($0) } }
        } else {
            readShares(of: account)
        }
        sweepShares()
        return held.fix
    }

    /// Where an account is, by what this node was told; nil when nothing is known.
    public func location(of account: Int64) -> LocatedFix? {
        board.locations[account].flatMap { $0.elsewhere == nil ? $0.fix : nil }
    }

    /// The same, as others may see it once.
    public func shownLocation(of account: Int64, as precision: Precision) -> SharedLocation? {
        guard let held = board.locations[account], held.elsewhere == nil, !isHidden(held.fix, of: account) else {
            return nil
        }
        var shown = board.rules.shown(held.fix, as: precision)
        if precision != .exact {
            // Not the fix's own time: when a device reported says whether it moves.
            let clock = LookClock(precision, secret: [])
            shown.at = held.isOld(monotonic()) ? clock.look(at: held.heardAt) : serverTime
        }
        return shown
    }

    /// What the account itself is told.
    public func myLocation(of account: Int64) -> MyLocation {
        let working = board.of[account]?.compactMap { board.shares[$0] } ?? []
        let shares = working.count { [.live, .old].contains($0.own?.state ?? .none) }
        guard let fix = board.locations[account]?.fix else { return MyLocation(location: nil, shares: shares) }
        var shown = SharedLocation(exact: fix)
        shown.onCampus = board.rules.shown(fix, as: .campus).onCampus
        func place(_ precision: Precision, _ kind: LocationPlace.Kind) -> LocationPlace? {
            board.rules.shown(fix, as: precision).place.flatMap { $0.kind == kind ? $0 : nil }
        }
        return MyLocation(
            location: shown, building: place(.building, .building), zone: place(.zone, .zone),
            hidden: hiddenWhy(fix, of: account), shares: shares)
    }

    /// Forgets where an account is, here and at the other nodes. When it returns they have, as far as they answer.
    public func clearLocation(of account: Int64) async {
        clearLocally(of: account)
        await askShares(.cleared(account: account))
        tickPeople { $0.person.account == account }
    }

    func clearLocally(of account: Int64) {
        forgetLocation(of: account)
        board.forgotten?(account)
        board.noteCleared(account, now: monotonic())
        // Also where another node has it.
        takeOffMap { $0.person.account == account }
    }

    /// - Parameter isSilence: Its devices have not reported for long, and nobody asked for it.
    func forgetLocation(of account: Int64, isSilence: Bool = false) {
        board.pinnedElsewhere[account] = nil
        guard let held = board.locations.removeValue(forKey: account) else { return }
        board.known.remove(account)
        let hasOnMap = (board.of[account] ?? []).contains { board.shares[$0]?.share.audience == .campus }
        for id in board.of[account] ?? [] {
            board.shares[id].map { fallSilent($0, isSilence: isSilence) }
        }
        // What is on it of one that another node has is that one's.
        if hasOnMap, held.elsewhere == nil { takeOffMap { $0.person.account == account } }
    }

    /// Ends what this node tells of a share, whose owner's location is gone. Viewers of a hidden one learn that by
    /// ``Campus/HiddenEndClock``, those of a coarse one whose device fell silent at its next look.
    private func fallSilent(_ live: LiveShare, isSilence: Bool) {
        let state = live.own?.state
        if state == .hidden {
            live.silentAt = live.endClock.publication(of: serverTime)
        } else if isSilence, state == .live || state == .old, let last = live.share.look(before: serverTime) {
            live.silentAt = last.advanced(bySeconds: Double(live.share.precision.lookSeconds))
        } else {
            withdraw(live)
        }
    }

    /// Tells nothing of it any more by this node's location.
    func withdraw(_ live: LiveShare) {
        // Takes the place of what this node told of it, and of nothing that another one tells.
        live.own = .none(of: live.share)
        (live.lookedAt, live.shownFrom) = (nil, nil)
        board.move(live, to: nil)
        send(live)
        live.own = nil
        tellViewers(live)
    }

    /// Who reports here has shares that this node does not know yet.
    func readShares(of account: Int64) {
        guard let store = board.store, board.reading.insert(account).inserted else { return }
        Task {
            let found = try? await store.shares(of: account)
            board.reading.remove(account)
            // When PostgreSQL does not answer: with the next report.
            guard let found, board.locations[account] != nil else { return }
            board.known.insert(account)
            for share in found where !board.ended.contains(share.id) { moved(adopt(share)) }
        }
    }

    /// What nobody told for long is forgotten. By the monotonic clock.
    func sweepLocations(_ now: UInt64) {
        let kept = Duration.nanoseconds(ofSeconds: ShareLimits.keptSeconds)
        for (account, held) in board.locations {
            // What another node has not told for so long, it has forgotten as well.
            if let elsewhere = held.elsewhere, now > elsewhere.last + kept { board.locations[account]?.elsewhere = nil }
            if now > max(held.heard + kept, held.pinnedUntil ?? 0) {
                forgetLocation(of: account, isSilence: true)
            }
        }
        for (account, until) in board.pinnedElsewhere where until.until <= now { board.pinnedElsewhere[account] = nil }
    }
}

extension Hub {
    /// As ``locate(_:of:)``, from another isolation; on the hub's loop it is done at once. What there is no room for is left out.
    public nonisolated func post(_ fix: LocatedFix, of account: Int64) {
        let tell: @Sendable () -> Void = { [self] in _ = assumeIsolated { hub in try? hub.locate(fix, of: account) } }
        if loop.isCurrent { tell() } else { loop.execute(tell) }
    }
}
