import CEpoll

/// The machine's wall clock, as its kernel judges it.
public enum KernelClock {
    /// Whether the kernel says that an NTP client keeps the clock right (adjtimex(2)). False where a filter of system calls hides it.
    public static var isSynchronised: Bool { campanile_clock_is_synchronised() != 0 }
}
