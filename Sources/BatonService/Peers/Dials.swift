// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The dials to other devices that are under way, and the callers that wait for them.
///
/// There is one dial for each device and route. ``Dialler`` decides how often and how long to dial,
/// and `HandoffService+Dialling` decides where.
struct Dials<Link: Sendable>: Sendable {
    /// The identity of a dial under way.
    ///
    /// Each route has its own dial. A request for a nearby device must not wait for a dial that may
    /// end in TCP, or that accepts a weaker signal.
    struct ID: Hashable {
        let device: DeviceID
        let route: Route
    }

    /// A dial, and the callers that wait for it.
    struct Dial {
        let task: Task<Void, any Error>
        let waiters: Waiters<Link>
        /// When the dialled device was last heard, on any channel of the dial.
        let signs: SignsOfLife
    }

    private var all: [ID: Dial] = [:]

    var count: Int { all.count }
    /// The number of callers that wait for dials.
    var waiterCount: Int { all.values.reduce(0) { $0 + $1.waiters.count } }
    var isEmpty: Bool { all.isEmpty }

    /// The dial to a device on a route, or nil if none is under way.
    subscript(id: ID) -> Dial? { all[id] }

    mutating func begin(_ id: ID, _ dial: Dial) { all[id] = dial }

    /// Removes a dial that has ended. Does nothing if another dial has already taken its place.
    mutating func ended(_ id: ID, _ waiters: Waiters<Link>) {
        if all[id]?.waiters === waiters { all[id] = nil }
    }

    /// Returns the routes on which a device is being dialled.
    func routes(to device: DeviceID) -> [Route] { all.keys.filter { $0.device == device }.map(\.route) }

    /// Ends a dial because a suitable link exists now. The dial's callers receive that link.
    mutating func answered(_ id: ID, with link: Link) {
        guard let dial = all.removeValue(forKey: id) else { return }
        dial.waiters.resolve(with: .success(link))
        dial.task.cancel()
    }

    /// Cancels the dials to some devices. The callers of these dials receive the error when the
    /// dials end.
    func cancel(where isMeant: (DeviceID) -> Bool) {
        for (id, dial) in all where isMeant(id.device) { dial.task.cancel() }
    }

    /// Cancels all dials, and fails their callers at once.
    mutating func drop(_ failure: any Error) {
        for dial in all.values {
            dial.task.cancel()
            dial.waiters.resolve(with: .failure(failure))
        }
        all = [:]
    }
}
