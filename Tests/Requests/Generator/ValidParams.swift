import APIDescription
import Foundation
import Server
import Wire

/// Makes parameters that a service takes, of a method's shape: members are known by name, objects come from the pool.
///
/// A member that is not known here gets a plain value of its type, so a new method is called as soon as it is declared.
public struct ValidParams: Sendable {
    /// Everybody's objects.
    public let pool: ObjectPool
    /// The caller's objects: most methods refuse those of others.
    public let own = ObjectPool()
    /// The caller's account, as JSON.
    public var account = "1"
    /// The caller's username.
    public var username = "nobody"

    /// Makes an empty one.
    public init(pool: ObjectPool) { self.pool = pool }

    /// Parameters of a method.
    public func make<G: RandomNumberGenerator>(_ method: MethodCatalogue.Method, using generator: inout G) -> JSONTree {
        var tree = value("", method.params, method.name, using: &generator)
        for (path, text) in Self.fitting(method.name, self, using: &generator) {
            tree = tree.changed(text.map { .replace($0) } ?? .remove, at: path.map { .member($0) }[...])
        }
        return tree
    }

    private func value<G: RandomNumberGenerator>(
        _ name: String, _ shape: WireShape, _ method: String, using generator: inout G
    ) -> JSONTree {
        switch shape {
        case .bool: return .raw(Bool.random(using: &generator) ? "true" : "false")
        case .string: return .raw(string(name, method, using: &generator))
        case .time: return .raw(time(name, using: &generator))
        case .choice(let names): return .raw(JSONTree.quoted(names.randomElement(using: &generator) ?? ""))
        case .whole(let bounds): return .raw(whole(name, bounds, method, using: &generator))
        case .number: return .raw(number(name, using: &generator))
        case .position: return .array([.raw(number("lat", using: &generator)), .raw(number("lon", using: &generator))])
        case .array(let element):
            let count = name == "route" || name == "points" ? 3 : 1
            return .array((0..<count).map { _ in value(name, element, method, using: &generator) })
        case .object(let members):
            var made: [(name: String, value: JSONTree)] = []
            for member in members where !member.isOptional || Int.random(in: 0..<5, using: &generator) > 1 {
                made.append((member.name, value(member.name, member.shape, method, using: &generator)))
            }
            return .object(made)
        }
    }

    // MARK: Objects

    /// Learns what a reply names.
    public func learn(_ method: String, _ result: [String: Any]) {
        pool.learn(method, result)
        if !Self.listsOfEverybody.contains(method) { own.learn(method, result) }
    }

    private static let listsOfEverybody: Set<String> = ["events.list", "events.suggested", "places.list"]

    /// An object of a kind, mostly one of the caller's.
    private func one(_ kind: String, using generator: inout some RandomNumberGenerator) -> String? {
        let isOwn = Int.random(in: 0..<4, using: &generator) > 0
        return (isOwn ? own.one(kind, using: &generator) : nil) ?? pool.one(kind, using: &generator)
    }

    // MARK: By name

