import Bus
import EventLoop
import Wire

/// Who looks at a part of the map of people, and what they have. On the hub's loop only.
final class PeopleCell {
    struct Looker {
        let subscriber: any Subscriber
        let account: Int64
        /// Gets a picture of its own, without those who are blocked.
        var isApart: Bool
    }
    /// What is told of a cell.
    struct Picture: Equatable {
        var people: [PersonOnMap] = []
        /// How many more there are.
        var more = 0
    }

    private(set) var lookers: [UInt64: Looker] = [:]
    /// Those who are apart.
    private(set) var apart: Set<UInt64> = []
    /// How many connections of an account look.
    private(set) var connections: [Int64: Int] = [:]
    /// Those who get the picture of all.
    var together = SubscriberSet()
    /// Everybody there and whose they are, as of the last turn.
    var all = Picture()
    var accounts: Set<Int64> = []
    /// When that was, monotonic nanoseconds; nil before the first.
    var turn: UInt64?
    /// What they have.
    var told = Picture()
    /// What accounts have who get one of their own: all connections of one the same.
    var toldApart: [Int64: Picture] = [:]
    /// Connections that got less than that, as it was in doubt.
    var mustTell: Set<UInt64> = []
    /// What other nodes tell.
    var others: [NodeID: (people: [PersonOnMap], more: Int, heard: UInt64)] = [:]
    var subscription: BusSubscription?

    /// Shares of other nodes' people.
    var foreign: [Int64] { others.values.flatMap { $0.people.map(\.share) } }

    func insert(_ looker: Looker) {
        remove(looker.subscriber)
        lookers[looker.subscriber.subscriberID] = looker
        connections[looker.account, default: 0] += 1
        if looker.isApart { apart.insert(looker.subscriber.subscriberID) } else { together.insert(looker.subscriber) }
    }

    /// O(1).
    func remove(_ subscriber: any Subscriber) {
        let id = subscriber.subscriberID
        guard let looker = lookers.removeValue(forKey: id) else { return }
        apart.remove(id)
        mustTell.remove(id)
        together.remove(subscriber)
        let rest = (connections[looker.account] ?? 1) - 1
        connections[looker.account] = rest > 0 ? rest : nil
        if rest == 0 { toldApart[looker.account] = nil }
    }

    /// Who comes to the others gets what they get only behind what they have now.
    func set(_ id: UInt64, isApart: Bool) {
        guard let looker = lookers[id] else { return }
        lookers[id]?.isApart = isApart
        if isApart {
            apart.insert(id)
            together.remove(looker.subscriber)
        } else {
            apart.remove(id)
            toldApart[looker.account] = nil
        }
    }
}
