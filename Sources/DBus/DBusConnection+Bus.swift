// SPDX-License-Identifier: Apache-2.0

/// The methods of the bus itself. Source: D-Bus Specification, "Message Bus Messages".
extension DBusConnection {
    @discardableResult
    private func callBus(_ member: String, _ arguments: [DBusValue]) async throws -> [DBusValue] {
        try await call(
            destination: ConnectionCore.busName, path: ConnectionCore.busPath, interface: ConnectionCore.busName,
            member: member, arguments: arguments)
    }

    /// Asks for a well-known name.
    public func requestName(_ name: String, flags: DBusNameFlags = [.doNotQueue]) async throws -> DBusNameOutcome {
        let reply = try await callBus("RequestName", [.string(name), .uint32(flags.rawValue)])
        guard let code = reply.first?.integer(as: UInt32.self), let outcome = DBusNameOutcome(rawValue: code) else {
            throw DBusError(name: DBusError.failed, message: "the bus gave an unknown answer to RequestName")
        }
        return outcome
    }

    /// Releases a well-known name. Does nothing if this connection does not own it.
    public func releaseName(_ name: String) async throws { try await callBus("ReleaseName", [.string(name)]) }

    /// Makes the bus start the service that owns a well-known name. ``nameOwnerChanges(of:)``
    /// reports the new owner.
    ///
    /// - Returns: Whether the bus knows how to start the service. Even a service that already runs
    ///   may be unknown to the bus in this sense.
    @discardableResult
    public func startService(_ name: String) async -> Bool {
        (try? await callBus("StartServiceByName", [.string(name), .uint32(0)])) != nil
    }

    /// Returns whether the bus knows how to start the owner of a well-known name.
    public func isActivatable(_ name: String) async throws -> Bool {
        try await callBus("ListActivatableNames", []).first?.stringsValue?.contains(name) ?? false
    }

    /// Returns the unique name of a name's owner, or `nil` if the name has no owner.
    public func owner(of name: String) async throws -> String? {
        do {
            return try await callBus("GetNameOwner", [.string(name)]).first?.stringValue
        } catch let error as DBusError where error.name == DBusError.nameHasNoOwner {
            return nil
        }
    }

    /// Returns whether the program behind a unique name is alive.
    ///
    /// The kernel closes a killed process's file descriptors one by one, and the connection to the
    /// bus is not the first. So a dead process may still own its name for a moment. Only a running
    /// process answers `Ping`. The answer may be an error, because the D-Bus libraries of some
    /// languages do not have this method. A program that does not answer in time counts as alive if
    /// it is still on the bus then.
    ///
    /// - Parameter patience: How long to wait for an answer.
    public func isAlive(_ name: String, patience: Duration = .seconds(5)) async -> Bool {
        let end = ContinuousClock.now + patience
        do {
            _ = try await call(
                destination: name, path: "/", interface: StandardInterfaces.peerName, member: "Ping", timeout: patience)
            return true
        } catch {
            if (error as? DBusError)?.saysThatNothingIsThere == true { return true }
        }
        guard (try? await owner(of: name)) != nil else { return false }
        try? await Task.sleep(until: end)
        return (try? await owner(of: name)) != nil
    }

    /// Returns a stream of changes of one name's owner, or of every name's owner.
    ///
    /// A peer that leaves the bus appears as its unique name without a new owner.
    public func nameOwnerChanges(of name: String? = nil) async throws -> AsyncStream<DBusNameOwnerChange> {
        try await nameOwnerChanges(arguments: name.map { [0: $0] } ?? [:])
    }

    /// Returns a stream of the names that lose their owner.
    ///
    /// These include the unique name of every peer that leaves the bus.
    public func departures() async throws -> AsyncStream<DBusNameOwnerChange> {
        try await nameOwnerChanges(arguments: [2: ""])
    }

    private func nameOwnerChanges(arguments: [Int: String]) async throws -> AsyncStream<DBusNameOwnerChange> {
        try await signals(matching: DBusNameOwnerChange.match(arguments), buffer: 65_536) {
            DBusNameOwnerChange($0.arguments)
        }
    }

    /// Returns the identity of a name's owner, which the bus knows from the kernel.
    public func credentials(of name: String) async throws -> DBusCredentials {
        let reply = try await callBus("GetConnectionCredentials", [.string(name)])
        let values = reply.first?.propertiesValue ?? [:]
        guard let user = values["UnixUserID"]?.integer(as: UInt32.self) else {
            throw DBusError(name: DBusError.failed, message: "the bus does not know the user of \(name)")
        }
        return DBusCredentials(
            userID: user, processID: values["ProcessID"]?.integer(as: UInt32.self),
            processDescriptor: values["ProcessFD"]?.descriptorValue,
            securityLabel: values["LinuxSecurityLabel"]?.bytesValue.flatMap(DBusCredentials.label))
    }
}
