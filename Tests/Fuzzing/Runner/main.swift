import Glibc

/// libFuzzer's own entry point (LLVM, "Using libFuzzer as a library"): runs `callback` on inputs until its options say to stop.
@_silgen_name("LLVMFuzzerRunDriver")
func fuzzerRunDriver(
    _ argc: UnsafeMutablePointer<Int32>,
    _ argv: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// Prints a line where libFuzzer prints.
func complain(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
}

/// Set once, before the fuzzer starts.
nonisolated(unsafe) var chosen: FuzzTarget?

let arguments = CommandLine.arguments
if arguments.count == 2, arguments[1] == "--list" {
    for target in FuzzTarget.all { print(target.name, target.inputBytesMax) }
    exit(0)
}
guard arguments.count >= 2, let target = FuzzTarget.named(arguments[1]) else {
    complain("usage: campanile-fuzz --list | TARGET [libFuzzer's options] [CORPUS...]")
    exit(64)
}
chosen = target
// Without the target's name, as if it were not there.
var rest = [CommandLine.unsafeArgv[0]] + (2..<arguments.count).map { CommandLine.unsafeArgv[$0] } + [nil]
var count = Int32(rest.count - 1)
let status = rest.withUnsafeMutableBufferPointer { buffer -> Int32 in
    guard var argv = buffer.baseAddress else { return 70 }
    return fuzzerRunDriver(&count, &argv) { bytes, size in
        do {
            try chosen?.run(Array(UnsafeBufferPointer(start: bytes, count: size)))
        } catch {
            complain("== \(chosen?.name ?? ""): \(error)")
            // libFuzzer keeps the input and ends.
            abort()
        }
        return 0
    }
}
exit(status)
