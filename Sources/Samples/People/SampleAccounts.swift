import CampanileClient
import Wire

/// Makes the accounts of the sample people.
struct SampleAccounts: Sendable {
    let server: ServerAddress
    let loops: ClientLoops
    /// The operator's key for simulated accounts.
    let key: String

    /// Registers an account, signs a client in with it, and fills the profile.
    /// - Parameter password: The password; nil makes one that is discarded.
    func make(_ profile: SampleProfile, password: String? = nil) async throws -> SamplePerson {
        let client = ResilientClient(address: server, loops: loops)
        await client.start()
        do {
            let account = try await SimulatedAccount.register(
                over: client, name: profile.username, key: key, password: password)
            _ = try await client.call(
                ProfileSave.self,
                .init(
                    firstName: profile.firstName, lastName: profile.lastName, birthday: profile.birthday,
                    gender: profile.gender))
            _ = try await client.call(
                AccountUpdateProfile.self, .init(degree: profile.degree, interests: profile.interests))
            return SamplePerson(client: client, account: account, profile: profile)
        } catch {
            await client.close()
            throw error
        }
    }

    /// Registers several accounts at once, in the order of their profiles.
    func make(_ profiles: [SampleProfile]) async throws -> [SamplePerson] {
        try await withThrowingTaskGroup(of: (Int, SamplePerson).self) { group in
            for (index, profile) in profiles.enumerated() { group.addTask { (index, try await make(profile)) } }
            var made = [SamplePerson?](repeating: nil, count: profiles.count)
            for try await (index, person) in group { made[index] = person }
            return made.compactMap(\.self)
        }
    }
}
