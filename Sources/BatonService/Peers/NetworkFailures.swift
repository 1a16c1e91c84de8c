// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis

/// The devices that TCP does not connect with this one, in either direction, although both have it.
///
/// Streams are as slow as the radio then, and the user should know why.
struct NetworkFailures: Sendable {
    /// How long a failure is reported. Networks change.
    static let lifetime = Duration.seconds(3_600)
    /// The most addresses that a message lists.
    private static let maximumAddresses = 3

    private struct Failure: Sendable {
        /// The dialled endpoints, or none if the other device dialled this one.
        var endpoints: [Endpoint] = []
        /// Whether one of the endpoints is in a network of this device.
        var isNearby = true
        var until: Duration

        func finding(of name: String) -> Finding {
            var values: [String: Reason.Value] = ["laptop": .text(name)]
            if !shown.isEmpty { values["addresses"] = .text(shown) }
            return Finding(isNearby ? .tcpUnanswered : .noRoute, values)
        }

        /// The addresses that look like IP addresses, for the message. The other device sent them,
        /// so they may be any text.
        private var shown: String {
            let addresses = endpoints.map(\.address).filter { address in
                (2...45).contains(address.utf8.count)
                    && address.allSatisfy { $0.isASCII && $0.isHexDigit || ".:".contains($0) }
            }
            return addresses.prefix(NetworkFailures.maximumAddresses).joined(separator: ", ")
        }
    }

    private var outgoing: [DeviceID: Failure] = [:]
    private var incoming: [DeviceID: Failure] = [:]

    /// The number of failures that are remembered.
    var count: Int { outgoing.count + incoming.count }

    /// Records that a device did not answer at any of the endpoints that it had sent.
    mutating func unanswered(by device: DeviceID, at endpoints: [Endpoint], isNearby: Bool, uptime: Duration) {
        outgoing[device] = Failure(endpoints: endpoints, isNearby: isNearby, until: uptime + Self.lifetime)
    }

    /// Records that a device answered.
    mutating func answered(by device: DeviceID) { outgoing[device] = nil }

    /// Records that a device with TCP sent its stream traffic over the radio.
    ///
    /// It would have used TCP if this device had answered there.
    mutating func unreached(by device: DeviceID, uptime: Duration) {
        incoming[device] = Failure(until: uptime + Self.lifetime)
    }

    /// Records that a device connected by TCP.
    mutating func reached(by device: DeviceID) { incoming[device] = nil }

    /// Forgets a device's failure to answer, because it has sent other endpoints.
    mutating func moved(_ device: DeviceID) { outgoing[device] = nil }

    /// Forgets all failures, because this device is in another network.
    mutating func networkChanged() { (outgoing, incoming) = ([:], [:]) }

    /// Forgets devices that are not members of the circle.
    mutating func keep(where isMember: (DeviceID) -> Bool) {
        outgoing = outgoing.filter { isMember($0.key) }
        incoming = incoming.filter { isMember($0.key) }
    }

    /// Returns the findings for the user, one for each failure.
    func findings(at uptime: Duration, name: (DeviceID) -> String) -> [Finding] {
        let unanswered = outgoing.filter { $0.value.until > uptime }.sorted { $0.key < $1.key }
        let unreached = incoming.filter { $0.value.until > uptime }.sorted { $0.key < $1.key }
        return unanswered.map { $0.value.finding(of: name($0.key)) }
            + unreached.map { device, _ in Finding(.tcpUnreached, ["laptop": .text(name(device))]) }
    }
}
