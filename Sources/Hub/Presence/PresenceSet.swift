import HubCore
import Wire

/// A subscriber as presence sees it.
struct PresenceMember {
    /// Nil for a guest, who is never named.
    let account: PresenceAccount?
    /// False for the owner of the topic, who is no spectator.
    let isCounted: Bool
    /// Whether the subscriber may see the names of signed-in viewers.
    let seesNames: Bool
}

/// The presence set of one topic: its viewers at this node, and the reports of other nodes. Confined to the hub.
struct PresenceSet {
    private struct Here {
        let account: PresenceAccount
        var connections: Int
    }

    private var seats: [UInt64: PresenceMember] = [:]
    /// Accounts at this node, in the order in which they came, except that the last one replaces one that left. So the published names
    /// change as little as possible.
    private var here: [Here] = []
    private var places: [Int64: Int] = [:]
    private var guests = 0

    private var remote: [UInt64: PresenceReport] = [:]
    /// Accounts that other nodes name, each once.
    private var elsewhere: [Int64: String] = [:]
    /// Number of accounts that are both in `elsewhere` and in `here`.
    private var localAndRemoteCount = 0
    private var accountsUncounted = 0
    private var guestsElsewhere = 0

    /// Subscribers that see names, and those that do not: a publication is encoded once for each set.
    private(set) var named = SubscriberSet()
    private(set) var unnamed = SubscriberSet()
    private var publishedNamed: Presence?
    private var publishedUnnamed: Presence?
    private var reported: PresenceReport?

    /// Whether nobody at this node watches, not even the owner.
    var isEmpty: Bool { seats.isEmpty }

    /// Number of people. O(1).
    var count: Int { here.count + guests + elsewhere.count - localAndRemoteCount + accountsUncounted + guestsElsewhere }

    // MARK: This node

    /// Adds a subscriber, or replaces it if it has signed in since. O(1).
    mutating func join(_ subscriber: any Subscriber, as attendee: PresenceMember) {
        leave(subscriber)
        seats[subscriber.subscriberID] = attendee
        if attendee.seesNames { named.insert(subscriber) } else { unnamed.insert(subscriber) }
        guard attendee.isCounted else { return }
        guard let account = attendee.account else { return guests += 1 }
        if let place = places[account.id] { return here[place].connections += 1 }
        places[account.id] = here.count
        here.append(Here(account: account, connections: 1))
        if elsewhere[account.id] != nil { localAndRemoteCount += 1 }
    }

    /// Removes a subscriber. Idempotent. O(1).
    mutating func leave(_ subscriber: any Subscriber) {
        guard let attendee = seats.removeValue(forKey: subscriber.subscriberID) else { return }
        if attendee.seesNames { named.remove(subscriber) } else { unnamed.remove(subscriber) }
        guard attendee.isCounted else { return }
        guard let account = attendee.account else { return guests -= 1 }
        guard let place = places[account.id] else { return }
        here[place].connections -= 1
        guard here[place].connections == 0 else { return }
        places[account.id] = nil
        let last = here.removeLast()
        if place < here.count {
            here[place] = last
            places[last.account.id] = place
        }
        if elsewhere[account.id] != nil { localAndRemoteCount -= 1 }
    }

    // MARK: Other nodes

    /// Replaces a node's report; nil when it has no viewers any more, or is lost. O(nodes · accounts of a report).
    mutating func setRemote(_ report: PresenceReport?, of node: UInt64) {
        remote[node] = report?.bounded
        elsewhere = [:]
        for report in remote.values {
            for account in report.accounts { elsewhere[account.id] = account.name }
        }
        localAndRemoteCount = elsewhere.keys.count { places[$0] != nil }
        accountsUncounted = remote.values.reduce(0) { $0 + $1.moreAccounts }
        guestsElsewhere = remote.values.reduce(0) { $0 + $1.guests }
    }

    /// Whether there is a report of a node.
    func hasRemote(_ node: UInt64) -> Bool { remote[node] != nil }

    /// The report for the other nodes. O(``PresenceReport/accountsMax``).
    private var report: PresenceReport {
        let accounts = here.prefix(PresenceReport.accountsMax).map(\.account)
        return PresenceReport(accounts: accounts, moreAccounts: here.count - accounts.count, guests: guests)
    }

    /// The report for the other nodes, if it has changed.
    mutating func takeReport() -> PresenceReport? {
        let report = report
        guard reported != report else { return nil }
        reported = report
        return report
    }

    /// Causes the next report to be sent even if it is unchanged.
    mutating func invalidateReport() { reported = nil }

    // MARK: Publications

    /// The presence for a new subscriber. If it differs from the last publication, the next publication goes to everyone, so that all
    /// subscribers end up with the same presence. O(1) without names.
    mutating func snapshot(seesNames: Bool) -> Presence {
        let now = seesNames ? withNames : Presence(count: count)
        if seesNames, now != publishedNamed { publishedNamed = nil }
        if !seesNames, now != publishedUnnamed { publishedUnnamed = nil }
        return now
    }

    /// The presence to publish; nil when it has not changed or has no receivers. Names are only computed when a subscriber may see
    /// them.
    mutating func takeChanges() -> (named: Presence?, unnamed: Presence?) {
        let unnamedNow = Presence(count: count)
        let namedNow = named.isEmpty ? nil : withNames
        defer { (publishedNamed, publishedUnnamed) = (namedNow, unnamedNow) }
        return (
            namedNow == publishedNamed ? nil : namedNow,
            unnamed.isEmpty || unnamedNow == publishedUnnamed ? nil : unnamedNow
        )
    }

    /// The presence with names. O(``Presence/namesMax``), and sorting of the names from other nodes.
    private var withNames: Presence {
        var names = here.prefix(Presence.namesMax).map(\.account.name)
        if names.count < Presence.namesMax, !elsewhere.isEmpty {
            let others = elsewhere.keys.filter { places[$0] == nil }.sorted()
            names += others.prefix(Presence.namesMax - names.count).compactMap { elsewhere[$0] }
        }
        let signedIn = here.count + elsewhere.count - localAndRemoteCount + accountsUncounted
        return Presence(count: count, names: names.sorted(), more: signedIn - names.count)
    }
}
