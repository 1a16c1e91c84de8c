// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import FoundationEssentials

/// `org.batonproject.Baton1.Files`: the user's shared folders, and copies of documents.
package enum FilesInterface: BusInterface {
    static let name = BatonBusName.files
    /// Answers with the present files. Sends the client the files after each change until the
    /// client leaves.
    package static let follow: BusCall<Void, UserFiles> = BusCall(
        name, "Follow", returns: .dictionary("files"), needs: .managing)
    /// Adds, changes or removes a shared folder. An empty path removes the folder from the list.
    package static let setFolder = BusCall(
        name, "SetFolder", takes: .both(.line("name", 1...255), .line("path", 0...4_095)), needs: .managing)

    static let methods: [any BusMethod] = [follow, setFolder]
    static let signals = [signal("Changed", ["files": "a{sv}"])]
}

/// The user's files.
extension BatonBusClient {
    /// Returns the shared folders and copies, then again after each change. The stream finishes
    /// when the bus disconnects.
    ///
    /// Call this again when ``daemonPresence()`` reports that the daemon was restarted.
    public func userFiles() async throws -> AsyncStream<UserFiles> {
        let changes = try await events(of: BatonBusName.files, member: "Changed") {
            try? UserFiles(bus: $0.arguments.first)
        }
        return Self.following(try await call(FilesInterface.follow), changes)
    }

    /// Adds a shared folder, or gives it another path.
    public func setFolder(_ name: String, to path: String) async throws {
        try await call(FilesInterface.setFolder, (name, path))
    }

    /// Removes a shared folder from the list. The folder itself stays.
    public func removeFolder(_ name: String) async throws { try await call(FilesInterface.setFolder, (name, "")) }
}

extension UserFiles: BusRecord {
    static var blank: Self { Self() }
    static let fields: [BusField<Self>] = [.list("folders", \.folders), .list("copies", \.copies)]
}

extension SharedFolder: BusRecord {
    static var blank: Self { Self(name: "", path: "") }
    static let fields: [BusField<Self>] = [.text("name", \.name), .text("path", \.path)]
}

extension DocumentCopy: BusRecord {
    static var blank: Self { Self(path: "", size: 0, changed: Date(timeIntervalSince1970: 0)) }
    static let fields: [BusField<Self>] = [
        .text("path", \.path), .number("size", \.size) { .uint64($0) }, .date("changed", \.changed),
    ]
}
