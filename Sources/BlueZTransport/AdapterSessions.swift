// SPDX-License-Identifier: GPL-3.0-or-later

/// The sessions of all adapters in use. A session begins when its adapter becomes ready, and ends
/// when its adapter is no longer ready.
///
/// An adapter has one session at a time. The next session starts work only after the previous one
/// has ended.
struct AdapterSessions<Session: Sendable> {
    /// The advertisement that is wanted on every adapter.
    struct Wish: Sendable {
        /// The value of the manufacturer data, or `nil` for no advertisement.
        var payload: [UInt8]?
        /// A number that grows with each change of the wanted advertisement, so that outdated
        /// requests can be ignored.
        var generation: UInt64 = 0
    }

    /// A session that is about to start work.
    struct Beginning {
        let session: Session
        /// The task that ends the adapter's previous session. Wait for it before the start.
        let predecessor: Task<Void, Never>?
        fileprivate let adapter: String
        fileprivate let number: UInt64
    }

    private struct Entry {
        let session: Session
        let number: UInt64
        let monitors: Bool
        /// Whether the session has started work: `false` while its predecessor has not ended.
        var isAtWork: Bool
        var advertisingRefusal: Refusal?
        var scanningRefusal: Refusal?
    }

    private let stop: @Sendable (Session) async -> Void
    private var entries: [String: Entry] = [:]
    private var endings: [String: Task<Void, Never>] = [:]
    private var begun: UInt64 = 0
    /// The newest wanted advertisement.
    private(set) var wish = Wish()

    /// Creates an instance without sessions.
    ///
    /// - Parameter stop: Called to end a session's work. The function returns when the work is
    ///   over.
    init(stop: @escaping @Sendable (Session) async -> Void) { self.stop = stop }

    /// The paths of all adapters with a session, sorted. The session may still wait for its
    /// predecessor.
    var adapters: [String] { entries.keys.sorted() }

    /// The sessions that have started work.
    var all: [Session] { entries.values.filter(\.isAtWork).map(\.session) }

    /// The session of an adapter, whether it has started work or not.
    subscript(adapter: String) -> Session? { entries[adapter]?.session }

    /// The present refusals from bluetoothd, by adapter path.
    var refusals: [String: Refusal] { entries.compactMapValues { $0.advertisingRefusal ?? $0.scanningRefusal } }

    /// Replaces the wanted advertisement.
    ///
    /// - Returns: The new wanted advertisement, with its generation.
    mutating func want(_ payload: [UInt8]?) -> Wish {
        wish = Wish(payload: payload, generation: wish.generation + 1)
        return wish
    }

    /// Updates the session of an adapter to the adapter's state. Ends the session if the adapter is
    /// no longer ready, or if its way of scanning has changed.
    ///
    /// - Parameters:
    ///   - monitors: Whether the adapter offers advertisement monitors.
    ///   - make: Called to make a session that has not started work; returns `nil` if none can be
    ///     made.
    /// - Returns: The session that should start, if there is a new one.
    mutating func update(_ adapter: String, isReady: Bool, monitors: Bool, make: () -> Session?) -> Beginning? {
        if let entry = entries[adapter], !isReady || entry.monitors != monitors { end(adapter) }
        guard isReady, entries[adapter] == nil, let session = make() else { return nil }
        let predecessor = endings[adapter]
        begun += 1
        entries[adapter] = Entry(session: session, number: begun, monitors: monitors, isAtWork: predecessor == nil)
        return Beginning(session: session, predecessor: predecessor, adapter: adapter, number: begun)
    }

    /// Marks a session as started, after its predecessor has ended.
    ///
    /// - Returns: `false` if the session itself has already ended.
    mutating func begin(_ beginning: Beginning) -> Bool {
        guard entries[beginning.adapter]?.number == beginning.number else { return false }
        entries[beginning.adapter]?.isAtWork = true
        return true
    }

    /// Ends every session.
    ///
    /// - Returns: The tasks to await until all work is over.
    mutating func endAll() -> [Task<Void, Never>] {
        for adapter in adapters { end(adapter) }
        return Array(endings.values)
    }

    /// Records the refusal of an adapter's advertisement, or `nil` if the advertisement is as
    /// wanted.
    mutating func noteAdvertising(on adapter: String, refusal: Refusal?) {
        entries[adapter]?.advertisingRefusal = refusal
    }

    /// Records the refusal of scanning on an adapter, or `nil` if the adapter scans as wanted.
    mutating func noteScanning(on adapter: String, refusal: Refusal?) {
        entries[adapter]?.scanningRefusal = refusal
    }

    // MARK: -

    private mutating func end(_ adapter: String) {
        guard let session = entries.removeValue(forKey: adapter)?.session else { return }
        let earlier = endings[adapter]
        endings[adapter] = Task { [stop] in
            await earlier?.value
            await stop(session)
        }
    }
}
