/// Limits of live groups, in number and time.
public enum LiveGroupLimits {
    /// Largest number of people in a group, with the invited ones.
    public static let membersMax = 50
    /// Largest number of groups that a node keeps in memory.
    public static let groupsMax = 10_000
    /// Largest number of exercises of a plan.
    public static let exercisesMax = 60
    /// Positions of a member that are published in a second, on average; further ones replace each other.
    static let positionsPerSecond = 1.0
    /// Positions of a member that may follow each other without that wait.
    static let positionsBurst = 2.0
    /// Seconds after which an unused group is forgotten: nobody at this node watches, and no update has come.
    public static let keptSeconds = 900.0
    /// Seconds between two sweeps, which announce this node's members and apply everything that depends on time.
    static let sweepSeconds = 2.0
    /// Number of groups that one event-loop iteration of a sweep announces, and the delay before the next ones.
    static let announcedAtOnce = 50
    static let announcingInterval = Duration.milliseconds(5)
    /// Seconds after which another node's presence is dropped, unless it is announced again.
    static let voidSeconds = 7.0
    /// Largest number of changed groups whose versions are remembered, so that a state that was read before is refused.
    static let versionsMax = 16_384
    /// Seconds for which they are remembered: the longest time of a database statement.
    static let versionsSeconds = 10.0
    /// Largest number of groups in one read that confirms them.
    static let confirmedMax = 2_000
    /// Delay before a group whose state is in doubt is read again.
    static let retryInterval = Duration.milliseconds(250)
}
