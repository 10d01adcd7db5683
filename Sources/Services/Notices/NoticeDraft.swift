import Wire

/// Validated text of a notice.
struct NoticeDraft: Sendable {
    /// Largest length of a title.
    static let titleCharactersMax = TextLimit.noticeTitle.max
    /// Largest length of a body.
    static let bodyCharactersMax = TextLimit.noticeBody.max
    /// Largest number of days until publication, and from publication to expiry.
    static let daysMax = 365.0

    let title: String
    let body: String?

    /// - Throws: ``Wire/RPCError`` with the invalid field.
    init(title: String, body: String?) throws {
        self.title = try Inputs.name(
            Inputs.composed(title, charactersMax: Self.titleCharactersMax), "title",
            charactersMax: Self.titleCharactersMax)
        let text = try Inputs.text(
            Inputs.composed(body, charactersMax: Self.bodyCharactersMax), "body",
            charactersMax: Self.bodyCharactersMax, isAllowed: Inputs.isLayout)
        self.body = LineFault.isVisible(text) ? text : nil
    }

    /// Default validity of a notice in seconds.
    static func seconds(of level: NoticeLevel) -> Double {
        switch level {
        case .emergency: 86_400
        case .important: 7 * 86_400
        case .info: 30 * 86_400
        }
    }

    /// Validated time of publication; times in the past become the current time.
    static func publication(_ time: Timestamp?, now: Timestamp) throws -> Timestamp {
        let time = max(time ?? now, now)
        guard time.seconds(since: now) <= daysMax * 86_400 else {
            throw RPCError.invalid("publishAt", "must be within a year")
        }
        return time
    }

    /// Validated time of expiry.
    /// - Parameters:
    ///   - start: Time of publication, which precedes the expiry.
    ///   - now: Current time, which precedes the expiry as well.
    static func expiry(_ time: Timestamp, from start: Timestamp, now: Timestamp) throws -> Timestamp {
        guard time > start, time > now else {
            throw RPCError.invalid("expiresAt", "must be in the future and after the publication")
        }
        guard time.seconds(since: start) <= daysMax * 86_400 else {
            throw RPCError.invalid("expiresAt", "must be within a year of the publication")
        }
        return time
    }

    /// Requires exactly the fields that the kind of audience needs.
    static func check(_ audience: NoticeAudience) throws {
        let needed: [(NoticeAudience.Kind, String, Bool)] = [
            (.zone, "zone", audience.zone != nil), (.role, "role", audience.role != nil),
            (.event, "event", audience.event != nil), (.user, "account", audience.account != nil),
        ]
        for (kind, name, isGiven) in needed where (audience.kind == kind) != isGiven {
            throw RPCError.invalid(
                "audience.\(name)",
                isGiven
                    ? "does not go with the kind \(audience.kind.rawValue)" : "is needed with the kind \(kind.rawValue)"
            )
        }
    }
}
