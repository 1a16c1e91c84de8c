// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import Descriptors
import Glibc

/// The directory that stands for the air: its safety, its names, and what dead radios left in it.
struct SocketDirectory: Sendable {
    let path: String

    /// How many entries are looked at: more than that is not a radio's directory.
    static let maximumEntries = 4_096
    /// What may follow an address in a file's name: `.` and `d` with eight hexadecimal digits at
    /// most.
    static let maximumSuffixLength = 10

    /// Whether a name can be a radio's: 1 to 32 letters, digits, `-` and `_`, so that it is safe in
    /// a path.
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

    /// Whether a file's name is of interest to all radios: a radio's own socket, or the conditions.
    static func isOfAll(_ name: String) -> Bool {
        name == conditionsName || address(inName: name, suffix: "air") != nil
    }

    /// The address in the name of a socket, when it is one with that suffix; `nil` takes any
    /// suffix.
    static func address(inName name: String, suffix: String?) -> String? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, isValid(String(parts[0])), suffix == nil || parts[1] == suffix ?? "" else { return nil }
        return String(parts[0])
    }

    /// Creates the directory, 0700, or checks that nobody else can write there.
    ///
    /// - Throws: `TransportError(.invalidArgument)` that says what to do.
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

    /// Checks that every socket of a radio fits into `sun_path`.
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

    /// Does something while no other radio starts in the directory.
    func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        let descriptor = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw TransportError(errno: errno, "cannot open \(path)/lock") }
        defer { close(descriptor) }
        // Held only for a few system calls, by other radios' starts.
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw TransportError(errno: errno, "cannot lock \(path)/lock") }
        }
        return try body()
    }

    /// The names in the directory, in order.
    func names() -> [String] {
        guard let directory = opendir(path), let offset = MemoryLayout.offset(of: \dirent.d_name) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < Self.maximumEntries, let entry = readdir(directory) {
            // An entry ends with its name: the whole 256 bytes that the type has for one need not
            // be there to be copied.
            let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            names.append(String(cString: name))
        }
        return names.sorted()
    }

    /// The radios that have a socket for advertisements, dead ones among them.
    func addresses() -> [String] {
        names().compactMap { Self.address(inName: $0, suffix: "air") }
    }

    /// Removes the sockets whose radios are gone. Call with the lock held.
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

    /// Removes what a radio that ends has bound.
    func removeSockets(of address: String) {
        for name in names() where Self.address(inName: name, suffix: nil) == address { unlink("\(path)/\(name)") }
    }

    /// Whether somebody holds a radio's socket: connecting to one that nobody holds is refused.
    private func isAlive(_ address: String) -> Bool {
        let descriptor = socket(AF_UNIX, AirSocket.type, 0)
        guard descriptor >= 0, let target = UnixAddress(path: airPath(address)) else { return true }
        defer { close(descriptor) }
        return target.connect(descriptor) == 0 || errno != ECONNREFUSED
    }
}

extension sockaddr_un {
    /// The last component of the path; `nil` for abstract and unnamed sockets.
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
