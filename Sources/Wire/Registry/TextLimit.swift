/// Lengths of texts that people enter, in Unicode characters as PostgreSQL counts them, without blanks at the ends.
public enum TextLimit: String, Sendable, CaseIterable {
    case username, password, personName, groupName, placeName, placeDetails, privateZoneName, sessionTitle, eventTitle,
        eventDescription, eventReason, noticeTitle, noticeBody, message, messageSearch, buddyDescription, reportNote,
        reportResolution, adminReason, eventSearch, searchText, degree, passkeyName, placeMenu, openingHours, website,
        phone, closureReason, workoutTitle, workoutDescription, workoutTag, entryNote, videoTitle, videoAddress,
        trainingNote,
        injuryNote, exerciseSearch

    /// Accepted numbers of characters.
    public var allowed: ClosedRange<Int> {
        switch self {
        case .username: 4...20
        // The widest rule; the operator's may be narrower.
        case .password: 8...128
        case .personName, .passkeyName: 1...40
        case .groupName, .privateZoneName: 1...60
        case .placeName, .eventTitle, .noticeTitle, .searchText: 1...120
        case .placeDetails, .reportNote: 0...1_000
        case .reportResolution: 1...1_000
        case .sessionTitle, .degree: 0...80
        case .eventDescription: 0...2_000
        case .eventReason: 0...500
        case .adminReason: 1...500
        case .noticeBody, .message: 0...4_000
        case .messageSearch: 1...100
        case .eventSearch, .phone: 0...100
        case .placeMenu: 0...5_000
        case .openingHours, .website: 0...255
        case .buddyDescription: 0...500
        case .closureReason: 0...120
        case .workoutTitle: 1...80
        case .workoutDescription: 0...2_000
        case .workoutTag: 1...30
        case .entryNote, .injuryNote: 0...200
        case .videoTitle: 1...120
        case .videoAddress: 9...500
        case .trainingNote: 0...1_000
        case .exerciseSearch: 0...100
        }
    }

    /// Highest number of characters.
    public var max: Int { allowed.upperBound }
}
