import Wire

/// A subscriber as presence sees it.
struct Attendee {
    /// Nil for a guest, who is never named.
    let account: WatchingAccount?
    /// False for whom the topic belongs to: an owner is no spectator.
    let isCounted: Bool
    /// May see the names of those who are signed in.
    let seesNames: Bool
}

/// Who watches one topic: the people here, and what other nodes say of theirs. Confined to the hub.
struct Gathering {
    private struct Here {
        let account: WatchingAccount
        var connections: Int
    }

    private var seats: [UInt64: Attendee] = [:]
    /// In the order in which they came, but for those that took the place of one who left: the names that are told stay the same
    /// as long as they can.
    private var here: [Here] = []
    private var places: [Int64: Int] = [:]
    private var guests = 0

    private var remote: [UInt64: PresenceReport] = [:]
    /// Accounts that other nodes name, each once.
    private var elsewhere: [Int64: String] = [:]
    /// Of these, how many are here as well.
    private var inBoth = 0
    private var accountsUncounted = 0
    private var guestsElsewhere = 0

    /// Those who see names, and those who do not: what is told is encoded once for each.
    private(set) var named = SubscriberSet()
    private(set) var unnamed = SubscriberSet()
    private var toldNamed: Presence?
    private var toldUnnamed: Presence?
    private var reported: PresenceReport?

    /// Nobody here watches, not even an owner.
    var isEmpty: Bool { seats.isEmpty }

    /// People. O(1).
    var count: Int { here.count + guests + elsewhere.count - inBoth + accountsUncounted + guestsElsewhere }

    // MARK: Those here

    /// O(1). Who watches already is somebody else from now on, having signed in.
    mutating func join(_ subscriber: any Subscriber, as attendee: Attendee) {
        leave(subscriber)
        seats[subscriber.subscriberID] = attendee
        if attendee.seesNames { named.insert(subscriber) } else { unnamed.insert(subscriber) }
        guard attendee.isCounted else { return }
        guard let account = attendee.account else { return guests += 1 }
        if let place = places[account.id] { return here[place].connections += 1 }
        places[account.id] = here.count
        here.append(Here(account: account, connections: 1))
        if elsewhere[account.id] != nil { inBoth += 1 }
    }

    /// O(1). Harmless when it did not watch.
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
        if elsewhere[account.id] != nil { inBoth -= 1 }
    }

    // MARK: Other nodes

    /// What a node says of its watchers; nil when it has none any more, or is lost. O(nodes · accounts of a report).
    mutating func setRemote(_ report: PresenceReport?, of node: UInt64) {
        remote[node] = report?.bounded
        elsewhere = [:]
        for report in remote.values {
            for account in report.accounts { elsewhere[account.id] = account.name }
        }
        inBoth = elsewhere.keys.count { places[$0] != nil }
        accountsUncounted = remote.values.reduce(0) { $0 + $1.moreAccounts }
        guestsElsewhere = remote.values.reduce(0) { $0 + $1.guests }
    }

    /// Whether a node has said anything.
    func hasRemote(_ node: UInt64) -> Bool { remote[node] != nil }

    /// What the other nodes are to know; O(``PresenceReport/accountsMax``).
    private var report: PresenceReport {
        let accounts = here.prefix(PresenceReport.accountsMax).map(\.account)
        return PresenceReport(accounts: accounts, moreAccounts: here.count - accounts.count, guests: guests)
    }

    /// What the other nodes are to know, if that is new.
    mutating func takeReport() -> PresenceReport? {
        let report = report
        guard reported != report else { return nil }
        reported = report
        return report
    }

    /// The next report is told whether it is new or not.
    mutating func forgetReport() { reported = nil }

    // MARK: What is told

    /// For one who comes now. Should it differ from what the others were told last, that is not what all know any more: the next
    /// news go to everybody, so that all end up with the same. O(1) for who sees no names.
    mutating func snapshot(seesNames: Bool) -> Presence {
        let now = seesNames ? withNames : Presence(count: count)
        if seesNames, now != toldNamed { toldNamed = nil }
        if !seesNames, now != toldUnnamed { toldUnnamed = nil }
        return now
    }

    /// What those who watch have not been told yet; nil for what is not new, and where nobody is to be told. Names are not even
    /// looked at when nobody here may see them.
    mutating func takeNews() -> (named: Presence?, unnamed: Presence?) {
        let unnamedNow = Presence(count: count)
        let namedNow = named.isEmpty ? nil : withNames
        defer { (toldNamed, toldUnnamed) = (namedNow, unnamedNow) }
        return (namedNow == toldNamed ? nil : namedNow, unnamed.isEmpty || unnamedNow == toldUnnamed ? nil : unnamedNow)
    }

    /// O(``Presence/namesMax``), and the sorting of what other nodes name.
    private var withNames: Presence {
        var names = here.prefix(Presence.namesMax).map(\.account.name)
        if names.count < Presence.namesMax, !elsewhere.isEmpty {
            let others = elsewhere.keys.filter { places[$0] == nil }.sorted()
            names += others.prefix(Presence.namesMax - names.count).compactMap { elsewhere[$0] }
        }
        let signedIn = here.count + elsewhere.count - inBoth + accountsUncounted
        return Presence(count: count, names: names.sorted(), more: signedIn - names.count)
    }
}
