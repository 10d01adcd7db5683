import EventLoop
import Glibc

/// Many descriptors of `/dev/null`. They lack O_CLOEXEC, so a program inherits them unless its start closes them.
struct OpenDescriptors {
    private let all: [Int32]

    init(_ count: Int) throws {
        DescriptorLimit.raise()
        all = (0..<count).map { _ in open("/dev/null", O_RDONLY) }
        guard all.allSatisfy({ $0 >= 0 }) else {
            close()
            throw SystemError(call: "open", code: EMFILE)
        }
    }

    func close() { for descriptor in all where descriptor >= 0 { Glibc.close(descriptor) } }
}
