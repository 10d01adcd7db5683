import Server
import Wire

/// The notation of the MethodReference article: types read off the wire types, with the names that the Protocol article gives them.
struct MethodReference {
    /// Types that have a row of their own. Of two with the same members the first gives the name.
    static var types: [(name: String, type: any Decodable.Type)] {
        [
            ("Account", Account.self), ("CampusInfo", CampusInfo.self), ("ZoneInfo", ZoneInfo.self),
            ("Session", Session.self), ("Point", TrackPoint.self), ("Runner", Runner.self),
            ("Presence", Presence.self), ("ZoneSnapshot", ZoneSnapshot.self),
            ("SessionSnapshot", SessionSnapshot.self), ("HeatmapUpdate", HeatmapUpdate.self),
            ("Person", Person.self), ("KnownPerson", KnownPerson.self), ("Conversation", Conversation.self),
            ("LastMessage", LastMessage.self), ("Member", Member.self), ("ChatEvent", ChatEvent.self),
            ("MessagePicture", MessagePicture.self), ("ChatPosition", ChatPosition.self), ("ChatAside", ChatAside.self),
            ("UserSignal", UserSignal.self), ("Profile", Profile.self), ("BuddyProfile", BuddyProfile.self),
            ("BuddyCard", BuddyCard.self), ("BuddyOption", BuddyOption.self), ("Report", Report.self),
            ("Event", Event.self), ("EventDetails", EventDetails.self), ("Goal", Goal.self),
            ("SharedLocation", SharedLocation.self), ("LocationPlace", LocationPlace.self),
            ("MyLocation", MyLocation.self), ("SharingPerson", SharingPerson.self), ("Share", Share.self),
            ("SharedWithMe", SharedWithMe.self), ("ShareSnapshot", ShareSnapshot.self),
            ("SharingReceipt", SharingReceipt.self), ("WhereRequest", WhereRequest.self),
            ("PersonOnMap", PersonOnMap.self), ("PeopleUpdate", PeopleUpdate.self), ("Notice", Notice.self),
            ("NoticeAudience", NoticeAudience.self), ("SentNotice", SentNotice.self), ("AdminUser", AdminUser.self),
            ("Place", Place.self), ("AuditEntry", AuditEntry.self), ("SavedPlace", SavedPlace.self),
            ("PrivacySettings", PrivacySettings.self), ("PrivateZone", PrivateZone.self),
            ("ReminderSettings", ReminderSettings.self),
        ]
    }

    private static var ranges: [(name: String, shape: WireShape)] {
        func bounds<Range: WireRange>(_ range: Range.Type) -> WireShape.Bounds {
            WireShape.Bounds(
                low: Range.Number.text(Range.allowed.lowerBound), high: Range.Number.text(Range.allowed.upperBound))
        }
        return [
            ("ObjectID", .whole(bounds(ObjectIDRange.self))), ("LogOffset", .whole(bounds(LogOffsetRange.self))),
            ("Revision", .whole(bounds(RevisionRange.self))), ("Count", .whole(bounds(CountRange.self))),
            ("Latitude", .number(bounds(LatitudeRange.self))), ("Longitude", .number(bounds(LongitudeRange.self))),
            ("Seconds", .number(bounds(SecondsRange.self))), ("Quantity", .number(bounds(QuantityRange.self))),
        ]
    }

    /// Members whose type reads its own form, which the recorder does not see.
    private static let ownForms = [
        "cells": "[x, y, people]", "trails": "{session: [[lat, lon]]}", "notCounted": "{reason: integer}",
    ]

    private let named: [(name: String, shape: WireShape)]
    private let choices: [(type: String, values: [String])]

    init(_ article: ProtocolArticle) throws {
        named =
            Self.types.map { ($0.name, WireShape.of($0.type)) }
            // Pushed on topics of notices: a notice, or that one was withdrawn.
            + [("NoticeEvent", WireShape.of(NoticeEvent.self))]
        choices = try article.values
    }

    /// A row for each method, then one for each type.
    var tables: String {
        let methods = MethodCatalogue.methods.map { method in
            let topic =
                method.line.firstMatch(of: /^subscribe\(topic: ([^,)]+)/).map {
                    " to `\($0.1.replacing(" or ", with: "` or `"))`"
                } ?? ""
            let result = WireShape.of(method.result)
            return "| `\(method.name)`\(topic) | `\(members(method.params))` | `\(text(result))` |"
        }
        let types = Self.types.map { "| `\($0.name)` | `\(members(WireShape.of($0.type)))` |" }
        return
            (["", "| method | parameters | result |", "|---|---|---|"] + methods
            + ["", "## Types", "", "| type | members |", "|---|---|"] + types + [""]).joined(separator: "\n")
    }

    private func text(_ shape: WireShape, _ member: String = "") -> String {
        if let known = named.first(where: { $0.shape == shape }) { return known.name }
        if let range = Self.ranges.first(where: { $0.shape == shape }) {
            // Offsets and epochs of logs have the same bounds.
            return member == "epoch" && range.name == "LogOffset" ? "LogEpoch" : range.name
        }
        return switch shape {
        case .string: "text"
        case .bool: "boolean"
        case .time: "time"
        case .whole: "integer"
        case .number: "number"
        case .choice(let values): choices.first { $0.values == values }?.type ?? values.joined(separator: " or ")
        case .array(let element): "[\(text(element, member))]"
        case .position: "[lat, lon]"
        case .object([]): Self.ownForms[member] ?? "{}"
        case .object: members(shape)
        }
    }

    private func members(_ shape: WireShape) -> String {
        guard case .object(let members) = shape else { return text(shape) }
        let parts = members.map { "\($0.name)\($0.isOptional ? "?" : ""): \(text($0.shape, $0.name))" }
        return "{\(parts.joined(separator: ", "))}"
    }
}
