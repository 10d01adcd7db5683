import Wire

/// Buddy profiles of the sample people, from the lists that the server offers.
enum SampleBuddyProfiles {
    /// Agrees to the rules and saves a profile.
    /// - Parameter index: Selects the choices, so that people differ.
    static func save(_ index: Int, of person: SamplePerson) async throws {
        let options = try await person.client.call(BuddiesOptions.self, Empty())
        _ = try await person.client.call(BuddiesAgree.self, .init(version: options.rulesVersion))
        _ = try await person.client.call(BuddiesSave.self, profile(index, of: person.profile, options))
    }

    private static func profile(
        _ index: Int, of person: SampleProfile, _ options: BuddiesOptions.Result
    ) -> BuddyProfile {
        // The step is prime to the lengths of the lists, so that no person gets a choice twice.
        func some(_ choice: BuddiesOptions.Choice, step: Int) -> [String] {
            (0..<choice.most).map { choice.options[(index * step + $0 * 5) % choice.options.count].id }
        }
        var profile = BuddyProfile(
            showsAge: index % 3 == 0, description: "\(SampleProfile.mark) \(person.words)")
        profile.times = (0..<4).map { n in
            options.days[(index + n * 2) % options.days.count].id + "-"
                + options.dayParts[(index + n) % options.dayParts.count].id
        }
        profile.goals = some(options.goals, step: 1)
        profile.strengths = some(options.strengths, step: 2)
        profile.styles = some(options.styles, step: 3)
        profile.places = some(options.places, step: 1).uniqued()
        profile.traits = some(options.traits, step: 4)
        profile.desiredTraits = some(options.traits, step: 7)
        profile.desiredStyles = some(options.styles, step: 5)
        return profile
    }
}

extension Array where Element: Hashable {
    /// The elements without repetitions, in their order.
    fileprivate func uniqued() -> [Element] {
        var known: Set<Element> = []
        return filter { known.insert($0).inserted }
    }
}