    private func string<G: RandomNumberGenerator>(_ name: String, _ method: String, using generator: inout G) -> String
    {
        switch name {
        case "id", "clientId": return JSONTree.quoted(Self.uuid(using: &generator))
        case "topic": return JSONTree.quoted(topic(method, using: &generator))
        case "token" where method == "account.accept": return one("welcome", using: &generator) ?? #""none""#
        case "share", "token": return one("linkToken", using: &generator) ?? #""none""#
        case "username":
            return method == "account.register" || method == "admin.addUser" || method == "admin.editUser"
                ? JSONTree.quoted(Self.name(using: &generator))
                : one("username", using: &generator) ?? #""nobody""#
        case "email" where method == "account.login": return JSONTree.quoted("\(username)@example.org")
        case "email": return JSONTree.quoted(Self.name(using: &generator) + "@example.org")
        case "password": return #""Secret123""#
        case "birthday": return #""2001-05-17""#
        case "timeZone": return #""Asia/Singapore""#
        case "from", "to": return #""22:00""#
        case "code": return #""123456""#
        case "endpoint": return #""https://localhost/0123""#
        // RFC 8291 §5.
        case "p256dh":
            return #""BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4""#
        case "auth": return #""BTBZMqHH6r4Tts7J_aSIgg""#
        case "workout": return #""run""#
        case "class": return #""cafe""#
        case "destination": return #""place/\#(one("place", using: &generator) ?? "1")""#
        case "website": return #""https://example.org/""#
        case "ref": return JSONTree.quoted(Self.name(using: &generator))
        case "type": return #""Polygon""#
        case "before": return one("historyCursor", using: &generator) ?? #""1795000000000.1""#
        case "picture": return one("picture", using: &generator) ?? JSONTree.quoted(Self.uuid(using: &generator))
        case "address": return #""nobody@example.org""#
        case "times": return #""monMorning""#
        case "text", "body", "description", "note": return #""two\nlines""#
        default:
            return ["\"Morning run\"", #""Caf\u00e9 \ud83d\ude00""#, "\"x\""]
                .randomElement(using: &generator) ?? "\"x\""
        }
    }

    private func topic<G: RandomNumberGenerator>(_ method: String, using generator: inout G) -> String {
        func one(_ kind: String) -> String { self.one(kind, using: &generator) ?? "1" }
        let reliable = ["campus/notices", "test/3", "zone/\(one("zone"))/notices"]
        guard method != "topic.history" else { return reliable.randomElement(using: &generator) ?? "" }
        guard method != "test.publish" else { return "test/\(Int.random(in: 1...9, using: &generator))" }
        let all =
            reliable + [
                "notices", "heatmap", "zone/\(one("zone"))/positions", "session/\(one("session"))",
                "chat/\(one("conversation"))", "user/\(account)", "share/\(one("share"))", "people/34224/21794",
            ]
        return all.randomElement(using: &generator) ?? ""
    }

    private func whole<G: RandomNumberGenerator>(
        _ name: String, _ bounds: WireShape.Bounds?, _ method: String, using generator: inout G
    ) -> String {
        let known: String? =
            switch name {
            case "event": one("event", using: &generator)
            case "notice", "notices": one("notice", using: &generator)
            case "conversation", "group", "groups": one("conversation", using: &generator)
            case "session": one("session", using: &generator)
            case "share": one("share", using: &generator)
            case "request": one("request", using: &generator)
            case "place": one("place", using: &generator)
            case "zone", "zones":
                one(method.hasPrefix("privacy.") ? "privateZone" : "zone", using: &generator)
            case "account", "accounts", "invite":
                one(Self.harmsAccounts(method) ? "spare" : "account", using: &generator)
            case "link": one("link", using: &generator)
            case "report": one("report", using: &generator)
            case "device": one("device", using: &generator)
            case "id": one(method.hasPrefix("searches.") ? "search" : "saved", using: &generator)
            case "offset", "message", "messages", "reply": one("offset", using: &generator)
            case "epoch": one("epoch", using: &generator)
            case "before": "\(Int.random(in: 1...1_000, using: &generator))"
            case "limit": "\(Int.random(in: 1...20, using: &generator))"
            case "revision": "\(Int.random(in: 1...3, using: &generator))"
            case "capacity": "\(Int.random(in: 1...5, using: &generator))"
            case "leads": "60"
            case "unreadMinutes": "30"
            case "seq": "\(Int.random(in: 1...1_000_000, using: &generator))"
            default: nil
            }
        return known ?? bounds.map(\.low).flatMap { $0 == "0" ? "1" : $0 } ?? "1"
    }

    /// What would end the accounts that the others use.
    private static func harmsAccounts(_ method: String) -> Bool {
        method.hasPrefix("admin.") && method != "admin.user" && method != "admin.audit"
    }

    private func number<G: RandomNumberGenerator>(_ name: String, using generator: inout G) -> String {
        func between(_ range: ClosedRange<Double>) -> String { "\(Double.random(in: range, using: &generator))" }
        return switch name {
        case "lat": between(51.496...51.504)
        case "lon": between(7.994...8.006)
        case "zoom": "16"
        case "expiresIn", "duration": "3600"
        case "seconds": "60"
        case "accuracy": "8"
        case "metres": "500"
        case "kilometres": "20"
        case "speed": "3"
        case "heading": "90"
        case "altitude": "15"
        default: "1"
        }
    }

    private func time<G: RandomNumberGenerator>(_ name: String, using generator: inout G) -> String {
        let seconds: Double =
            switch name {
            case "startsAt": Double.random(in: 3_600...864_000, using: &generator)
            case "publishAt": 3_600
            case "expiresAt": 86_400
            case "to": 2_592_000
            case "startedAt", "time", "at": -1
            default: 0
            }
        return JSONTree.quoted(Timestamp.now.advanced(bySeconds: seconds).description)
    }

    static func uuid(using generator: inout some RandomNumberGenerator) -> String {
        let digits = (0..<32).map { _ in String(Int.random(in: 0..<16, using: &generator), radix: 16) }.joined()
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits.dropFirst($0.lowerBound).prefix($0.count) }
        return parts.joined(separator: "-")
    }

