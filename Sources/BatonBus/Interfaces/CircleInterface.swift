// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// `org.batonproject.Baton1.Circle`: the circle, which consists of one person's devices.
///
/// Calls take a device's id, or its name if no other device has the same name.
package enum CircleInterface: BusInterface {
    static let name = BatonBusName.circle
    package static let create: BusCall<String, CircleSummary> = BusCall(
        name, "Create", takes: .string("name"), returns: .dictionary("circle"), needs: .managing)
    package static let invite = BusCall(name, "Invite", returns: invitation, needs: .managing)
    package static let join: BusCall<String, CircleSummary> = BusCall(
        name, "Join", takes: .string("invitation"), returns: .dictionary("circle"), needs: .managing,
        timeout: .seconds(120))
    /// Begins a pairing, and answers when there are digits to compare. Without an address, the
    /// daemon finds the other device by radio. If the Boolean is true, this device comes back to
    /// its circle as a new device.
    package static let pair = BusCall(
        name, "Pair", takes: pairOptions, returns: digits, needs: .managing, timeout: .seconds(150))
    package static let pairByCode = BusCall(name, "PairByCode", returns: code, needs: .managing)
    package static let confirm = BusCall(
        name, "Confirm", takes: .both(.string("pairing"), .bool("same")), needs: .managing)
    package static let paired: BusCall<String, CircleSummary> = BusCall(
        name, "Paired", takes: .string("pairing"), returns: .dictionary("circle"), needs: .managing,
        timeout: .seconds(240))
    /// Listens for devices that are pairing while this device is in no circle, until the client
    /// calls this method with false or leaves the bus.
    package static let lookForPairing = BusCall(name, "LookForPairing", takes: .bool("wanted"), needs: .managing)
    package static let rename = BusCall(name, "Rename", takes: .string("name"), needs: .managing)
    package static let remove = BusCall(
        name, "Remove", takes: .string("device"), returns: removed, needs: .managing)
    package static let stop: BusCall<String, CircleMember> = BusCall(
        name, "Stop", takes: .string("device"), returns: .dictionary("member"), needs: .managing)
    package static let allow: BusCall<String, (CircleMember, Bool)> = BusCall(
        name, "Allow", takes: .string("device"), returns: .both(.dictionary("member"), .bool("wasStopped")),
        needs: .managing)
    package static let ping: BusCall<String, DeviceAnswer> = BusCall(
        name, "Ping", takes: .string("device"), returns: .dictionary("answer"), needs: .managing,
        timeout: .seconds(40))
    package static let probe: BusCall<String, DeviceProbe> = BusCall(
        name, "Probe", takes: .string("device"), returns: .dictionary("answer"), needs: .managing,
        timeout: .seconds(120))
    package static let leave: BusCall<Void, [String]> = BusCall(
        name, "Leave", returns: .texts("told"), needs: .managing, timeout: .seconds(60))
    package static let knowNetworks: BusCall<Void, Int> = BusCall(
        name, "KnowNetworks", returns: .number("added"), needs: .managing)

    static let methods: [any BusMethod] = [
        create, invite, join, pair, pairByCode, confirm, paired, lookForPairing, rename, remove, stop, allow, ping,
        probe, leave,
        knowNetworks,
    ]

    private static let invitation = BusArguments.both(.text("invitation"), .date("expires")).map(
        { CircleInvitation(text: $0, expires: $1) }, { ($0.text, $0.expires) })

    private static let digits = BusArguments.both(.text("pairing"), .text("digits")).map(
        { PairingDigits(pairing: $0, digits: $1) }, { ($0.pairing, $0.digits) })

    private static let code = BusArguments.three(.text("pairing"), .text("code"), .date("expires")).map(
        { PairingCode(pairing: $0, code: $1, expires: $2) }, { ($0.pairing, $0.code, $0.expires) })

    private static let pairOptions: BusArguments<(String?, Bool)> = BusArguments.values("options").map(
        { options in
            var (address, anew): (String?, Bool) = (nil, false)
            for (name, value) in options {
                switch name {
                case "address": address = try value.stringValue.orInvalid(name, .string)
                case "anew": anew = try value.boolValue.orInvalid(name, .bool)
                default: throw BatonError.unknownOption(name, known: "address", "anew")
                }
            }
            return (address, anew)
        },
        { address, anew in
            var options = address.map { ["address": DBusValue.string($0)] } ?? [:]
            if anew { options["anew"] = .bool(true) }
            return options
        })

    private static let removed: BusArguments<(CircleMember, [String])> = BusArguments.values("member").map(
        { values in
            let properties = try Properties(.properties(values))
            return (try CircleMember(bus: .properties(values)), properties.strings("unvouched"))
        },
        { member, unvouched in member.bus.merging(["unvouched": .texts(unvouched)]) { $1 } })
}

