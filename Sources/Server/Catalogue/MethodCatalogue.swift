import Campus
import Hub
import Wire

/// The methods of the API with their access rules and the members of their parameters and results, read from the types. A test ensures
/// that the catalogue contains exactly the methods that a server routes.
public enum MethodCatalogue {
    /// All methods, in the order of the Protocol article.
    public static var methods: [Method] {
        [
            line(Hello.self), line(Ping.self), line(CampusInfoGet.self), line(CampusLocate.self),
            line(AccountRegister.self), line(AccountLogin.self), line(AccountMe.self), line(AccountDevices.self),
            line(AccountLogout.self), line(AccountLogoutEverywhere.self), line(TrackingStart.self),
            line(TrackingPoints.self), line(TrackingPause.self), line(TrackingResume.self), line(TrackingStop.self),
            line(TrackingCurrent.self), line(TrackingHistory.self), line(TrackingSession.self),
            line(TrackingRename.self), line(TrackingDelete.self),
            line(TrackingAudience.self), line(TrackingLink.self), line(TrackingLinks.self), line(TrackingUnlink.self),
            subscribe("zone/<id>/positions", .zonePositions(1), Subscribed<ZoneSnapshot>.self),
            subscribe("session/<id>, share: String?", .session(1), Subscribed<SessionSnapshot>.self),
            subscribe(
                "campus/notices or zone/<id>/notices, since: {epoch, offset}?", .campusNotices,
                Resumed<NoticeEvent>.self),
            subscribe("notices, since: {epoch, offset}?", .notices, Resumed<NoticeEvent>.self),
            subscribe("chat/<id>, since: {epoch, offset}?", .chat(1), Resumed<ChatEvent>.self),
            subscribe("user/<id>", .user(1), Unsubscribe.Params.self),
            subscribe("heatmap", .heatmap, Subscribed<HeatmapUpdate>.self),
            subscribe("share/<id>, share: String?", .share(1), Subscribed<ShareSnapshot>.self),
            subscribe("people/<x>/<y>", .people(Cell(zoom: 16, x: 0, y: 0)!), Subscribed<PeopleUpdate>.self),
            line(PositionsView.self), line(Unsubscribe.self), line(TopicHistory<NoticeEvent>.self),
            line(TestPublish.self), line(HeatmapAlong.self),
        ] + chat + buddies + events + notices + admin + reminders + privacy + personal + shares
    }

    private static var personal: [Method] {
        [
            line(AccountData.self), line(AccountDelete.self), line(SavedList.self), line(SavedSave.self),
            line(SavedRemove.self), line(SearchesNote.self), line(SearchesList.self), line(SearchesErase.self),
            line(VisitsMost.self), line(VisitsErase.self),
        ]
    }

    private static var shares: [Method] {
        [
            line(LocationReport.self), line(LocationMine.self), line(LocationClear.self), line(SharingStart.self),
            line(SharingChange.self), line(SharingStop.self), line(SharingStopAll.self), line(SharingMine.self),
            line(SharingWithMe.self), line(SharingRespond.self), line(SharingReceiptGet.self), line(SharingPast.self),
            line(SharingErasePast.self), line(SharingAsk.self), line(SharingRequests.self), line(SharingAnswer.self),
            line(SharingAnswered.self),
        ]
    }

    private static var chat: [Method] {
        [
            line(ChatList.self), line(ChatConversation.self), line(ChatHistory.self), line(ChatSearch.self),
            line(ChatSend.self), line(ChatEdit.self), line(ChatDelete.self), line(ChatReact.self), line(ChatRead.self),
            line(ChatDelivered.self), line(ChatTyping.self), line(ChatMute.self), line(ChatSettingsGet.self),
            line(ChatSettingsSave.self), line(GroupCreate.self), line(GroupRename.self), line(GroupInvite.self),
            line(GroupAnswer.self), line(GroupLeave.self), line(GroupRemove.self), line(GroupRole.self),
        ]
    }

    private static var buddies: [Method] {
        [
            line(ProfileGet.self), line(ProfileSave.self), line(BuddiesOptions.self), line(BuddiesAgree.self),
            line(BuddiesMe.self), line(BuddiesSave.self), line(BuddiesSuggestions.self), line(BuddiesDecide.self),
            line(BuddiesCard.self), line(BuddiesList.self), line(BuddiesRemove.self), line(PeopleKnown.self),
            line(SafetyBlock.self),
            line(SafetyUnblock.self), line(SafetyBlocked.self), line(SafetyReport.self), line(ReportsList.self),
            line(ReportsClose.self),
        ]
    }

    private static var events: [Method] {
        [
            line(EventsOptions.self), line(EventsList.self), line(EventsGet.self), line(EventsCreate.self),
            line(EventsPublish.self), line(EventsUpdate.self), line(EventsCancel.self), line(EventsDelete.self),
            line(EventsAnswer.self), line(EventsSave.self), line(EventsInvite.self), line(EventsPeople.self),
            line(GoalsGet.self), line(GoalsSave.self), line(GoalsReset.self),
            line(EventsSuggested.self), line(EventsCalendar.self), line(EventsCalendarOff.self),
        ]
    }

    private static var notices: [Method] {
        [
            line(NoticesPublish.self), line(NoticesPreview.self), line(NoticesCorrect.self),
            line(NoticesWithdraw.self), line(NoticesStatus.self), line(NoticesSent.self), line(NoticesList.self),
            line(NoticesReceived.self), line(NoticesRead.self), line(NoticesSettings.self),
            line(NoticesSaveSettings.self),
        ]
    }

    private static var privacy: [Method] {
        [
            line(PrivacySettingsGet.self), line(PrivacySettingsSave.self), line(PrivacyZones.self),
            line(PrivacySaveZone.self), line(PrivacyDeleteZone.self),
        ]
    }

    private static var reminders: [Method] {
        [
            line(RemindersSettings.self), line(RemindersSaveSettings.self), line(RemindersSetAddress.self),
            line(RemindersConfirm.self), line(RemindersRemoveAddress.self), line(RemindersPushKey.self),
            line(RemindersSubscribePush.self), line(RemindersUnsubscribePush.self), line(RemindersTest.self),
        ]
    }
}
