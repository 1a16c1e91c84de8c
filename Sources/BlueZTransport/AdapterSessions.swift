// SPDX-License-Identifier: GPL-3.0-or-later

/// Which adapters are worked on: a session begins when its adapter is ready, and ends when that is
/// over.
///
/// Of one adapter there is one session at a time: the next begins work once the one before has
/// ended.
struct AdapterSessions<Session: Sendable> {
    /// What every adapter is to advertise.
    struct Wish: Sendable {
        /// The value of the manufacturer data; `nil` for silence.
        var payload: [UInt8]?
        /// Grows with each wish, so that one that was overtaken can be told.
        var generation: UInt64 = 0
    }

    /// A session that is to begin work.
    struct Beginning {
        let session: Session
        /// What must be over first.
        let predecessor: Task<Void, Never>?
        fileprivate let adapter: String
        fileprivate let number: UInt64
    }

    private struct Entry {
        let session: Session
        let number: UInt64
        let monitors: Bool
        /// Nothing is asked of one whose predecessor has not ended.
        var isAtWork: Bool
        var advertisingRefusal: Refusal?
        var scanningRefusal: Refusal?
    }

    private let stop: @Sendable (Session) async -> Void
    private var entries: [String: Entry] = [:]
    private var endings: [String: Task<Void, Never>] = [:]
    private var begun: UInt64 = 0
    /// The newest wish.
    private(set) var wish = Wish()

    /// No adapter is worked on.
    ///
    /// - Parameter stop: Ends a session's work; returns once it is over.
    init(stop: @escaping @Sendable (Session) async -> Void) { self.stop = stop }

    /// The paths of the adapters that are worked on, or will be as soon as what was before has
    /// ended, in order.
    var adapters: [String] { entries.keys.sorted() }

    /// The sessions at work.
    var all: [Session] { entries.values.filter(\.isAtWork).map(\.session) }

    /// The session of an adapter, at work or not.
    subscript(adapter: String) -> Session? { entries[adapter]?.session }

    /// What each adapter that is worked on was refused, by the adapter's path.
    var refusals: [String: Refusal] { entries.compactMapValues { $0.advertisingRefusal ?? $0.scanningRefusal } }

    /// Takes what is to be advertised from now on.
    mutating func want(_ payload: [UInt8]?) -> Wish {
        wish = Wish(payload: payload, generation: wish.generation + 1)
        return wish
    }

    /// Takes an adapter's state: ends its session when it is not ready any more, or can scan in
    /// another way now.
    ///
    /// - Parameters:
    ///   - monitors: Whether it offers advertisement monitors.
    ///   - make: Makes a session that is at rest, if one can be made.
    /// - Returns: The session that is to begin, if any.
    mutating func update(_ adapter: String, isReady: Bool, monitors: Bool, make: () -> Session?) -> Beginning? {
        if let entry = entries[adapter], !isReady || entry.monitors != monitors { end(adapter) }
        guard isReady, entries[adapter] == nil, let session = make() else { return nil }
        let predecessor = endings[adapter]
        begun += 1
        entries[adapter] = Entry(session: session, number: begun, monitors: monitors, isAtWork: predecessor == nil)
        return Beginning(session: session, predecessor: predecessor, adapter: adapter, number: begun)
    }

    /// What a session had to wait for is over.
    ///
    /// - Returns: Whether it is at work now; it may have ended meanwhile.
    mutating func begin(_ beginning: Beginning) -> Bool {
        guard entries[beginning.adapter]?.number == beginning.number else { return false }
        entries[beginning.adapter]?.isAtWork = true
        return true
    }

    /// Ends every session.
    ///
    /// - Returns: What must be awaited until all work is over.
    mutating func endAll() -> [Task<Void, Never>] {
        for adapter in adapters { end(adapter) }
        return Array(endings.values)
    }

    /// An adapter advertises what it should, be it nothing, or has refused to.
    mutating func noteAdvertising(on adapter: String, refusal: Refusal?) {
        entries[adapter]?.advertisingRefusal = refusal
    }

    /// An adapter scans, or has refused to.
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
