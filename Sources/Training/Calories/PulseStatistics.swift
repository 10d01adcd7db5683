import Wire

/// Heart rate of a training.
public enum PulseStatistics {
    /// Nil without samples in the active time.
    /// - Parameters:
    ///   - samples: In any order.
    ///   - maximumPulse: For the zones, which are 0 without it.
    public static func summary(of samples: [PulseSample], in training: Training, maximumPulse: Int?) -> PulseSummary? {
        nil
    }
}
