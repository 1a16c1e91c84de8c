// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Diagnosis

/// Limits how many calls a program may make, so that a flood of calls does not slow down other
/// programs.
///
/// Each connection has a token bucket. All connections of a known app also share a bucket, so that
/// an app cannot get more tokens by connecting again. The struct has no clock: callers pass the
/// time.
struct CallRates: Sendable {
    /// The number of calls that are answered per second in the long run.
    let perSecond: Double
    /// The number of calls that are answered at once after a pause.
    let burst: Double

    private struct Bucket {
        var tokens: Double
        var filled: Duration
    }

    private var connections: [ClientID: Bucket] = [:]
    private var apps: [String: Bucket] = [:]
    private var appOfConnection: [ClientID: String] = [:]

    /// Creates limits. Every program starts with full buckets.
    init(perSecond: Double = 200, burst: Double = 1_000) {
        self.perSecond = perSecond
        self.burst = burst
    }

    /// Returns a bucket at an uptime, with the tokens that were added since its last use. A missing
    /// bucket counts as full.
    private func filled(_ bucket: Bucket?, at uptime: Duration) -> Bucket {
        guard let bucket else { return Bucket(tokens: burst, filled: uptime) }
        let gained = max(0, (uptime - bucket.filled) / .seconds(1)) * perSecond
        return Bucket(tokens: min(burst, bucket.tokens + gained), filled: uptime)
    }

    /// The number of remembered entries, for tests.
    var count: Int { connections.count + apps.count + appOfConnection.count }

    /// Returns whether a connection has called and has not left.
    func isPresent(_ client: ClientID) -> Bool { connections[client] != nil }

    /// Counts a call.
    ///
    /// - Returns: Whether to answer the call. A refused call costs no token, so that a program that
    ///   slows down is answered again at once.
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

    /// The number of values in a call that cost one further token.
    static let valuesPerToken = 2_000

    /// Takes further tokens for a call with many values, after ``take(_:at:)`` has counted the
    /// call. The number of tokens may become negative, but not less than minus `burst`.
    ///
    /// - Parameter size: The number of values in the call.
    mutating func charge(_ client: ClientID, size: Int) {
        let cost = Double(size / Self.valuesPerToken)
        guard cost > 0, var own = connections[client] else { return }
        own.tokens = max(-burst, own.tokens - cost)
        connections[client] = own
        guard let app = appOfConnection[client], var shared = apps[app] else { return }
        shared.tokens = max(-burst, shared.tokens - cost)
        apps[app] = shared
    }

    /// Records that a connection belongs to an app, and charges its earlier calls to the app.
    ///
    /// - Returns: Whether to answer the app. The result is false if the app has used up its tokens,
    ///   for example by connecting again for each call.
    mutating func identify(_ client: ClientID, as app: String, at uptime: Duration) -> Bool {
        // Do not remember a client that has left meanwhile.
        guard appOfConnection[client] == nil, let own = connections[client] else { return true }
        var shared = filled(apps[app], at: uptime)
        let isAnswered = shared.tokens >= 1
        if isAnswered { shared.tokens -= burst - own.tokens }
        apps[app] = shared
        if isAnswered { appOfConnection[client] = app }
        return isAnswered
    }

    /// Forgets a connection. The bucket of the connection's app is kept until the bucket is full,
    /// so that an app gains nothing by connecting again.
    mutating func leave(_ client: ClientID, at uptime: Duration) {
        connections[client] = nil
        guard appOfConnection.removeValue(forKey: client) != nil else { return }
        let present = Set(appOfConnection.values)
        apps = apps.filter { present.contains($0.key) || filled($0.value, at: uptime).tokens < burst }
    }

    var refusal: BatonError { BatonError(.limitReached, .tooManyCalls) }
}
