// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The dials under way to other devices, one for each device and route, and who waits for them.
/// How often, and how long: ``Dialler``; where: `HandoffService+Dialling`.
struct Dials<Link: Sendable>: Sendable {
    /// A dial under way: what is asked of a device near by does not wait for one that may end in
    /// TCP, or where it is heard less strongly.
    struct ID: Hashable {
        let device: DeviceID
        let route: Route
    }

    /// A dial, and who waits for it.
    struct Dial {
        let task: Task<Void, any Error>
        let waiters: Waiters<Link>
        /// Of whoever is dialled, on all of the dial's channels.
        let signs: SignsOfLife
    }

    private var all: [ID: Dial] = [:]

    /// How many there are.
    var count: Int { all.count }
    /// How many callers wait for them.
    var waiterCount: Int { all.values.reduce(0) { $0 + $1.waiters.count } }
    /// Whether there is none.
    var isEmpty: Bool { all.isEmpty }

    /// The dial to a device on a route.
    subscript(id: ID) -> Dial? { all[id] }

    /// A dial begins.
    mutating func begin(_ id: ID, _ dial: Dial) { all[id] = dial }

    /// A dial has ended; one that was given up may have been followed by another.
    mutating func ended(_ id: ID, _ waiters: Waiters<Link>) {
        if all[id]?.waiters === waiters { all[id] = nil }
    }

    /// The routes on which a device is being dialled.
    func routes(to device: DeviceID) -> [Route] { all.keys.filter { $0.device == device }.map(\.route) }

    /// A link has come that does for a dial: whoever waits has it, and the dial is given up.
    mutating func answered(_ id: ID, with link: Link) {
        guard let dial = all.removeValue(forKey: id) else { return }
        dial.waiters.resolve(with: .success(link))
        dial.task.cancel()
    }

    /// Gives up those to some devices; their callers hear of it as they end.
    func cancel(where isMeant: (DeviceID) -> Bool) {
        for (id, dial) in all where isMeant(id.device) { dial.task.cancel() }
    }

    /// Gives all up, and nobody waits any more.
    mutating func drop(_ failure: any Error) {
        for dial in all.values {
            dial.task.cancel()
            dial.waiters.resolve(with: .failure(failure))
        }
        all = [:]
    }
}
