import Foundation
import Services
import WebSocket
import Wire

/// Who a request over HTTP comes from, and what it is answered when that, or anything else, fails.
extension Pages {
    /// What `Authorization` says.
    enum Bearer {
        /// Nothing.
        case none
        /// No bearer token, or two.
        case malformed
        /// It is this account's.
        case identity(Identity)
        /// It is nobody's, or that could not be found out.
        case failed(RPCError)
    }

    static let bearerHint = "send Authorization: Bearer TOKEN"

    func bearer(of request: HTTPRequest, address: String) async -> Bearer {
        let authorizations = request.headers.all("Authorization")
        guard let authorization = authorizations.first else { return .none }
        guard authorizations.count == 1, authorization.lowercased().hasPrefix("bearer ") else { return .malformed }
        let token = String(authorization.dropFirst("bearer ".count)).trimmingCharacters(in: .whitespaces)
        do {
            return .identity(try await services.accounts.authenticate(token: token, notesUse: false))
        } catch {
            let heard = router.hear(error, method: "rpc")
            guard heard.registered == .unauthenticated else { return .failed(heard) }
            return .failed(router.limits.wrongToken(from: address) ?? heard)
        }
    }

    /// A failure outside of any request's reply, in the same form.
    /// - Parameter status: For codes that HTTP has no word of its own for.
    static func failure(_ error: RPCError, status: Int = 503) -> HTTPResponse {
        var response = HTTPResponse(status: status)
        let encoder = JSONEncoder()
        // The same bytes for the same error: what is refused is not to be told from what is not there.
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        response.body = Array((try? encoder.encode(Failure(id: .null, error: error))) ?? Data())
        response.headers.set("Content-Type", "application/json")
        response.headers.set("Cache-Control", "no-store")
        switch error.registered {
        case .unauthenticated: return unauthenticated(response)
        case .rateLimited: limit(&response, error.data?.retryAfter ?? 1)
        case let code where code?.isRetryable ?? false:
            response.headers.set("Retry-After", String(Int((error.data?.retryAfter ?? 1).rounded(.up))))
        default: break
        }
        return response
    }

    /// RFC 9110 §15.5.2: a server that answers 401 MUST send WWW-Authenticate.
    static func unauthenticated(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.status = 401
        response.headers.set("WWW-Authenticate", "Bearer")
        return response
    }

    /// RFC 6585 §4.
    static func limit(_ response: inout HTTPResponse, _ seconds: Double) {
        response.status = 429
        response.headers.set("Retry-After", String(max(1, Int(min(seconds, 86_400).rounded(.up)))))
    }
}
