import COpenSSL
import Synchronization

/// Encrypts and authenticates the frames between nodes: AES-256-GCM (NIST SP 800-38D). Each run of each node has its own key,
/// derived from the campus's key. The subject is authenticated as well, so that a message cannot be passed off as one to another
/// subject.
///
/// | byte | |
/// |---|---|
/// | 0 | version, 2 |
/// | 1 | number of the campus's key |
/// | 2-3 | 0 |
/// | 4-11 | the sending node |
/// | 12-15 | random salt of this run of the node |
/// | 16-23 | counter of all messages of this run, from 1; the nonce is bytes 12-23 |
/// | 24… | the frame (``BusFrame``), encrypted |
/// | last 16 | the authentication tag |
final class BusSeal: Sendable {
    static let version: UInt8 = 2
    static let headBytes = 24
    static let tagBytes = 16
    /// Bytes that encryption adds to a frame.
    static let overheadBytes = headBytes + tagBytes
    /// Runs of other nodes whose derived keys are cached.
    static let sendersMax = 128

    enum Failure: Error {
        /// The header is not one of this version.
        case unreadable
        /// The message is not encrypted with a key of this campus, or was modified.
        case forged
    }
    struct Opened {
        let node: NodeID
        let counter: UInt64
        let frame: [UInt8]
    }

    private struct Sending {
        var cipher: Cipher
        var key: UInt8
        var generation: Int
        var counter: UInt64 = 0
    }
    private struct Sender: Hashable {
        let node: UInt64
        let salt: UInt32
        let key: UInt8
    }
    private struct Receiving {
        var ciphers: [Sender: Cipher] = [:]
        var generation = 0
    }

    private let node: NodeID
    private let campus: String
    private let keyring: BusKeyring
    private let salt = UInt32.random(in: .min ... .max)
    private let sending: Mutex<Sending>
    private let receiving = Mutex(Receiving())

    /// - Parameter campus: Identifies the campus, and is part of the derived keys. A copy of a database has the same key but is
    ///   another campus.
    init(_ keyring: BusKeyring, node: NodeID, campus: String) {
        self.keyring = keyring
        self.node = node
        self.campus = campus
        let (key, generation) = keyring.sealing
        sending = Mutex(
            Sending(
                cipher: Cipher(Self.derived(key, campus: campus, node: node.bits, salt: salt), isSealing: true),
                key: key.number, generation: generation))
    }

    /// Encrypts a frame. Each call uses a higher counter, so frames must be sent in the order of the calls.
    func seal(_ frame: [UInt8], subject: String) -> [UInt8] {
        sending.withLock { sending in
            let (key, generation) = keyring.sealing
            if generation != sending.generation {
                if key.number != sending.key {
                    sending.cipher = Cipher(
                        Self.derived(key, campus: campus, node: node.bits, salt: salt), isSealing: true)
                    sending.key = key.number
                }
                sending.generation = generation
            }
            // The counter continues under a new key, because receivers track it for the run and not for the key.
            sending.counter += 1
            var bytes: [UInt8] = []
            bytes.reserveCapacity(Self.overheadBytes + frame.count)
            bytes += [Self.version, sending.key, 0, 0]
            bytes.append(bigEndian: node.bits)
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: salt >> UInt32(shift))) }
            bytes.append(bigEndian: sending.counter)
            sending.cipher.seal(frame, subject: subject, into: &bytes)
            return bytes
        }
    }

    /// Authenticates and decrypts a message.
    /// - Throws: ``Failure``.
    func open(_ bytes: UnsafeRawBufferPointer, subject: String) throws(Failure) -> Opened {
        guard bytes.count >= Self.overheadBytes, bytes[0] == Self.version, bytes[2] == 0, bytes[3] == 0,
            bytes.count <= Self.overheadBytes + BusFrame.requestHeadBytes + BusLimits.messageBytesMax
        else { throw .unreadable }
        let sender = Sender(
            node: BusFrame.number(bytes, at: 4),
            salt: UInt32(truncatingIfNeeded: BusFrame.number(bytes, at: 8)), key: bytes[1])
        let frame = receiving.withLock { receiving -> [UInt8]? in
            let (key, generation) = keyring.accepted(sender.key)
            if generation != receiving.generation {
                receiving.ciphers.removeAll()
                receiving.generation = generation
            }
            guard let key else { return nil }
            let known = receiving.ciphers[sender]
            let cipher =
                known
                ?? Cipher(
                    Self.derived(key, campus: campus, node: sender.node, salt: sender.salt), isSealing: false)
            guard let frame = cipher.open(bytes, subject: subject) else { return nil }
            // Only a sender that has the key can occupy a cache entry.
            if known == nil {
                if receiving.ciphers.count >= Self.sendersMax { receiving.ciphers.removeAll() }
                receiving.ciphers[sender] = cipher
            }
            return frame
        }
        guard let frame else { throw .forged }
        return Opened(node: NodeID(bits: sender.node), counter: BusFrame.number(bytes, at: 16), frame: frame)
    }

    /// Derives the key of one run of a node (HKDF's extract step, RFC 5869). No two runs share a key, so counters can start at 1.
    private static func derived(_ key: BusKey, campus: String, node: UInt64, salt: UInt32) -> [UInt8] {
        var context = Array("campanile bus 2 \(campus) ".utf8)
        context.append(bigEndian: node)
        context.append(bigEndian: UInt64(salt))
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        let made = HMAC(EVP_sha256(), key.bytes, Int32(key.bytes.count), context, context.count, &digest, &length)
        precondition(made != nil, "OpenSSL has no HMAC")
        return Array(digest.prefix(BusKey.keyBytes))
    }
}

