import Services
import Wire

extension Router {
    /// Adds the methods for goals.
    mutating func addGoals(_ goals: Goals) {
        addForAccount(GoalsGet.self) { try await goals.goal($1, of: $0) }
        addForAccount(GoalsSave.self) { try await goals.save($1, of: $0) }
        addForAccount(GoalsReset.self) { try await goals.reset($1, of: $0) }
    }
}
