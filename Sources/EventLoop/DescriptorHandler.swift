import CEpoll

/// Receiver of a descriptor's readiness events. The loop calls it on its own queue.
///
/// A class and not a protocol, so that the loop can call it without reference counting, which took a tenth of an echo's time
/// outside the kernel.
public class DescriptorHandler {
    init() {}

    func handle(events: UInt32) {}
}

/// Registration of a descriptor with a loop. Used on that loop only.
struct Registration {
    let descriptor: Int32
    /// Distinguishes this registration from an earlier one with the same descriptor number.
    let generation: UInt32

    var epollData: epoll_data_t {
        epoll_data_t(u64: UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)))
    }
}
