// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// How many calls a program may make, so that one that floods the bus costs the others nothing.
///
/// A token bucket for each connection, and one for all the connections of an app that is known: who
/// is let in as one cannot get more by connecting again. No clock: times come in.
struct CallRates: Sendable {
    /// Calls that are answered in a second, on the whole.
    let perSecond: Double
    /// Calls that are answered at once, after a rest.
    let burst: Double

    private struct Bucket {
        var tokens: Double
        var filled: Duration
    }

    private var connections: [ClientID: Bucket] = [:]
    private var apps: [String: Bucket] = [:]
    private var appOfConnection: [ClientID: String] = [:]

    /// Rates, with all that any program has of them.
    init(perSecond: Double = 200, burst: Double = 1_000) {
        self.perSecond = perSecond
        self.burst = burst
    }

    /// A bucket as it is at a time; a new one is full.
    private func filled(_ bucket: Bucket?, at uptime: Duration) -> Bucket {
        guard let bucket else { return Bucket(tokens: burst, filled: uptime) }
        let gained = max(0, (uptime - bucket.filled) / .seconds(1)) * perSecond
        return Bucket(tokens: min(burst, bucket.tokens + gained), filled: uptime)
    }

    /// What there is to remember; for tests.
    var count: Int { connections.count + apps.count + appOfConnection.count }

    /// Whether a connection has called, and not left.
    func isPresent(_ client: ClientID) -> Bool { connections[client] != nil }

    /// Takes a call into account.
    ///
    /// - Returns: Whether it is to be answered. One that is not costs nothing, so that a program
    ///   that slows down is served again at once.
    mutating func take(_ client: ClientID, at uptime: Duration) -> Bool {
        var own = filled(connections[client], at: uptime)
        let app = appOfConnection[client]
        var shared = app.map { filled(apps[$0], at: uptime) }
        let isAnswered = own.tokens >= 1 && (shared?.tokens ?? 1) >= 1
        if isAnswered {
            own.tokens -= 1
            shared?.tokens -= 1
        }
        connections[client] = own
        if let app { apps[app] = shared }
        return isAnswered
    }

    /// How many values a call may have for its token; those beyond cost more.
    static let valuesPerToken = 2_000

    /// Puts the size of a call to the account that ``take(_:at:)`` has put the call to. The account
    /// may end up below nothing, by a burst at most.
    ///
    /// - Parameter size: How many values it had.
    mutating func charge(_ client: ClientID, size: Int) {
        let cost = Double(size / Self.valuesPerToken)
        guard cost > 0, var own = connections[client] else { return }
        own.tokens = max(-burst, own.tokens - cost)
        connections[client] = own
        guard let app = appOfConnection[client], var shared = apps[app] else { return }
        shared.tokens = max(-burst, shared.tokens - cost)
        apps[app] = shared
    }

    /// A connection is an app's, which its calls until now are put to the account of.
    ///
    /// - Returns: Whether the app is to be answered at all: one that connects anew for each call is
    ///   not.
    mutating func identify(_ client: ClientID, as app: String, at uptime: Duration) -> Bool {
        // One that has left meanwhile is not to be remembered.
        guard appOfConnection[client] == nil, let own = connections[client] else { return true }
        var shared = filled(apps[app], at: uptime)
        let isAnswered = shared.tokens >= 1
        if isAnswered { shared.tokens -= burst - own.tokens }
        apps[app] = shared
        if isAnswered { appOfConnection[client] = app }
        return isAnswered
    }

    /// A connection has gone; an app that comes back soon finds what it has left.
    mutating func leave(_ client: ClientID, at uptime: Duration) {
        connections[client] = nil
        guard appOfConnection.removeValue(forKey: client) != nil else { return }
        let present = Set(appOfConnection.values)
        apps = apps.filter { present.contains($0.key) || filled($0.value, at: uptime).tokens < burst }
    }

    /// What a call gets that is not answered.
    var refusal: BatonError {
        BatonError(
            .limitReached,
            "too many calls, or too large ones: \(Int(perSecond)) a second are answered, after \(Int(burst)) at once; wait a second, and put changes together"
        )
    }
}
