import EventLoop
import Services
import WebSocket
import Wire

/// `GET` and `POST /unsubscribe/TOKEN`, the link in every mail, which stops such mails without signing in. `GET` changes nothing, because
/// programs open links before people do. The button of a mail program sends `POST` (RFC 8058).
extension Pages {
    static let unsubscribePrefix = "/unsubscribe/"

    func unsubscribe(_ request: HTTPRequest, address: String, loop: EventLoop) async -> HTTPResponse {
        let caller = HTTPCaller(address: address, loop: loop)
        if let refusal = router.limits.refusal(of: caller) { return Self.failure(refusal) }
        let token = request.path.dropFirst(Self.unsubscribePrefix.count)
        guard let kind = services.reminders.unsubscribing(token) else { return ErrorPage.notFound(request) }
        guard request.method == "POST" else {
            return Self.page(
                "Unsubscribe?",
                """
                <p>You get emails from Campanile about \(Self.words(kind)).</p>
                <form method="post"><button class="button primary">Stop emails about \(Self.words(kind))</button></form>
                <form method="post" action="?all=1"><button class="button">Stop all emails</button></form>
                """)
        }
        do {
            let isAll = request.query.contains { $0.0 == "all" && $0.1 == "1" }
            try await services.reminders.unsubscribe(String(token), all: isAll)
            return Self.page(
                "Unsubscribed",
                """
                <p>You won't get emails\(isAll ? "" : " about \(Self.words(kind))"). You can turn them on again in your account.</p>
                <a class="button" href="/account">Go to account</a>
                """)
        } catch {
            return Self.failure(router.rpcError(error, method: "unsubscribe"))
        }
    }

    private static func words(_ kind: ReminderKind) -> String {
        switch kind {
        case .event: "events"
        case .message: "unread messages"
        case .notice: "notices"
        case .goal: "goals"
        case .workout: "workouts"
        }
    }

    /// A page that contains no part of the request.
    private static func page(_ title: String, _ content: String) -> HTTPResponse {
        var response = HTTPResponse(status: 200, body: Array(ErrorPage.page(title: title, content: content).utf8))
        response.headers.set("Content-Type", "text/html; charset=utf-8")
        response.headers.set("Cache-Control", "no-store")
        return response
    }
}