/// The circle.
extension BatonBusClient {
    /// Creates a circle with this device in it. An empty name means the machine's own name.
    public func createCircle(name: String = "") async throws -> CircleSummary {
        try await call(CircleInterface.create, name)
    }

    /// Makes an invitation to this device's circle.
    public func invite() async throws -> CircleInvitation { try await call(CircleInterface.invite) }

    /// Joins the circle of an invitation. Reaching the inviting device may take up to two minutes.
    public func joinCircle(invitation: String) async throws -> CircleSummary {
        try await call(CircleInterface.join, invitation)
    }

    /// Looks for another device that is pairing, for at most two minutes, and agrees on six digits
    /// with it. The pairing ends if this client disconnects.
    ///
    /// - Parameters:
    ///   - address: The other device's IP address and port, or `nil` to find the other device by
    ///     radio or to let it connect to this device.
    ///   - anew: Whether this device was removed from its circle and comes back to it as a new
    ///     device.
    public func pair(address: String? = nil, anew: Bool = false) async throws -> PairingDigits {
        try await call(CircleInterface.pair, (address, anew))
    }

    /// Makes a code, and for ten minutes accepts one device that reads the code. The pairing ends
    /// if this client disconnects.
    public func pairByCode() async throws -> PairingCode { try await call(CircleInterface.pairByCode) }

    /// Reports whether both devices show the same digits.
    public func confirm(pairing: String, same: Bool) async throws {
        try await call(CircleInterface.confirm, (pairing, same))
    }

    /// Returns when both devices are in one circle. Throws if the pairing fails.
    ///
    /// - Parameter timeout: How long to wait. The default is four minutes, the daemon's own limit
    ///   for pairing by digits. For a code, the daemon's limit is ten minutes.
    public func paired(_ pairing: String, timeout: Duration? = nil) async throws -> CircleSummary {
        try await call(CircleInterface.paired, pairing, timeout: timeout)
    }

    /// Begins or stops listening for devices that are pairing while this device is in no circle.
    /// Meanwhile the status contains the number of these devices. Listening ends if this client
    /// disconnects.
    public func lookForPairing(_ isWanted: Bool) async throws {
        try await call(CircleInterface.lookForPairing, isWanted)
    }

    /// Gives this device another name in its circle.
    public func rename(to name: String) async throws { try await call(CircleInterface.rename, name) }

    /// Removes a device from the circle permanently.
    ///
    /// - Parameter device: The device's id, or its name if no other device has the same name.
    /// - Returns: The removed device, and the ids of the members that stay although only the
    ///   removed device vouched for them.
    public func removeDevice(_ device: String) async throws -> (member: CircleMember, unvouched: [String]) {
        try await call(CircleInterface.remove, device)
    }

    /// Stops a device: refuses all its requests for an hour.
    ///
    /// - Parameter device: The device's id, or its name if no other device has the same name.
    /// - Returns: The device, with the time at which the stop ends.
    public func stopDevice(_ device: String) async throws -> CircleMember {
        try await call(CircleInterface.stop, device)
    }

    /// Answers the requests of a stopped device again.
    ///
    /// - Parameter device: The device's id, or its name if no other device has the same name.
    /// - Returns: The device, and whether it was stopped.
    public func allowDevice(_ device: String) async throws -> (member: CircleMember, wasStopped: Bool) {
        try await call(CircleInterface.allow, device)
    }

    /// Sends a ping to another device, and connects to it first if necessary. The call takes at
    /// most 30 s.
    ///
    /// - Parameter device: The device's id, or its name if no other device has the same name.
    public func ping(_ device: String) async throws -> DeviceAnswer { try await call(CircleInterface.ping, device) }

    /// Tests the radio and each transport between this device and another one, in both directions.
    /// The test takes at most a minute and a half.
    ///
    /// - Parameter device: The device's id, or its name if no other device has the same name.
    public func probe(_ device: String) async throws -> DeviceProbe { try await call(CircleInterface.probe, device) }

    /// Removes this device from its circle, and returns the names of the devices that were
    /// informed.
    public func leaveCircle() async throws -> [String] { try await call(CircleInterface.leave) }

    /// Adds the local networks to which this device is connected now to the known networks. Returns
    /// how many were not known before.
    public func knowNetworks() async throws -> Int { try await call(CircleInterface.knowNetworks) }
}
