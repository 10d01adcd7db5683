import Synchronization

/// A value that the tasks of a test share. A class, because tasks cannot capture a mutex itself.
final class Shared<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }

    func withLock<R: Sendable>(_ body: (inout Value) -> R) -> R {
        mutex.withLock { value in body(&value) }
    }
}
