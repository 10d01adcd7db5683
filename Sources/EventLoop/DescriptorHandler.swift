import CEpoll

/// What a loop calls when a descriptor is ready. On the loop.
///
/// A class and not a protocol, so that the loop can call without counting references, which took a tenth of an echo's time
/// outside the kernel.
public class DescriptorHandler {
    init() {}

    func handle(events: UInt32) {}
}

/// One watched descriptor. Only its loop uses it.
struct Registration {
    let descriptor: Int32
    /// Tells it from an earlier use of the same number.
    let generation: UInt32

    var epollData: epoll_data_t {
        epoll_data_t(u64: UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)))
    }
}
