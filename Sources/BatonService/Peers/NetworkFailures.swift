// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis

/// A record of failed TCP connections to or from another device, although both devices use TCP.
///
/// Streams between such devices are as slow as the radio, so the user should learn the reason.
struct NetworkFailures: Sendable {
    /// How long a failure is reported. After that, the networks may have changed.
    static let lifetime = Duration.seconds(3_600)
    /// The greatest number of addresses that a message lists.
    private static let maximumAddresses = 3

    private struct Failure: Sendable {
        /// The dialled endpoints; empty if the other device dialled this device.
        var endpoints: [Endpoint] = []
        /// Whether one of the endpoints is in a network of this device.
        var isNearby = true
        var until: Duration

        func finding(of name: String) -> Finding {
            var values: [String: Reason.Value] = ["laptop": .text(name)]
            if !shown.isEmpty { values["addresses"] = .list(shown) }
            return Finding(isNearby ? .tcpUnanswered : .noRoute, values)
        }

        /// The addresses that look like IP addresses, for the message. The other device sent these
        /// addresses, so they may be any text.
        private var shown: [String] {
            let addresses = endpoints.map(\.address).filter { address in
                (2...45).contains(address.utf8.count)
                    && address.allSatisfy { $0.isASCII && $0.isHexDigit || ".:".contains($0) }
            }
            return Array(addresses.prefix(NetworkFailures.maximumAddresses))
        }
    }

    private var outgoing: Failure?
    private var incoming: Failure?

    /// The number of failures that are remembered.
    var count: Int { [outgoing, incoming].count { $0 != nil } }

    /// Records that the device did not answer at any of the endpoints that it had sent.
    mutating func unanswered(at endpoints: [Endpoint], isNearby: Bool, uptime: Duration) {
        outgoing = Failure(endpoints: endpoints, isNearby: isNearby, until: uptime + Self.lifetime)
    }

    /// Records that the device answered.
    mutating func answered() { outgoing = nil }

    /// Records that the device opened streams over the radio, although it has TCP.
    ///
    /// So the device has probably failed to reach this device over TCP.
    mutating func unreached(at uptime: Duration) { incoming = Failure(until: uptime + Self.lifetime) }

    /// Records that the device connected by TCP.
    mutating func reached() { incoming = nil }

    /// Forgets that the device did not answer, because it has sent other endpoints.
    mutating func moved() { outgoing = nil }

    /// Returns the findings for the user, one for each failure.
    ///
    /// - Parameter name: The device's name.
    func findings(at uptime: Duration, of name: String) -> [Finding] {
        let unanswered = outgoing.flatMap { $0.until > uptime ? $0.finding(of: name) : nil }
        let unreached = incoming.flatMap { $0.until > uptime ? Finding(.tcpUnreached, ["laptop": .text(name)]) : nil }
        return [unanswered, unreached].compactMap(\.self)
    }
}
