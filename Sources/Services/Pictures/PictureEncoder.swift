import EventLoop
import Foundation
import Wire

/// Makes pictures anew from what was uploaded: libvips (Debian's `libvips-tools`) decodes it in a process of its own, since
/// decoders meet hostile bytes. Such a process sees the picture and nothing else of the machine (``EventLoop/Confinement``).
struct PictureEncoder: Sendable {
    /// A picture as it is kept. JPEG in sRGB, upright, without metadata.
    struct Encoded: Sendable {
        let width: Int
        let height: Int
        let full: [UInt8]
        let thumb: [UInt8]
    }

    /// What the programs need, and is not there.
    struct ToolMissing: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) is missing: apt-get install libvips-tools" }
    }

    /// A step failed for another reason than the picture.
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// Pixels of an upload, found in its header: more are not decoded. A small file can be a very large picture.
    static let pixelsMax = 50_000_000
    /// The longer side of a profile picture by the shorter one: of a longer strip the square shows nothing.
    static let profileOblongMax = 10
    /// Pixels of either side of the picture as it is kept.
    static let fullSideMax = 1_600
    /// Pixels of either side of its thumbnail.
    static let thumbSideMax = 320
    /// Bytes of either as it is kept; noise at full size takes about a third.
    static let encodedBytesMax = 4 * 1_048_576
    /// How long one of the programs may take; it is killed then. Fifty million pixels take two seconds of a core.
    static let stepTimeMax = Duration.seconds(30)
    /// What one of them may take. An interlaced picture of fifty million pixels and 16 bits a channel is held whole: 400 MB.
    static let limits = Confinement.Limits(
        addressSpaceBytes: 1_073_741_824, processorSeconds: 20, fileBytes: 67_108_864, descriptors: 64)
    /// Its working directories are called so, and a random ending.
    static let directoryPrefix = "campanile-picture-"
    /// Older ones were left behind by a server that was killed.
    static let leftoverSeconds = 3_600.0

    /// The programs, and what else they may execute.
    struct Tools: Sendable {
        var vips = "/usr/bin/vips"
        var vipsheader = "/usr/bin/vipsheader"
        /// Interpreters of the two, in tests.
        var interpreters: [String] = []

        static let installed = Tools()
        var programs: [String] { [vips, vipsheader] + interpreters }
    }

    /// Where working directories are made.
    let directory: String
    /// What each program may take; ``limits`` but in tests, and the same goes for the next.
    var limits = Self.limits
    var oblongMax = Self.profileOblongMax
    var tools = Tools.installed
    private let user = DecoderUser.current

    /// Decodes, shrinks and encodes. Blocks for up to some seconds: on a worker.
    /// - Throws: ``PictureRefused``; `storageFull`; ``ToolMissing``, ``Failed`` or `SystemError` when it is our fault.
    func encode(_ bytes: [UInt8], for purpose: PicturePurpose) throws -> Encoded {
        guard PictureFormat(bytes) != nil else { throw PictureRefused.type }
        for tool in [tools.vips, tools.vipsheader] where access(tool, X_OK) != 0 { throw ToolMissing(path: tool) }
        let work = try makeDirectory()
        defer { try? FileManager.default.removeItem(atPath: work) }
        try write(bytes, to: "\(work)/input")
        let size = try size(of: "\(work)/input", in: work)
        guard size.width <= Self.pixelsMax, size.height <= Self.pixelsMax / size.width else {
            throw PictureRefused.tooManyPixels
        }
        let (short, long) = (min(size.width, size.height), max(size.width, size.height))
        guard purpose != .profile || long <= short * oblongMax else { throw PictureRefused.tooOblong }
        let (input, full) = ("\(work)/input", "\(work)/full.jpg")
        try shrink(input, to: "\(full)[Q=82,strip,background=255]", in: work)
        let made = try self.size(of: full, in: work)
        // Of the picture, not of the upload: what is hostile is decoded once.
        let thumb = "\(work)/thumb.jpg[Q=78,strip]"
        if purpose == .profile {
            // Cut out first: enlarged first, as `thumbnail --crop` does, a strip of one pixel becomes a picture of millions.
            let (square, side) = ("\(work)/square.png", "\(min(made.width, made.height))")
            _ = try run(
                [tools.vips, "smartcrop", full, "\(square)[compression=1]", side, side, "--interesting", "attention"],
                in: work)
            try thumbnail(square, to: thumb, in: work, Self.thumbSideMax, [])
        } else {
            try thumbnail(full, to: thumb, in: work, Self.thumbSideMax, ["--size", "down"])
        }
        return Encoded(
            width: made.width, height: made.height, full: try read(full), thumb: try read("\(work)/thumb.jpg"))
    }

    // MARK: Programs

    /// Makes the picture as it is kept. One with a colour profile is turned to sRGB, and one without is sRGB: libvips 8.14 would
    /// shift the colours of such a one on the way.
    private func shrink(_ input: String, to output: String, in work: String) throws {
        let options = ["--size", "down"]
        if try hasProfile(input, in: work) {
            do {
                return try thumbnail(
                    input, to: output, in: work, Self.fullSideMax, options + ["--export-profile", "srgb"])
            } catch let error as PictureRefused where error == .damaged {
                // Perhaps it is only the profile that cannot be used: then without it.
            }
        }
        try thumbnail(input, to: output, in: work, Self.fullSideMax, options)
    }

    /// Shrinks to a side of so many pixels. EXIF's orientation is applied, and transparency laid on the background.
    private func thumbnail(
        _ input: String, to output: String, in work: String, _ side: Int, _ options: [String]
    ) throws {
        let command = [
            tools.vips, "thumbnail", input, output, "\(side)", "--height", "\(side)", "--fail-on", "truncated",
        ]
        _ = try run(command + options, in: work)
    }

    private func hasProfile(_ path: String, in work: String) throws -> Bool {
        do {
            _ = try run([tools.vipsheader, "-f", "icc-profile-data", path], in: work)
            return true
        } catch let error as PictureRefused where error == .damaged {
            // It has no such field.
            return false
        }
    }

    /// Reads the header: nothing is decoded.
    private func size(of path: String, in work: String) throws -> (width: Int, height: Int) {
        // Such as `/tmp/x/input: 4000x3000 uchar, 3 bands, srgb, jpegload`, and warnings on other lines.
        let output = try run([tools.vipsheader, path], in: work)
        guard let line = output.split(separator: "\n").last(where: { $0.hasPrefix("\(path): ") }),
            let numbers = line.dropFirst(path.utf8.count + 2).split(separator: " ").first?.split(separator: "x"),
            numbers.count == 2, let width = Int(numbers[0]), let height = Int(numbers[1]), width > 0, height > 0
        else { throw PictureRefused.damaged }
        return (width, height)
    }

    private func run(_ command: [String], in work: String) throws -> String {
        let environment = [
            // Formats that libvips itself does not trust with bytes from strangers stay shut.
            "VIPS_BLOCK_UNTRUSTED": "1", "VIPS_CONCURRENCY": "1", "MALLOC_ARENA_MAX": "2",
            // In memory, whose limit holds: a disc would be filled instead.
            "VIPS_DISC_THRESHOLD": "\(limits.addressSpaceBytes)", "TMPDIR": work, "HOME": work,
        ]
        let confinement = Confinement(
            programs: tools.programs, writable: [work], limits: limits,
            user: user.isAnother ? (user.userID, user.groupID) : nil)
        let finished: ChildProcess.Finished
        do {
            finished = try ChildProcess.run(
                command, environment: environment, confinement: confinement, timeLimit: Self.stepTimeMax)
        } catch {
            throw Failed(description: error.description)
        }
        if finished.isTimedOut { throw PictureRefused.tooMuchWork }
        guard finished.status != 0 else { return finished.output }
        if finished.output.contains("No space left on device") { throw RPCError.storageFull }
        // Of libvips, GLib and C++.
        if ["out of memory", "failed to allocate", "bad_alloc"].contains(where: { finished.output.contains($0) }) {
            throw PictureRefused.tooMuchWork
        }
        // SIGXCPU, and SIGKILL, which the kernel sends when there is no memory left.
        if [128 + SIGXCPU, 128 + SIGKILL].contains(finished.status) { throw PictureRefused.tooMuchWork }
        // The program gave up, as GLib does when no thread can be started: that says nothing of the picture.
        if [128 + SIGABRT, 128 + SIGTRAP].contains(finished.status) {
            let words = finished.output.split(separator: "\n").last ?? "it said nothing"
            throw Failed(description: "\(command[0]) ended by signal \(finished.status - 128): \(words.prefix(200))")
        }
        throw PictureRefused.damaged
    }

    // MARK: Files

    private func makeDirectory() throws -> String {
        var template = Array("\(directory)/\(Self.directoryPrefix)XXXXXX".utf8CString)
        // 0700, whatever the umask.
        guard mkdtemp(&template) != nil else { throw Self.failure("mkdtemp") }
        let path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        if user.isAnother { chown(path, user.userID, user.groupID) }
        return path
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw Self.failure("open") }
        defer { close(file) }
        if user.isAnother { fchown(file, user.userID, user.groupID) }
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("write") }
            offset += count
        }
    }

    /// A decoder that was taken over might have put a link there, to something that the server may read.
    private func read(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { throw Self.failure("open") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
            (1...Self.encodedBytesMax).contains(Int(status.st_size))
        else { throw Failed(description: "what was encoded is no file of a possible size") }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(file, $0.baseAddress?.advanced(by: offset), $0.count - offset)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("read") }
            offset += count
        }
        return bytes
    }

    private static func failure(_ call: String) -> any Error {
        errno == ENOSPC || errno == EDQUOT ? RPCError.storageFull : SystemError(call: call, code: errno)
    }

    /// Removes working directories that a server left behind when it was killed. Blocks: on a worker.
    func removeLeftovers() {
        let before = Date(timeIntervalSinceNow: -Self.leftoverSeconds)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        where name.hasPrefix(Self.directoryPrefix) {
            let path = "\(directory)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
                [geteuid(), user.userID].contains(status.st_uid),
                Double(status.st_mtim.tv_sec) < before.timeIntervalSince1970
            else { continue }
            try? FileManager.default.removeItem(atPath: path)
        }
    }
}
