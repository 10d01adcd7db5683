import CEpoll

/// The machine's wall clock, as judged by the kernel.
public enum KernelClock {
    /// Whether the kernel reports that an NTP client keeps the clock synchronised (adjtimex(2)). False if a system call filter
    /// blocks the query.
    public static var isSynchronised: Bool { campanile_clock_is_synchronised() != 0 }
}
