/// Conditional requests (RFC 9110 §13) for an existing resource.
public enum HTTPPreconditions {
    /// The outcome of a request's conditions.
    public enum Outcome: Sendable, Equatable {
        /// Handle the request as if it had no conditions.
        case proceed
        /// Answer 304: the client has the representation.
        case notModified
        /// Answer 412.
        case failed
    }

    /// Evaluates the conditions in the order of §13.2.2.
    /// - Parameters:
    ///   - tag: The selected representation's entity tag.
    ///   - modified: The selected representation's time of modification, if known.
    ///   - now: The server's clock, for dates with two-digit years.
    public static func evaluate(
        _ request: HTTPRequest, tag: EntityTag, modified: HTTPDate?, now: HTTPDate
    ) -> Outcome {
        let isRead = request.method == "GET" || request.method == "HEAD"
        let headers = request.headers
        // §13.1.1: If-Match uses the strong comparison; a malformed field matches nothing.
        let required = headers.all("If-Match")
        if !required.isEmpty {
            switch EntityTagList(parsing: required) {
            case .any: break
            case .tags(let tags) where tags.contains(where: tag.matchesStrongly): break
            default: return .failed
            }
        } else if let limit = date("If-Unmodified-Since", headers, now), let modified, modified > limit {
            // §13.1.4: "A recipient MUST ignore If-Unmodified-Since if the request contains an If-Match header field".
            return .failed
        }
        let known = headers.all("If-None-Match")
        if !known.isEmpty {
            // §13.1.2: "A recipient MUST use the weak comparison function".
            switch EntityTagList(parsing: known) {
            case .any: return isRead ? .notModified : .failed
            case .tags(let tags) where tags.contains(where: tag.matchesWeakly): return isRead ? .notModified : .failed
            default: return .proceed
            }
        }
        // §13.1.3: ignored beside If-None-Match, for methods other than GET and HEAD, and if it is not one valid date.
        if isRead, let since = date("If-Modified-Since", headers, now), let modified, modified <= since {
            return .notModified
        }
        return .proceed
    }

    /// Whether If-Range permits honouring the Range field (§13.1.5).
    /// - Parameters:
    ///   - tag: The selected representation's entity tag.
    ///   - modified: The selected representation's time of modification, if known.
    public static func allowsRange(
        _ request: HTTPRequest, tag: EntityTag, modified: HTTPDate?, now: HTTPDate
    ) -> Bool {
        let fields = request.headers.all("If-Range")
        guard let field = fields.first else { return true }
        guard fields.count == 1 else { return false }
        if let wanted = EntityTag(parsing: field) { return tag.matchesStrongly(wanted) }
        // "If the HTTP-date validator provided is not a strong validator in the sense defined by Section 8.8.2.2, the
        // condition is false": it is strong if the last change is at least one second past. The dates must match
        // exactly.
        guard let date = HTTPDate(field, now: now), let modified else { return false }
        return date == modified && modified < now
    }

    private static func date(_ name: String, _ headers: HTTPHeaders, _ now: HTTPDate) -> HTTPDate? {
        let fields = headers.all(name)
        guard fields.count == 1 else { return nil }
        return HTTPDate(fields[0], now: now)
    }
}
