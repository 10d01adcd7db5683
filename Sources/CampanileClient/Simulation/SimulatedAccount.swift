import Wire

/// An account for a recording or a sample, never a person: made with the server operator's simulation key and labelled as
/// simulated wherever it is shown.
public enum SimulatedAccount {
    /// Attempts to find a name that is free.
    static let attemptsMax = 8
    /// Of a username (U-1).
    static let usernameCharactersMax = 20

    /// Registers an account over the client's connection and leaves the client signed in with it, also after
    /// reconnections.
    /// - Parameters:
    ///   - client: A started client; what it was signed in as before does not matter.
    ///   - name: The username, 4-20 letters and digits; when it is taken, random characters are added.
    ///   - key: The operator's simulation key.
    ///   - hostOfAddress: The part of the made-up email address behind the `@`.
    /// - Throws: `RPCError` (`forbidden` when the key is not the server's), ``ClientError`` when the client has ended.
    @discardableResult
    public static func register(
        over client: ResilientClient, name: String, key: String, hostOfAddress: String = "simulated.invalid"
    ) async throws -> Account {
        var attempt = 0
        while true {
            // Each attempt has a name of its own: after a lost reply the last one may be taken, by ourselves.
            let username = username(name, attempt: attempt)
            let params = AccountRegister.Params(
                username: username, email: "\(username.lowercased())@\(hostOfAddress)", password: password(),
                simulationKey: key)
            do {
                let connection = try await client.connected()
                let signedIn = try await connection.call(AccountRegister.self, params)
                await client.setToken(signedIn.token)
                return signedIn.account
            } catch let error as RPCError where error.registered == .rejected && attempt < attemptsMax {
                attempt += 1
            } catch let error as RPCError where error.registered?.isRetryable == true {
                await client.loop.wait(for: max(.milliseconds(100), error.retryDelay ?? .seconds(1)))
            } catch ClientError.disconnected, ClientError.timeout {
                // `connected` waits for the next connection.
            }
        }
    }

    /// The name itself at first; once it was taken, with a random ending.
    private static func username(_ name: String, attempt: Int) -> String {
        let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
        let ending = attempt == 0 ? "" : String((0..<4).map { _ in letters.randomElement() ?? "x" })
        let start = name.unicodeScalars.filter { $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) }
        return String(String(String.UnicodeScalarView(start)).prefix(usernameCharactersMax - ending.count)) + ending
    }

    /// Nobody signs in with it: it is thrown away. One capital and one digit, 20 characters (U-1).
    private static func password() -> String {
        let letters = Array("abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        var generator = SystemRandomNumberGenerator()
        return "A1" + String((0..<18).map { _ in letters.randomElement(using: &generator) ?? "x" })
    }
}
