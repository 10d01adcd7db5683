import Delivery
import EventLoop
import Foundation
import OpenID
import Server

extension ServerConfiguration {
    /// People sign in by cases of `openid.py`, each a provider of this name.
    /// - Parameter site: Where browsers reach this server.
    public mutating func signIn(
        by provider: TestPython, _ cases: [String], label: String = "Campus ID",
        site: String = "https://campus.example",
        change: (inout ProviderSettings) -> Void = { _ in }
    ) {
        reminders.publicURL = site
        openID = cases.map { name in
            var settings = ProviderSettings(
                name: name, label: label, issuer: "http://127.0.0.1:\(provider.port)/\(name)", clientID: "campanile",
                credential: .secret("s3cret&+/ %"))
            change(&settings)
            return settings
        }
    }
}

extension TestPython {
    private static let workers = WorkerPool(label: "openid-control", concurrentMax: 2, waitingMax: 256)

    /// Changes what `openid.py` does, by the query of its `/control`.
    public func control(_ query: String) async throws {
        let url = "http://127.0.0.1:\(port)/control?\(query)"
        _ = try await Self.workers.run {
            HTTPFetch(url: url, headers: [], allowsPlain: true, answerBytesMax: 1_000).perform()
        }
    }

    /// Has `openid.py` sign in this person from now on.
    public func signIn(sub: String, email: String, isVerified: Bool = true, name: String = "anna") async throws {
        let json =
            #"{"sub":"\#(sub)","email":"\#(email)","email_verified":\#(isVerified),"preferred_username":"\#(name)"}"#
        let escaped = json.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        try await control("person=\(escaped)")
    }
}
