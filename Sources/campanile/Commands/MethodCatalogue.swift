import Wire

/// The methods of the API and the names and types of what they take and give, read off the types themselves.
enum MethodCatalogue {
    static var lines: [String] {
        [
            line(Hello.self), line(Ping.self), line(CampusInfoGet.self), line(CampusLocate.self),
            line(AccountRegister.self), line(AccountLogin.self), line(AccountMe.self), line(AccountDevices.self),
            line(AccountLogout.self), line(AccountLogoutEverywhere.self), line(TrackingStart.self),
            line(TrackingPoints.self), line(TrackingPause.self), line(TrackingResume.self), line(TrackingStop.self),
            line(TrackingCurrent.self), line(TrackingHistory.self), line(TrackingSession.self),
            line(TrackingAudience.self), line(TrackingLink.self), line(TrackingLinks.self), line(TrackingUnlink.self),
            "subscribe(topic: zone/<id>/positions) -> " + type(of: Subscribed<ZoneSnapshot>.self),
            "subscribe(topic: session/<id>, share: String?) -> " + type(of: Subscribed<SessionSnapshot>.self),
            "subscribe(topic: campus/notices or zone/<id>/notices, since: {epoch, offset}?) -> "
                + type(of: Resumed<Notice>.self),
            "subscribe(topic: chat/<id>, since: {epoch, offset}?) -> " + type(of: Resumed<ChatEvent>.self),
            "subscribe(topic: user/<id>) -> " + type(of: Unsubscribe.Params.self),
            line(Unsubscribe.self), line(TopicHistory<Notice>.self), line(NoticesPublish.self),
        ] + chat + buddies + events
    }

    private static var chat: [String] {
        [
            line(ChatList.self), line(ChatConversation.self), line(ChatHistory.self), line(ChatSearch.self),
            line(ChatSend.self), line(ChatEdit.self), line(ChatDelete.self), line(ChatReact.self), line(ChatRead.self),
            line(ChatDelivered.self), line(ChatTyping.self), line(ChatMute.self), line(ChatSettingsGet.self),
            line(ChatSettingsSave.self), line(GroupCreate.self), line(GroupRename.self), line(GroupInvite.self),
            line(GroupAnswer.self), line(GroupLeave.self), line(GroupRemove.self), line(GroupRole.self),
        ]
    }

    private static var buddies: [String] {
        [
            line(ProfileGet.self), line(ProfileSave.self), line(BuddiesOptions.self), line(BuddiesAgree.self),
            line(BuddiesMe.self), line(BuddiesSave.self), line(BuddiesDeck.self), line(BuddiesDecide.self),
            line(BuddiesCard.self), line(BuddiesList.self), line(BuddiesRemove.self), line(SafetyBlock.self),
            line(SafetyUnblock.self), line(SafetyBlocked.self), line(SafetyReport.self), line(ReportsList.self),
            line(ReportsClose.self),
        ]
    }

    private static var events: [String] {
        [
            line(EventsOptions.self), line(EventsList.self), line(EventsGet.self), line(EventsCreate.self),
            line(EventsPublish.self), line(EventsUpdate.self), line(EventsCancel.self), line(EventsDelete.self),
            line(EventsAnswer.self), line(EventsSave.self), line(EventsInvite.self), line(EventsPeople.self),
            line(GoalsGet.self), line(GoalsSave.self), line(GoalsReset.self),
        ]
    }

    private static func line<M: RPCMethod>(_ method: M.Type) -> String {
        "\(M.name)(\(members(of: M.Params.self))) -> {\(members(of: M.Result.self))}"
    }

    private static func type<T: Decodable>(of type: T.Type) -> String { "{\(members(of: type))}" }

    private static func members<T: Decodable>(of type: T.Type) -> String {
        let recorder = MemberRecorder()
        // Decoding stops at the first member that a recorder cannot make up; the synthesised code asks in order.
        _ = try? T(from: RecordingDecoder(recorder: recorder))
        return recorder.members.joined(separator: ", ")
    }
}
