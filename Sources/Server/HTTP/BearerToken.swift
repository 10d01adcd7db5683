import Foundation
import Services
import WebSocket
import Wire

/// Authentication of HTTP requests, and responses for failures.
extension Pages {
    /// Result of evaluating `Authorization`.
    enum Bearer {
        /// The field is absent.
        case none
        /// The field is no bearer token, or occurs twice.
        case malformed
        /// A valid token of this account.
        case identity(Identity)
        /// An invalid token, or one that could not be checked.
        case failed(RPCError)
    }

    static let bearerHint = "send Authorization: Bearer TOKEN"

    func bearer(of request: HTTPRequest, address: String) async -> Bearer {
        let authorizations = request.headers.all("Authorization")
        guard let authorization = authorizations.first else { return .none }
        guard authorizations.count == 1, authorization.lowercased().hasPrefix("bearer ") else { return .malformed }
        let token = String(authorization.dropFirst("bearer ".count)).trimmingCharacters(in: .whitespaces)
        do {
            return .identity(try await services.accounts.authenticate(token: token, recordsUse: false))
        } catch {
            let failure = router.rpcError(error, method: "rpc")
            guard failure.registered == .unauthenticated else { return .failed(failure) }
            return .failed(router.limits.invalidToken(from: address) ?? failure)
        }
    }

    /// Response for a failure outside of a reply to a request, in the same JSON form.
    /// - Parameter status: Status for codes without their own HTTP status.
    static func failure(_ error: RPCError, status: Int = 503) -> HTTPResponse {
        var response = HTTPResponse(status: status)
        // The same error has the same bytes: a client must not distinguish a forbidden resource from a missing one.
        response.body = WireJSON.encode(Failure(id: .null, error: error))
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

    /// Sets status 401. RFC 9110 §15.5.2: a server that answers 401 MUST send WWW-Authenticate.
    static func unauthenticated(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.status = 401
        response.headers.set("WWW-Authenticate", "Bearer")
        return response
    }

    /// Sets status 429 with `Retry-After` (RFC 6585 §4).
    static func limit(_ response: inout HTTPResponse, _ seconds: Double) {
        response.status = 429
        response.headers.set("Retry-After", String(max(1, Int(min(seconds, 86_400).rounded(.up)))))
    }
}