    static func name(using generator: inout some RandomNumberGenerator) -> String {
        "u" + String(String(UInt64.random(in: 0 ... .max, using: &generator), radix: 36).suffix(11))
    }

    // MARK: What belongs together

    /// Members that depend on each other. A nil value removes the member.
    private static func fitting<G: RandomNumberGenerator>(
        _ method: String, _ valid: ValidParams, using generator: inout G
    ) -> [([String], String?)] {
        func one(_ kind: String) -> String? { valid.one(kind, using: &generator) }
        func pick(_ texts: [String]) -> String { texts.randomElement(using: &generator) ?? "null" }
        switch method {
        case "sharing.start":
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                return [
                    (["audience"], #""campus""#), (["username"], nil), (["account"], nil), (["group"], nil),
                    (["session"], nil),
                ]
            case 1:
                return [
                    (["audience"], #""link""#), (["username"], nil), (["account"], nil), (["group"], nil),
                    (["session"], nil),
                ]
            case 2:
                return [
                    (["audience"], #""group""#), (["username"], nil), (["account"], nil),
                    (["group"], one("conversation") ?? "1"), (["session"], nil),
                ]
            default:
                return [
                    (["audience"], #""person""#), (["username"], one("username") ?? #""x""#), (["account"], nil),
                    (["group"], nil), (["session"], nil),
                ]
            }
        case "sharing.ask": return [(["username"], one("username") ?? #""x""#), (["account"], nil)]
        case "notices.publish", "notices.preview":
            let audience = pick([
                #"{"kind":"campus"}"#, #"{"kind":"zone","zone":\#(one("zone") ?? "1")}"#,
                #"{"kind":"role","role":"student"}"#, #"{"kind":"event","event":\#(one("event") ?? "1")}"#,
                #"{"kind":"user","account":\#(one("account") ?? "1")}"#,
            ])
            return [(["audience"], audience), (["expiresAt"], nil)]
        case "notices.correct": return [(["expiresAt"], nil)]
        case "events.create":
            return [
                (["audience"], pick([#""public""#, #""private""#])), (["publish"], pick(["true", "true", "false"])),
            ]
        case "events.update":
            guard let event = valid.own.one("event", using: &generator) else { return [] }
            let revision = valid.own.one("revision of \(event)", using: &generator) ?? "1"
            return [(["event"], event), (["revision"], revision)]
        case "account.updateProfile":
            return [
                (["username"], nil), (["picture"], nil), (["removePicture"], nil), (["removeHome"], nil),
                (["interests"], #"["running"]"#),
            ]
        // Sessions and shares start.
        case "account.saveSettings": return [(["location"], "true")]
        case "account.delete": return [(["username"], JSONTree.quoted(valid.username))]
        case "sharing.respond": return [(["share"], one("invitation") ?? "1")]
        case "events.list": return [(["which"], #""all""#), (["after"], nil)]
        case "positions.view": return [(["box"], "[51.49,7.98,51.51,8.02]"), (["zoom"], "16")]
        case "tracking.start": return [(["clock"], nil), (["startedAt"], nil)]
        case "buddies.agree": return [(["version"], "1")]
        case "buddies.save":
            return [
                "picture", "times", "goals", "strengths", "styles", "places", "traits", "desiredTraits",
                "desiredStyles",
            ]
            .map { ([$0], $0 == "picture" ? nil : "[]") }
        case "safety.report": return [(["conversation"], nil), (["messages"], nil), (["event"], nil)]
        case "chat.send": return [(["picture"], nil), (["reply"], nil)]
        case "admin.savePlace": return [(["place"], nil)]
        case "admin.saveZone":
            return [
                (["zone"], nil),
                (["polygon"], #"{"type":"Polygon","coordinates":[[[8,51.5],[8.005,51.5],[8.005,51.504],[8,51.5]]]}"#),
            ]
        case "saved.save", "privacy.saveZone":
            return [([method == "saved.save" ? "id" : "zone"], nil), (["place"], nil)]
        case "saved.remove", "searches.erase": return []
        case "account.register": return [(["simulationKey"], nil)]
        case "hello": return [(["token"], nil)]
        case "notices.saveSettings":
            return [(["quietHours"], pick(["null", #"{"from":"22:00","to":"07:00","timeZone":"Asia/Singapore"}"#]))]
        default: return valid.fittingTraining(method, using: &generator) ?? []
        }
    }
}