/// AES-256-GCM with one key. The context is kept, because the key schedule costs more than encrypting a short message.
///
/// `@unchecked Sendable`: used under the mutex of its owner.
private final class Cipher: @unchecked Sendable {
    private let context: OpaquePointer

    init(_ key: [UInt8], isSealing: Bool) {
        guard let made = EVP_CIPHER_CTX_new() else { preconditionFailure("OpenSSL has no memory") }
        context = made
        // The nonce length of 12 bytes is GCM's default.
        let isReady = EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, key, nil, isSealing ? 1 : 0)
        precondition(isReady == 1, "OpenSSL has no AES-256-GCM")
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Appends the encrypted frame and the tag to a header.
    func seal(_ frame: [UInt8], subject: String, into bytes: inout [UInt8]) {
        var length: Int32 = 0
        let head = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: frame.count + BusSeal.tagBytes))
        let isDone = bytes.withUnsafeMutableBytes { all -> Bool in
            guard let base = all.bindMemory(to: UInt8.self).baseAddress else { return false }
            return EVP_EncryptInit_ex(context, nil, nil, nil, base + 12) == 1
                && EVP_EncryptUpdate(context, nil, &length, base, Int32(head)) == 1
                && authenticate(subject)
                && EVP_EncryptUpdate(context, base + head, &length, frame, Int32(frame.count)) == 1
                && EVP_EncryptFinal_ex(context, base + head + Int(length), &length) == 1
                && EVP_CIPHER_CTX_ctrl(
                    context, EVP_CTRL_AEAD_GET_TAG, Int32(BusSeal.tagBytes), base + head + frame.count) == 1
        }
        precondition(isDone, "OpenSSL does not encrypt")
    }

    /// Decrypts a frame; nil if the tag does not match.
    func open(_ bytes: UnsafeRawBufferPointer, subject: String) -> [UInt8]? {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
        let count = bytes.count - BusSeal.overheadBytes
        var tag = Array(bytes.suffix(BusSeal.tagBytes))
        var length: Int32 = 0
        guard EVP_DecryptInit_ex(context, nil, nil, nil, base + 12) == 1,
            EVP_DecryptUpdate(context, nil, &length, base, Int32(BusSeal.headBytes)) == 1, authenticate(subject)
        else { return nil }
        var isDone = false
        let frame = [UInt8](unsafeUninitializedCapacity: count) { room, made in
            guard
                count == 0
                    || EVP_DecryptUpdate(
                        context, room.baseAddress, &length, base + BusSeal.headBytes, Int32(count)) == 1,
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(BusSeal.tagBytes), &tag) == 1
            else { return }
            var nothing: UInt8 = 0
            isDone = EVP_DecryptFinal_ex(context, &nothing, &length) == 1
            made = isDone ? count : 0
        }
        return isDone ? frame : nil
    }

    private func authenticate(_ subject: String) -> Bool {
        var length: Int32 = 0
        var subject = subject
        return subject.withUTF8 { EVP_CipherUpdate(context, nil, &length, $0.baseAddress, Int32($0.count)) == 1 }
    }
}
