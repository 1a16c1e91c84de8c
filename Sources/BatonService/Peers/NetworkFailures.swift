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
    /// How long after a failure the device may confirm over the radio that it is still in the
    /// network.
    static let confirmationTime = Duration.seconds(300)
    /// The greatest number of addresses that a message lists.
    private static let maximumAddresses = 3

    private struct Failure: Sendable {
        /// The dialled endpoints; empty if the other device dialled this device.
        var endpoints: [Endpoint] = []
        /// Whether one of the endpoints is in a network of this device.
        var isNearby = true
        var until: Duration

        func finding(of name: String) -> Finding {
            Finding(isNearby ? .tcpUnanswered : .noRoute, values(of: name))
        }

        /// Returns the values for a sentence: the device's name and its addresses.
        func values(of name: String) -> [String: Reason.Value] {
            var values: [String: Reason.Value] = ["laptop": .text(name)]
            if !shown.isEmpty { values["addresses"] = .list(shown) }
            return values
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
    /// The failure to reach the device in a network that passes nothing between both devices.
    private var isolation: Failure?
    /// The uptime until which the device may confirm that it is in that network; nil if it has.
    private var confirmationEnd: Duration?

    /// The number of failures that are remembered.
    var count: Int { [outgoing, incoming, isolation].count { $0 != nil } }

    /// Records that the device did not answer at any of the endpoints that it had sent.
    mutating func unanswered(at endpoints: [Endpoint], isNearby: Bool, uptime: Duration) {
        outgoing = Failure(endpoints: endpoints, isNearby: isNearby, until: uptime + Self.lifetime)
    }

    /// Records that the device did not answer in a network of this device, neither by TCP nor at
    /// the link layer.
    ///
    /// The device may have left the network unnoticed. So nothing is reported until the device says
    /// over the radio that it is still there.
    ///
    /// - Parameters:
    ///   - endpoints: The device's endpoints in that network.
    ///   - isLinkedByRadio: Whether a link over the radio is open, over which the device would have
    ///     said that its addresses had changed.
    mutating func isolated(at endpoints: [Endpoint], isLinkedByRadio: Bool, uptime: Duration) {
        let isConfirmed = isolation.map { $0.until > uptime && confirmationEnd == nil } ?? false
        guard isLinkedByRadio || !isConfirmed else { return }
        isolation = Failure(endpoints: endpoints, until: uptime + Self.lifetime)
        confirmationEnd = isLinkedByRadio ? nil : uptime + Self.confirmationTime
    }

    /// Records that the device has said over the radio that it still has the same addresses.
    mutating func confirmedByRadio(at uptime: Duration) {
        guard let end = confirmationEnd else { return }
        if uptime <= end { confirmationEnd = nil } else { passedAnything() }
    }

    /// Records that something has come from the device over a local network.
    mutating func passedAnything() { (isolation, confirmationEnd) = (nil, nil) }

    /// Records that the device answered.
    mutating func answered() {
        outgoing = nil
        passedAnything()
    }

    /// Records that the device opened streams over the radio, although it has TCP.
    ///
    /// So the device has probably failed to reach this device over TCP.
    mutating func unreached(at uptime: Duration) { incoming = Failure(until: uptime + Self.lifetime) }

    /// Records that the device connected by TCP.
    mutating func reached() {
        incoming = nil
        passedAnything()
    }

    /// Forgets that the device did not answer, because it has sent other endpoints.
    mutating func moved() {
        outgoing = nil
        passedAnything()
    }

    /// Returns the findings for the user, one for each failure. A network that keeps the devices
    /// apart explains the other failures.
    ///
    /// - Parameter name: The device's name.
    func findings(at uptime: Duration, of name: String) -> [Finding] {
        if let isolation, isolation.until > uptime, confirmationEnd == nil {
            return [Finding(.networkIsolated, isolation.values(of: name))]
        }
        let unanswered = outgoing.flatMap { $0.until > uptime ? $0.finding(of: name) : nil }
        let unreached = incoming.flatMap { $0.until > uptime ? Finding(.tcpUnreached, ["laptop": .text(name)]) : nil }
        return [unanswered, unreached].compactMap(\.self)
    }
}
