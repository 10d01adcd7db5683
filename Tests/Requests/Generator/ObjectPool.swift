import Foundation
import Synchronization

/// The objects that requests have made, by kind: what later requests refer to. From any thread.
public final class ObjectPool: Sendable {
    /// Of one kind; the oldest goes.
    private static let objectsMax = 64

    private let objects = Mutex<[String: [String]]>([:])

    /// Makes an empty one.
    public init() {}

    /// Adds an object's number or name, as JSON.
    public func add(_ kind: String, _ json: String) {
        objects.withLock { objects in
            var known = objects[kind] ?? []
            guard !known.contains(json) else { return }
            known.append(json)
            if known.count > Self.objectsMax { known.removeFirst() }
            objects[kind] = known
        }
    }

    /// Of a kind that has one object at a time.
    private func replace(_ kind: String, _ json: String?) {
        objects.withLock { $0[kind] = json.map { [$0] } }
    }

    /// One of a kind; nil when there is none.
    public func one(_ kind: String, using generator: inout some RandomNumberGenerator) -> String? {
        objects.withLock { $0[kind]?.randomElement(using: &generator) }
    }

    /// How many there are of each kind.
    public var counts: [String: Int] { objects.withLock { $0.mapValues(\.count) } }

    /// Learns what a reply names.
    /// - Parameters:
    ///   - method: Which was called.
    ///   - result: The reply's result.
    public func learn(_ method: String, _ result: [String: Any]) {
        func number(_ path: String...) -> String? {
            var value: Any? = result
            for name in path { value = (value as? [String: Any])?[name] }
            if let text = value as? String { return JSONTree.quoted(text) }
            return (value as? NSNumber).map { "\($0)" }
        }
        func learn(_ kind: String, _ json: String?) { if let json { add(kind, json) } }
        switch method {
        case "events.create", "events.update", "events.publish":
            guard let event = number("id") else { return }
            add("event", event)
            replace("revision of \(event)", number("revision"))
        case "events.list", "events.suggested":
            for event in result["events"] as? [[String: Any]] ?? [] {
                if let id = event["id"] as? NSNumber { add("event", "\(id)") }
            }
        case "notices.publish": learn("notice", number("notice", "number"))
        case "group.create": learn("conversation", number("conversation"))
        case "buddies.decide": learn("conversation", number("conversation"))
        case "chat.send":
            learn("offset", number("offset"))
            learn("epoch", number("epoch"))
        case "tracking.start": learn("session", number("session", "id"))
        case "tracking.link":
            learn("link", number("link", "id"))
            learn("linkToken", number("link", "token"))
        case "tracking.history": learn("historyCursor", number("next"))
        case "sharing.start":
            learn("share", number("share", "id"))
            learn("linkToken", number("token"))
        case "sharing.ask": learn("request", number("request", "id"))
        case "admin.savePlace": learn("place", number("id"))
        case "places.list":
            for place in (result["places"] as? [[String: Any]] ?? []).prefix(5) {
                if let id = place["id"] as? NSNumber { add("place", "\(id)") }
            }
        case "admin.saveZone": learn("zone", number("id"))
        case "safety.report": learn("report", number("report"))
        case "workouts.save", "workouts.copy": learn("workout", number("id"))
        case "training.start": learn("training", number("id"))
        case "saved.save": learn("saved", number("id"))
        case "privacy.saveZone": learn("privateZone", number("id"))
        case "searches.list":
            for search in (result["searches"] as? [[String: Any]] ?? []).prefix(5) {
                if let id = search["id"] as? NSNumber { add("search", "\(id)") }
            }
        case "account.devices":
            for device in (result["devices"] as? [[String: Any]] ?? []).suffix(2) {
                if let id = device["id"] as? NSNumber { add("device", "\(id)") }
            }
        case "admin.addUser", "admin.welcomeUser":
            learn("spare", number("user", "id"))
            learn(
                "welcome", (result["path"] as? String)?.split(separator: "/").last.map { JSONTree.quoted(String($0)) })
        case "sharing.withMe":
            for share in (result["invitations"] as? [[String: Any]] ?? []).prefix(5) {
                if let id = share["id"] as? NSNumber { add("invitation", "\(id)") }
            }
        default: break
        }
    }
}
