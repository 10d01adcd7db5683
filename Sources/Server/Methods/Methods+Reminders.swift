import Hub
import Services
import Wire

extension Router {
    /// Adds the methods for reminders. The service limits methods that send messages, by account and by address, in the database.
    mutating func addReminders(_ reminders: Reminders, _ hub: Hub) {
        addForAccount(RemindersSettings.self) { identity, _ in try await reminders.settings(of: identity) }
        addSetting(RemindersSaveSettings.self, hub) { try await reminders.save($1, of: $0) }
        addForAccount(RemindersSetAddress.self) { try await reminders.setAddress($1, of: $0) }
        addForAccount(RemindersConfirm.self) { try await reminders.confirm($1, of: $0) }
        addForAccount(RemindersRemoveAddress.self) { try await reminders.removeAddress($1, of: $0) }
        addForAccount(RemindersPushKey.self) { _, _ in try await reminders.pushKey() }
        addForAccount(RemindersSubscribePush.self) { try await reminders.subscribe($1, of: $0) }
        addForAccount(RemindersUnsubscribePush.self) { try await reminders.unsubscribe($1, of: $0) }
        addForAccount(RemindersTest.self) { try await reminders.test($1, of: $0) }
    }
}
