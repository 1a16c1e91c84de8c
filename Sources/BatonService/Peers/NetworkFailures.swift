// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis

/// Between which devices and this one TCP did not lead, in either direction, though both have it:
/// streams are as slow as the radio then, and nobody would know why.
struct NetworkFailures: Sendable {
    /// How long a failure is told: networks change.
    static let lifetime = Duration.seconds(3_600)
    /// How many addresses are named.
    private static let maximumAddresses = 3

    private struct Failure: Sendable {
        /// Where the device was dialled; empty where it dialled this one.
        var endpoints: [Endpoint] = []
        /// Whether one of them is in a network of this device.
        var isNearby = true
        var until: Duration

        func finding(of name: String) -> Finding {
            let what = "streams to \(name) go by radio, which is slower, as it did not answer by TCP"
            guard isNearby else {
                return Finding(
                    .noRoute,
                    "\(what): its addresses\(shown) are in none of this laptop's networks; connect both to the same")
            }
            return Finding(
                .tcpUnanswered,
                "\(what)\(shown): a firewall there ('baton doctor network' on it), "
                    + "or the network keeps its devices apart")
        }

        /// The addresses, as far as they look like some: they are what the other device said.
        private var shown: String {
            let addresses = endpoints.map(\.address).filter { address in
                (2...45).contains(address.utf8.count)
                    && address.allSatisfy { $0.isASCII && $0.isHexDigit || ".:".contains($0) }
            }
            guard !addresses.isEmpty else { return "" }
            return " (\(addresses.prefix(NetworkFailures.maximumAddresses).joined(separator: ", ")))"
        }
    }

    private var outgoing: [DeviceID: Failure] = [:]
    private var incoming: [DeviceID: Failure] = [:]

    /// How many failures are remembered.
    var count: Int { outgoing.count + incoming.count }

    /// A device did not answer at any of the endpoints that it has told.
    mutating func unanswered(by device: DeviceID, at endpoints: [Endpoint], isNearby: Bool, uptime: Duration) {
        outgoing[device] = Failure(endpoints: endpoints, isNearby: isNearby, until: uptime + Self.lifetime)
    }

    /// A device answered.
    mutating func answered(by device: DeviceID) { outgoing[device] = nil }

    /// A device that has TCP came by radio with what goes by TCP where that leads here.
    mutating func unreached(by device: DeviceID, uptime: Duration) {
        incoming[device] = Failure(until: uptime + Self.lifetime)
    }

    /// A device came by TCP.
    mutating func reached(by device: DeviceID) { incoming[device] = nil }

    /// A device listens elsewhere than before.
    mutating func moved(_ device: DeviceID) { outgoing[device] = nil }

    /// This device is in another network.
    mutating func networkChanged() { (outgoing, incoming) = ([:], [:]) }

    /// Forgets who is not to be remembered.
    mutating func keep(where isMember: (DeviceID) -> Bool) {
        outgoing = outgoing.filter { isMember($0.key) }
        incoming = incoming.filter { isMember($0.key) }
    }

    /// What is to be said, one line each.
    func findings(at uptime: Duration, name: (DeviceID) -> String) -> [Finding] {
        let unanswered = outgoing.filter { $0.value.until > uptime }.sorted { $0.key < $1.key }
        let unreached = incoming.filter { $0.value.until > uptime }.sorted { $0.key < $1.key }
        return unanswered.map { $0.value.finding(of: name($0.key)) }
            + unreached.map { device, _ in
                Finding(
                    .tcpUnreached,
                    "streams from \(name(device)) came by radio, which is slower, as this laptop did not answer it by TCP: "
                        + "a firewall here ('baton doctor network'), or the network keeps its devices apart")
            }
    }
}
