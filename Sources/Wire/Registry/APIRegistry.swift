/// Everything that the protocol consists of. The methods of an area are listed beside their declarations.
public enum APIRegistry {
    /// All methods, in the order of the reference. A test compares them with the methods that a server routes.
    public static let methods: [any RPCMethod.Type] =
        accounts + openID + passkeys + secondFactors + profile + settings + campus + tracking + sessionEditing
        + sessionSharing + subscriptions + viewports + publications
        + heatmap
        + chatReading + chatWriting + groups + buddyProfiles + buddySuggestions + people + safety + events + goals
        + notices
        + administration + adminFigures + places + search + reminders + privacy + savedPlaces + locations + shares
        + sharedWithMe
        + asking + routes + body + exercise + workout + training + together + insight
}
