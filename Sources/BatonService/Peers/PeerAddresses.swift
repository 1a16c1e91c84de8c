// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// The known addresses of another device.
struct PeerAddresses: Sendable {
    /// How long this device dials an address after a hail, or a beacon with another clock's time,
    /// came from it.
    static let radioLifetime = Duration.seconds(60)
    /// How long this device dials a TCP address that a device has sent.
    static let toldLifetime = Duration.seconds(86_400)

    private typealias Lasting<Value> = (value: Value, until: Duration)

    /// The endpoints that the device has sent.
    private var told: Lasting<[Endpoint]>?
    /// The host at which the device last proved its identity by TCP, whichever side dialled.
    private var own: String?
    /// The endpoint from which the device hailed.
    private var hailed: Lasting<Endpoint>?
    /// The endpoint of a beacon with another clock's time. This endpoint is kept apart from
    /// ``hailed``, because the beacon may be a replay.
    private var byClock: Lasting<Endpoint>?

    /// Records the endpoints at which the device says that it listens.
    mutating func told(_ endpoints: [Endpoint], at uptime: Duration) {
        told = endpoints.isEmpty ? nil : (endpoints, uptime + Self.toldLifetime)
    }

    /// Records the endpoint from which the device hails.
    mutating func hailed(from endpoint: Endpoint, at uptime: Duration) {
        hailed = (endpoint, uptime + Self.radioLifetime)
    }

    /// Records the endpoint of a beacon with another clock's time.
    mutating func foundByClock(at endpoint: Endpoint, uptime: Duration) {
        byClock = (endpoint, uptime + Self.radioLifetime)
    }

    /// Records that the device has proved its identity at the other end of a TCP channel.
    mutating func proved(at endpoint: Endpoint) { own = endpoint.address }

    /// Returns the endpoints that the device has sent, unless they are too old.
    func told(at uptime: Duration) -> [Endpoint] { Self.value(of: told, at: uptime) ?? [] }

    /// Returns the radio endpoints from which the device recently hailed or advertised. The
    /// endpoint of the hail comes first.
    func radio(at uptime: Duration) -> [Endpoint] {
        [Self.value(of: hailed, at: uptime), Self.value(of: byClock, at: uptime)].compactMap(\.self)
    }

    /// Returns endpoints of the device, beginning with those at which it last proved its identity.
    /// The device may have sent addresses that are not its own.
    func ownFirst(_ endpoints: [Endpoint]) -> [Endpoint] {
        endpoints.filter { $0.address == own } + endpoints.filter { $0.address != own }
    }

    private static func value<Value>(of lasting: Lasting<Value>?, at uptime: Duration) -> Value? {
        lasting.flatMap { $0.until > uptime ? $0.value : nil }
    }
}
