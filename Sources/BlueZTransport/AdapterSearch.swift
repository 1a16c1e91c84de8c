// SPDX-License-Identifier: GPL-3.0-or-later

public import BatonTransport
internal import DBus

/// Finds the adapters that bluetoothd knows, before any radio exists.
///
/// The search calls bluetoothd by its unique name. A call to the well-known name would start
/// bluetoothd, but only the user should decide to start it.
public struct AdapterSearch: Sendable {
    /// The result of a search.
    public enum Answer: Hashable, Sendable {
        /// bluetoothd's adapters by name, sorted.
        case adapters([String])
        /// bluetoothd runs but lists no adapter, although the kernel has the given adapter.
        case unlisted(String)
        /// bluetoothd runs but does not answer.
        case silent
        /// bluetoothd does not run.
        case stopped
        /// There is no system bus.
        case noBus
    }

    private let configuration: BlueZConfiguration
    private let clock: any DeviceClock

    /// Creates a search for the adapters that a radio would use, powered or not.
    ///
    /// - Parameters:
    ///   - configuration: The adapter to look for, if the radio would use only one, and
    ///     bluetoothd's bus.
    ///   - clock: The clock that measures pauses.
    public init(configuration: BlueZConfiguration = BlueZConfiguration(), clock: any DeviceClock = SystemClock()) {
        self.configuration = configuration
        self.clock = clock
    }

    /// Returns the adapters that are present now.
    public func present() async -> Answer {
        guard let bus = try? await configuration.openBus() else { return .noBus }
        defer { bus.close() }
        return await present(on: bus)
    }

    /// Waits for the first adapter, across restarts of bluetoothd and of the bus.
    ///
    /// - Returns: The adapter's name, or `nil` when the task is cancelled.
    public func first() async -> String? {
        repeat {
            if let first = await firstOnBus() { return first }
        } while (try? await clock.sleep(until: clock.uptime + BlueZRadio.pauseBeforeAskingAgain)) != nil
        return nil
    }

    /// Waits for the first adapter over one connection to the bus.
    ///
    /// - Returns: The adapter's name, or `nil` when the connection ends or cannot be made.
    private func firstOnBus() async -> String? {
        guard let bus = try? await configuration.openBus() else { return nil }
        defer { bus.close() }
        guard let owners = try? await bus.nameOwnerChanges(of: BlueZ.service),
            let added = try? await bus.signals(
                matching: DBusMatch(
                    sender: BlueZ.service, path: "/", interface: BlueZ.objectManager, member: "InterfacesAdded"))
        else { return nil }
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        change.yield()
        return await withTaskGroup(of: String?.self) { group in
            group.addTask {
                for await _ in owners { change.yield() }
                change.finish()
                return nil
            }
            group.addTask {
                for await _ in added { change.yield() }
                return nil
            }
            group.addTask { await first(on: bus, askingAt: changes) { change.yield() } }
            defer { group.cancelAll() }
            for await found in group where found != nil { return found }
            return nil
        }
    }

    /// Looks for adapters at every change; returns `nil` when the changes end.
    ///
    /// bluetoothd sends no signal when it recovers from a hang, so it is asked again after a pause.
    private func first(
        on bus: DBusConnection, askingAt changes: AsyncStream<Void>, again: @escaping @Sendable () -> Void
    ) async -> String? {
        var alarm = Alarm()
        defer { alarm.clear() }
        for await _ in changes {
            switch await present(on: bus) {
            case .adapters(let names):
                if let first = names.first { return first }
            case .silent: alarm.set(to: clock.uptime + BlueZRadio.pauseBeforeAskingAgain, clock, action: again)
            case .stopped, .unlisted, .noBus: break
            }
        }
        return nil
    }

    private func present(on bus: DBusConnection) async -> Answer {
        guard let owner = try? await bus.owner(of: BlueZ.service) else { return .stopped }
        guard
            let reply = try? await bus.call(
                destination: owner, path: "/", interface: BlueZ.objectManager, member: "GetManagedObjects",
                arguments: [], timeout: .seconds(5)),
            let value = reply.first, value.keyedValues != nil
        else { return .silent }
        var objects = BlueZObjects(adapterName: configuration.adapter)
        _ = objects.take(managedObjects: value)
        let names = objects.adapters.values.filter(objects.isWanted).map(\.name).sorted()
        if names.isEmpty, let unlisted = configuration.adaptersOfKernel().first { return .unlisted(unlisted) }
        return .adapters(names)
    }
}
