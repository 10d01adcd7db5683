import Wire

/// An account for a recording or a sample, not for a person. It needs the server operator's simulation key and is labelled as
/// simulated everywhere.
public enum SimulatedAccount {
    /// Maximum of attempts to find a free username.
    static let attemptsMax = 8
    /// Maximum length of a username (U-1).
    static let usernameCharactersMax = 20

    /// Registers an account over the client's connection and signs the client in with it, also for later connections.
    /// - Parameters:
    ///   - client: A started client. An earlier sign-in does not matter.
    ///   - name: The username, 4-20 letters and digits. If it is taken, random characters are appended.
    ///   - key: The operator's simulation key.
    ///   - password: The password; nil makes a random one, which is discarded because nobody signs in with it.
    ///   - hostOfAddress: The domain of the synthetic email address.
    /// - Throws: `RPCError` (`forbidden` if the key is not the server's), ``ClientError`` if the client has ended.
    @discardableResult
    public static func register(
        over client: ResilientClient, name: String, key: String, password: String? = nil,
        hostOfAddress: String = "simulated.invalid"
    ) async throws -> Account {
        let password = password ?? randomPassword()
        var attempt = 0
        while true {
            // A refused attempt changes the name. If the reply to a successful attempt was lost, its own account has taken the
            // name.
            let username = username(name, attempt: attempt)
            let params = AccountRegister.Params(
                username: username, email: "\(username.lowercased())@\(hostOfAddress)", password: password,
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
                // Retry: `connected` waits for the next connection.
            }
        }
    }

    /// The name itself for the first attempt, later with a random suffix.
    private static func username(_ name: String, attempt: Int) -> String {
        let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
        let ending = attempt == 0 ? "" : String((0..<4).map { _ in letters.randomElement() ?? "x" })
        let start = name.unicodeScalars.filter { $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) }
        return String(String(String.UnicodeScalarView(start)).prefix(usernameCharactersMax - ending.count)) + ending
    }

    /// A random password with one capital and one digit, 20 characters (U-1).
    public static func randomPassword() -> String {
        let letters = Array("abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        var generator = SystemRandomNumberGenerator()
        return "A1" + String((0..<18).map { _ in letters.randomElement(using: &generator) ?? "x" })
    }
}
