import EventLoop
import Foundation
import OpenID
import Services
import WebSocket
import Wire

/// A path of sign-in by providers: `/openid/PROVIDER/start` and `/openid/PROVIDER/callback`.
enum OpenIDRoute {
    static let prefix = "/openid/"

    case start(String)
    case callback(String)

    init?(_ path: String) {
        let parts = path.dropFirst(Self.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        switch parts[1] {
        case "start": self = .start(String(parts[0]))
        case "callback": self = .callback(String(parts[0]))
        default: return nil
        }
    }

    var isCallback: Bool { if case .callback = self { true } else { false } }
}

extension Pages {
    /// Page of the web app that redeems tickets.
    private static let ticketPage = "/login/provider"

    /// Sends the browser to a provider, or takes it back from there.
    func answer(_ route: OpenIDRoute, _ request: HTTPRequest, address: String, loop: EventLoop) async -> HTTPResponse {
        guard let openID = services.openID else { return ErrorPage.notFound(request) }
        let caller = HTTPCaller(address: address, loop: loop)
        let name: String
        switch route {
        case .start(let given), .callback(let given): name = given
        }
        guard let settings = openID.settings(of: name) else { return ErrorPage.notFound(request) }
        do {
            guard Self.isWanted(route, request) else { return Self.refusal }
            // Each makes requests to the provider.
            try router.limits.use(.openid, by: caller)
            switch route {
            case .start:
                let secret = request.query.first { $0.0 == "secret" }?.1 ?? ""
                return Self.redirect(to: try await openID.start(name, secretHash: secret))
            case .callback:
                let ticket = try await openID.finish(name) { () throws(OpenIDFailure) in try Self.callback(request) }
                return Self.redirect(to: "\(Self.ticketPage)#\(ticket)")
            }
        } catch let failure as OpenIDFailure {
            return Self.page(for: failure, of: settings)
        } catch {
            let failure = router.rpcError(error, method: "openid")
            var response = Self.page(
                failure.registered == .invalidParams ? 400 : Self.status(of: failure), "Couldn't log you in",
                failure.registered == .rateLimited
                    ? "Too many people are logging in right now. Try again in a minute."
                    : "Something went wrong here. Try again in a minute.")
            if let seconds = failure.data?.retryAfter {
                response.headers.set("Retry-After", String(max(1, Int(min(seconds, 86_400).rounded(.up)))))
            }
            return response
        }
    }

    /// Whether a person's browser opens the address as a page. Another website can embed it as an image, or lead browsers to a start, to
    /// use up the limit of their network. Browsers that send no such headers pass.
    private static func isWanted(_ route: OpenIDRoute, _ request: HTTPRequest) -> Bool {
        let destination = request.headers.all("Sec-Fetch-Dest").first ?? "document"
        // A provider leads the browser back from its own site.
        let isForeign = !route.isCallback && request.headers.all("Sec-Fetch-Site").first == "cross-site"
        return destination == "document" && !isForeign
    }

    private static var refusal: HTTPResponse {
        page(403, "Couldn't log you in", "Another website opened this page. Start from the log-in page.")
    }

    private static func callback(_ request: HTTPRequest) throws(OpenIDFailure) -> Callback {
        guard request.method == "POST" else { return try Callback(request.query) }
        let types = request.headers.all("Content-Type")
        guard types.count == 1, types[0].lowercased().hasPrefix("application/x-www-form-urlencoded") else {
            throw .unknownAttempt
        }
        return try Callback(form: request.body)
    }

    private static func redirect(to url: String) -> HTTPResponse {
        var response = HTTPResponse(status: 303)
        response.headers.set("Location", url)
        response.headers.set("Cache-Control", "no-store")
        return response
    }

    private static func page(for failure: OpenIDFailure, of settings: ProviderSettings) -> HTTPResponse {
        let label = Markup.escaped(settings.label)
        let other = "You can try again, or log in with your password."
        switch failure {
        case .unreachable:
            return page(
                503, "\(label) isn't available",
                "\(label) doesn't answer right now. Try again in a few minutes, or log in with your password.")
        case .denied:
            return page(200, "Not logged in", "\(label) didn't log you in, perhaps because you cancelled. \(other)")
        case .refused: return page(502, "Couldn't log you in", "\(label) answered with an error. \(other)")
        case .badMetadata, .badAnswer:
            return page(
                502, "Couldn't log you in",
                // The reason is in the log: it is for the operator.
                "\(label)'s answer can't be trusted. \(other) If it happens again, contact a campus admin.")
        case .unknownAttempt:
            return page(400, "This log-in is over", "It took longer than 10 minutes, or was used already. \(other)")
        }
    }

    /// A page that contains no part of the request.
    private static func page(_ status: Int, _ title: String, _ text: String) -> HTTPResponse {
        let content = """
            <p class="muted" id="openid-problem">\(text)</p>
            <a class="button primary" href="/login">Back to log in</a>
            """
        var response = HTTPResponse(
            status: status, body: Array(ErrorPage.page(title: title, content: content).utf8))
        response.headers.set("Content-Type", "text/html; charset=utf-8")
        response.headers.set("Cache-Control", "no-store")
        return response
    }
}
