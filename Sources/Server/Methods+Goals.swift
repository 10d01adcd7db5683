import Services
import Wire

extension Router {
    /// Adds goals.
    mutating func addGoals(_ goals: Goals) {
        add(GoalsGet.self) { try await goals.goal($1, of: try $0.requireIdentity()) }
        add(GoalsSave.self) { try await goals.save($1, of: try $0.requireIdentity()) }
        add(GoalsReset.self) { try await goals.reset($1, of: try $0.requireIdentity()) }
    }
}
