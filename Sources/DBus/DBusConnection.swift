// SPDX-License-Identifier: Apache-2.0

/// A private connection to a message bus.
public final class DBusConnection: Sendable {
    public let uniqueName: String
    init(uniqueName: String) { self.uniqueName = uniqueName }
    static var later: DBusError { DBusError(name: DBusError.failed, message: "not yet") }

    public static func session(limits: DBusLimits = DBusLimits()) async throws -> DBusConnection { throw later }
    public static func system(limits: DBusLimits = DBusLimits()) async throws -> DBusConnection { throw later }
    public static func open(address: String, limits: DBusLimits = DBusLimits()) async throws -> DBusConnection {
        throw later
    }
    public func close() {}
    public var isClosed: Bool { true }
    /// Yields once, with the reason, when the connection ends; then finishes.
    public var disconnected: AsyncStream<DBusError> { AsyncStream { $0.finish() } }
    @discardableResult
    public func call(
        destination: String, path: String, interface: String, member: String, arguments: [DBusValue] = [],
        timeout: Duration = .seconds(25)
    ) async throws -> [DBusValue] { throw Self.later }
    public func signals(matching match: DBusMatch, buffer: Int = 1_024) async throws -> AsyncStream<DBusSignal> {
        throw Self.later
    }
    public func emit(
        path: String, interface: String, member: String, arguments: [DBusValue] = [], destination: String? = nil
    ) throws {}
    public func requestName(_ name: String, flags: DBusNameFlags = [.doNotQueue]) async throws -> DBusNameOutcome {
        throw Self.later
    }
    public func releaseName(_ name: String) async throws {}
    public func owner(of name: String) async throws -> String? { throw Self.later }
    public func nameOwnerChanges(of name: String? = nil) async throws -> AsyncStream<DBusNameOwnerChange> {
        throw Self.later
    }
    public func credentials(of name: String) async throws -> DBusCredentials { throw Self.later }
    public func export(_ object: DBusObject, at path: String) throws {}
    public func unexport(path: String) {}
    public func cancelCalls(from sender: String) {}
}
