import COpenSSL
import Glibc

/// Self-signed certificate for this machine only: to try out https, or for a server that only its owner uses. A browser warns about
/// it until the user trusts it.
public struct SelfSignedCertificate: Sendable {
    /// Validity of a certificate; browsers reject longer ones.
    static let validDays = 397
    /// A certificate with fewer days left is replaced when the server starts.
    static let validDaysMin = 30

    /// PEM, mode 0644.
    public let certificateFile: String
    /// PEM, mode 0600.
    public let keyFile: String
    /// Whether the certificate was created by this call.
    public let isNew: Bool

    /// Finds the certificate in a directory, or creates it: an ECDSA key on P-256, for `localhost`, the machine's name, 127.0.0.1
    /// and ::1. Blocks for some milliseconds.
    /// - Parameter directory: Created with mode 0755 if it does not exist; its parent must exist.
    /// - Throws: ``SystemError`` when files cannot be written, ``TLSError``.
    public static func findOrMake(in directory: String) throws -> SelfSignedCertificate {
        let (certificate, key) = ("\(directory)/localhost.pem", "\(directory)/localhost.key")
        if daysLeft(certificate) >= validDaysMin, (try? TLSContext(certificateFile: certificate, keyFile: key)) != nil {
            return SelfSignedCertificate(certificateFile: certificate, keyFile: key, isNew: false)
        }
        guard mkdir(directory, 0o755) == 0 || errno == EEXIST else {
            throw SystemError(call: "cannot make \(directory)", code: errno)
        }
        let made = try make(name: hostName())
        // The key is written first. If only one of the two files is written, the next start creates both again.
        try write(made.key, to: key, mode: 0o600)
        try write(made.certificate, to: certificate, mode: 0o644)
        return SelfSignedCertificate(certificateFile: certificate, keyFile: key, isNew: true)
    }

    /// Days until the certificate expires; 0 if it cannot be read.
    private static func daysLeft(_ path: String) -> Int {
        guard let bio = BIO_new_file(path, "r") else {
            ERR_clear_error()
            return 0
        }
        defer { BIO_free(bio) }
        guard let certificate = PEM_read_bio_X509(bio, nil, nil, nil) else {
            ERR_clear_error()
            return 0
        }
        defer { X509_free(certificate) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        // A nil start means the current time.
        guard ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(certificate)) == 1 else { return 0 }
        return Int(days)
    }

    /// The machine's name, if it contains only characters that are safe in a certificate.
    private static func hostName() -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let isPlain = bytes.allSatisfy {
            ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7a) || $0 == 0x2d || $0 == 0x2e
        }
        guard isPlain, !bytes.isEmpty, bytes.count <= 253 else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func make(name: String?) throws -> (certificate: [UInt8], key: [UInt8]) {
        guard let key = campanile_EVP_EC_gen_P256() else { throw TLSError.last("cannot make a key") }
        defer { EVP_PKEY_free(key) }
        guard let certificate = X509_new() else { throw TLSError.last("cannot make a certificate") }
        defer { X509_free(certificate) }
        // Version 3 is encoded as 2 (RFC 5280 §4.1.2.1). The serial number has 63 random bits, so that it is positive.
        let serial = UInt64.random(in: 1...(UInt64.max >> 1))
        guard X509_set_version(certificate, 2) == 1,
            ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1,
            X509_set_pubkey(certificate, key) == 1
        else { throw TLSError.last("cannot make a certificate") }
        // Valid from yesterday, because clocks differ.
        campanile_X509_set_days(certificate, -1, validDays - 1)
        let subject = X509_get_subject_name(certificate)
        guard X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, "localhost", -1, -1, 0) == 1,
            X509_NAME_add_entry_by_txt(subject, "O", MBSTRING_UTF8, "Campanile, self-signed", -1, -1, 0) == 1,
            X509_set_issuer_name(certificate, subject) == 1
        else { throw TLSError.last("cannot name the certificate") }
        var names = "DNS:localhost,IP:127.0.0.1,IP:::1"
        if let name, name != "localhost" { names += ",DNS:\(name)" }
        for (kind, value) in [
            (NID_subject_alt_name, names), (NID_basic_constraints, "critical,CA:FALSE"),
            (NID_key_usage, "critical,digitalSignature"), (NID_ext_key_usage, "serverAuth"),
        ] {
            guard let part = X509V3_EXT_conf_nid(nil, nil, kind, value) else {
                throw TLSError.last("cannot make a certificate")
            }
            defer { X509_EXTENSION_free(part) }
            guard X509_add_ext(certificate, part, -1) == 1 else { throw TLSError.last("cannot make a certificate") }
        }
        guard X509_sign(certificate, key, EVP_sha256()) > 0 else { throw TLSError.last("cannot sign a certificate") }
        return (
            try pem { PEM_write_bio_X509($0, certificate) },
            try pem { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
        )
    }

    private static func pem(_ write: (OpaquePointer) -> Int32) throws -> [UInt8] {
        guard let bio = BIO_new(BIO_s_mem()) else { throw TLSError.last("cannot write a certificate") }
        defer { BIO_free(bio) }
        var start: UnsafeMutablePointer<CChar>?
        guard write(bio) == 1, case let count = campanile_BIO_get_mem_data(bio, &start), count > 0, let start else {
            throw TLSError.last("cannot write a certificate")
        }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Writes a file atomically, because another process may read it meanwhile.
    private static func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws {
        let unfinished = "\(path).\(getpid())"
        unlink(unfinished)
        let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw SystemError(call: "cannot write \(path)", code: errno) }
        let written = Glibc.write(descriptor, bytes, bytes.count)
        let code = errno
        close(descriptor)
        guard written == bytes.count, rename(unfinished, path) == 0 else {
            let failure = SystemError(call: "cannot write \(path)", code: written == bytes.count ? errno : code)
            unlink(unfinished)
            throw failure
        }
    }
}
