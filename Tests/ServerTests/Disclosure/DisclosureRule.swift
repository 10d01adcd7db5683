/// What an outlet may disclose about a person, to whom, and the test that attacks it.
enum DisclosureRule: String, CaseIterable, Sendable {
    case own, campus, visibleRun, share, whereAnswer, conversation, receipts, shownName, card, event, guestList, notice
    case liveGroup, counts, heatmap, directory, report, picture, reminder, figures, buddyCopy

    /// One sentence for the article.
    var sentence: String {
        switch self {
        case .own: "Only the caller's own data, or an acknowledgement of what the caller sent."
        case .campus: "Data of the campus, made by admins or an import; it names nobody."
        case .visibleRun:
            """
            The visible part of a run, to the audience that its owner chose. Private runs go to their owner and to holders of a link. \
            Parts in hidden places, and what ends there, follow the delayed clock.
            """
        case .share:
            """
            A live share, to its recipients, at the share's precision, until it ends. A stranger's share opens only when it is accepted, and \
            its owner learns neither the answer nor the number of viewers. Of a share with everybody the owner learns of buddies alone. \
            Ends in hidden places follow the delayed clock.
            """
        case .whereAnswer: "The answer to a question, to the person who asked, at the precision that the owner chose."
        case .conversation:
            "Members of the conversation, from when they joined until they left; blocked accounts are left out."
        case .receipts: "Delivery and read receipts, only of accounts whose receipts setting is on."
        case .shownName: "The shown name and picture of an account, by the relation of the two accounts (see Matching)."
        case .card:
            "The card of a suggestion: first name, span of years, picture and buddy profile, while the account is suggested."
        case .event: "An event, to its audience; counts of answers without names."
        case .guestList: "Names and answers of an event's people, to its host and to people who may see each other."
        case .notice: "The notice, to its recipients; the sender's name to accounts only."
        case .liveGroup:
            """
            The progress of members of a live group, to members that take part and have no block with them; the heart-rate zone if its member shares \
            it. The host sees who is invited; invited people see the host and the number of people who take part.
            """
        case .counts:
            """
            Numbers of people by the rules of \"Counts of notices\" in the threat model: rounded down to a multiple of five, receipts of the \
            campus and of roles alone, of roles once; no number follows from a position, a connection, a run or quiet hours.
            """
        case .heatmap: "Counts of cells by the heatmap's rules, of accounts that switched it on."
        case .directory: "Accounts as admins see them; what admins look at or change is in the audit log."
        case .report: "A report with its evidence, to admins who are not its subject."
        case .picture: "A picture, to accounts that may see its owner's card, profile or conversation at each fetch."
        case .reminder:
            "A reminder to the person's own confirmed addresses and browsers, without words where the person wants that."
        case .buddyCopy:
            "The copy of a workout that a buddy shared, and the buddy's username while no block separates both; nothing of trainings or bodies."
        case .figures:
            """
            Figures of the process, rounded to a second; they name nobody and go to operators and admins. Admins read of runs those that \
            the map shows.
            """
        }
    }

    /// Relations of an attacker who may learn a secret of a person whose runs are private, whose receipts are off and who shares with nobody.
    var admits: Set<Relation> {
        switch self {
        case .conversation: [.buddy, .groupmate]
        case .shownName: [.buddy, .groupmate, .host, .admin]
        case .directory: [.admin]
        case .guestList: [.host]
        case .card: Relation.accounts
        default: []
        }
    }

    /// Suites whose tests attack the rule; each is the name of a type in `Tests`.
    var suites: [String] {
        let twins = "TwinWorldAttackTests"
        return switch self {
        case .own: [twins, "AccessTests"]
        case .campus: ["PlaceTests", "SearchMethodTests"]
        case .visibleRun: [twins, "DarkPlaceTests", "LadderOutletTests"]
        case .share:
            [
                twins, "LadderOutletTests", "ShareEndPrivacyTests", "ShareInvitationPrivacyTests", "SharingNodesTests",
            ]
        case .whereAnswer: ["LadderOutletTests", "WhereAnswerPrivacyTests"]
        case .conversation: [twins, "ChatPrivacyTests", "ChatAttackTests", "LeavingTests"]
        case .receipts: [twins, "ReceiptTests"]
        case .shownName: [twins, "NameAttackTests", "DisclosureTests"]
        case .card: ["DisclosureTests"]
        case .event: [twins, "EventMethodTests"]
        case .guestList: [twins, "EventMethodTests"]
        case .notice: [twins, "NoticeAttackTests", "NoticeAudienceTests"]
        case .liveGroup: [twins, "TogetherAttackTests", "TogetherNodesTests", "TogetherPeopleTests"]
        case .counts: [twins, "NoticeAttackTests", "NoticePrivacyTests"]
        case .heatmap: ["HeatmapAttackTests"]
        case .directory: ["AdminUserTests", "AuditTests"]
        case .report: ["ChatAttackTests", "ReportTests"]
        case .picture: ["PictureVisibilityTests"]
        case .reminder: ["ReminderSourceTests", "ReminderSettingsTests"]
        case .buddyCopy: ["TrainingAttackTests"]
        case .figures: ["MetricsEndpointTests", "AdminLookPrivacyTests"]
        }
    }
}
