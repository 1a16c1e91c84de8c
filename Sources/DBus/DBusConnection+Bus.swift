// SPDX-License-Identifier: Apache-2.0

/// What the bus itself offers. Source: D-Bus Specification, "Message Bus Messages".
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

    /// Gives a well-known name back; nothing happens when this connection did not own it.
    public func releaseName(_ name: String) async throws { try await callBus("ReleaseName", [.string(name)]) }

    /// Has the bus start whoever owns a well-known name, if it can; who owns it then is told by
    /// ``nameOwnerChanges(of:)``.
    ///
    /// - Returns: Whether the bus knows how to start it, which it need not of one that runs.
    @discardableResult
    public func startService(_ name: String) async -> Bool {
        (try? await callBus("StartServiceByName", [.string(name), .uint32(0)])) != nil
    }

    /// Whether the bus knows how to start whoever owns a well-known name.
    public func isActivatable(_ name: String) async throws -> Bool {
        try await callBus("ListActivatableNames", []).first?.stringsValue?.contains(name) ?? false
    }

    /// The unique name of a name's owner; `nil` when it has none.
    public func owner(of name: String) async throws -> String? {
        do {
            return try await callBus("GetNameOwner", [.string(name)]).first?.stringValue
        } catch let error as DBusError where error.name == DBusError.nameHasNoOwner {
            return nil
        }
    }

    /// Whether the program behind a unique name is alive.
    ///
    /// The kernel closes the descriptors of a process that was killed one by one, and the bus's not
    /// first: what the process held may be closed while it still has an owner's name. An answer to
    /// `Ping` says more, for it comes from a process that runs; also one that says that it has no
    /// such method, as some languages' libraries do. Who does not answer is alive if it is on the
    /// bus when the time is over.
    ///
    /// - Parameter patience: How long an answer is waited for.
    public func isAlive(_ name: String, patience: Duration = .seconds(5)) async -> Bool {
        let end = ContinuousClock.now + patience
        do {
            _ = try await call(
                destination: name, path: "/", interface: StandardInterfaces.peer, member: "Ping", timeout: patience)
            return true
        } catch {
            if (error as? DBusError)?.saysThatNothingIsThere == true { return true }
        }
        guard (try? await owner(of: name)) != nil else { return false }
        try? await Task.sleep(until: end)
        return (try? await owner(of: name)) != nil
    }

    /// The names that come, go and move; of one name, or of all.
    ///
    /// A peer that leaves the bus shows as its unique name without a new owner.
    public func nameOwnerChanges(of name: String? = nil) async throws -> AsyncStream<DBusNameOwnerChange> {
        try await nameOwnerChanges(arguments: name.map { [0: $0] } ?? [:]) { $0 }
    }

    /// The names that lose their owner, unique ones included: whoever leaves the bus is among them.
    public func departures() async throws -> AsyncStream<DBusNameOwnerChange> { try await departures { $0 } }

    /// The same, each made into something else at once; those that give `nil` are left out, and
    /// fill no buffer.
    ///
    /// The closure runs on the thread that owns the connection, and must not block.
    public func departures<Element: Sendable>(
        transform: @escaping @Sendable (DBusNameOwnerChange) -> Element?
    ) async throws -> AsyncStream<Element> {
        try await nameOwnerChanges(arguments: [2: ""], transform: transform)
    }

    private func nameOwnerChanges<Element: Sendable>(
        arguments: [Int: String], transform: @escaping @Sendable (DBusNameOwnerChange) -> Element?
    ) async throws -> AsyncStream<Element> {
        let match = DBusMatch(
            sender: ConnectionCore.busName, path: ConnectionCore.busPath, interface: ConnectionCore.busName,
            member: "NameOwnerChanged", arguments: arguments)
        return try await signals(matching: match, buffer: 65_536) { signal in
            let names = signal.arguments.compactMap(\.stringValue)
            guard names.count == 3 else { return nil }
            return transform(DBusNameOwnerChange(name: names[0], newOwner: names[2].isEmpty ? nil : names[2]))
        }
    }

    /// Who is behind a name, as the bus knows from the kernel.
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
