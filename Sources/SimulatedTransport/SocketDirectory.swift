// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import Descriptors
import Glibc

/// The directory that represents the air: its permissions, its file names, and dead radios' files.
struct SocketDirectory: Sendable {
    let path: String

    /// The maximum number of entries that are read, which is more than all simulated radios need.
    static let maximumEntries = 4_096
    /// The length of the longest suffix of an address in a file's name: `.` and `d` with eight
    /// hexadecimal digits.
    static let maximumSuffixLength = 10

    /// Returns whether a radio can have a name: 1 to 32 letters, digits, `-` and `_`.
    ///
    /// Such a name is safe in a path.
    static func isValid(_ address: String) -> Bool {
        (1...32).contains(address.utf8.count)
            && address.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    func airPath(_ address: String) -> String { "\(path)/\(address).air" }
    func channelPath(_ address: String, psm: UInt16) -> String { "\(path)/\(address).\(psm)" }
    func dialPath(_ address: String, number: UInt32) -> String { "\(path)/\(address).d\(String(number, radix: 16))" }
    var conditionsPath: String { "\(path)/\(Self.conditionsName)" }
    private static let conditionsName = "conditions.json"

    /// Returns whether a file concerns all radios: a radio's own socket, or the conditions.
    static func isOfAll(_ name: String) -> Bool {
        name == conditionsName || address(inName: name, suffix: "air") != nil
    }

    /// Returns the address in a socket's name with a suffix, or nil. A nil suffix allows any
    /// suffix.
    static func address(inName name: String, suffix: String?) -> String? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, isValid(String(parts[0])), suffix == nil || parts[1] == suffix ?? "" else { return nil }
        return String(parts[0])
    }

    /// Creates the directory with mode 0700, or checks that no other user can write to it.
    ///
    /// - Throws: `TransportError` that says what to do.
    func prepare() throws {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw TransportError(
                errno: errno,
                "cannot make \(path) for the simulated radio; name another, in a directory that is there and that you can write to"
            )
        }
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw TransportError(errno: errno, "cannot look at the simulated radio's directory \(path)")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw TransportError(.invalidArgument, "\(path) is not a directory; name another for the simulated radio")
        }
        guard status.st_uid == geteuid() else {
            throw TransportError(.invalidArgument, "\(path) belongs to another user; name a directory of your own")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw TransportError(
                .invalidArgument, "others can write to \(path); name another directory, that only you can write to")
        }
    }

    /// Checks that the path of every socket of a radio fits into `sun_path`.
    ///
    /// - Throws: `TransportError(.invalidArgument)`.
    func checkLength(for address: String) throws {
        let length = path.utf8.count + 1 + address.utf8.count + Self.maximumSuffixLength
        guard length <= UnixAddress.maximumPathLength else {
            throw TransportError(
                .invalidArgument,
                "the simulated radio's sockets would have paths of \(length) bytes, over the system's "
                    + "\(UnixAddress.maximumPathLength); choose a shorter directory than \(path)")
        }
    }

    /// Runs a closure while no other radio starts in the directory.
    func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        let descriptor = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw TransportError(errno: errno, "cannot open \(path)/lock") }
        defer { close(descriptor) }
        // Other radios hold the lock only during their start, for a few system calls.
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw TransportError(errno: errno, "cannot lock \(path)/lock") }
        }
        return try body()
    }

    /// Returns the names of the directory's entries, sorted.
    func names() -> [String] {
        guard let directory = opendir(path), let offset = MemoryLayout.offset(of: \dirent.d_name) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < Self.maximumEntries, let entry = readdir(directory) {
            // A `dirent` ends with its name. Do not copy all of the 256 bytes that the type has for
            // the name, because some of them may lie outside of the buffer.
            let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            names.append(String(cString: name))
        }
        return names.sorted()
    }

    /// Returns the addresses of radios with a socket for advertisements, including dead radios.
    func addresses() -> [String] { names().compactMap { Self.address(inName: $0, suffix: "air") } }

    /// Removes the sockets of dead radios. Call this function with the lock held.
    func removeStale() {
        let names = names()
        let living = Set(names.compactMap { Self.address(inName: $0, suffix: "air") }.filter(isAlive))
        for name in names {
            guard let address = Self.address(inName: name, suffix: nil), !living.contains(address) else { continue }
            var status = stat()
            let file = "\(path)/\(name)"
            if lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { unlink(file) }
        }
    }

    func removeSockets(of address: String) {
        for name in names() where Self.address(inName: name, suffix: nil) == address { unlink("\(path)/\(name)") }
    }

    /// Returns whether a process holds a radio's socket. If no process holds it, the kernel refuses
    /// to connect.
    private func isAlive(_ address: String) -> Bool {
        let descriptor = socket(AF_UNIX, AirSocket.type, 0)
        guard descriptor >= 0, let target = UnixAddress(path: airPath(address)) else { return true }
        defer { close(descriptor) }
        return target.connect(descriptor) == 0 || errno != ECONNREFUSED
    }
}

extension sockaddr_un {
    /// Returns the last component of the path, or nil for abstract and unnamed sockets.
    func fileName(length: socklen_t) -> String? {
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let count = min(Int(length), MemoryLayout<sockaddr_un>.size) - offset
        guard sun_family == sa_family_t(AF_UNIX), count > 0 else { return nil }
        let path = withUnsafeBytes(of: sun_path) { bytes in
            String(decoding: bytes.prefix(count).prefix { $0 != 0 }, as: UTF8.self)
        }
        return path.split(separator: "/").last.map(String.init)
    }
}
