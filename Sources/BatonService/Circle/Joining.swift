// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import NIOCore

/// The frames by which a device joins a circle over a secure channel (Circle.md, "Joining").
///
/// Each function returns after the other side's next step. The service decides, and stores the
/// circle, between the steps.
struct Joining {
    /// How long each step of joining may take.
    static let timeout = Duration.seconds(15)

    /// The circle that a device has joined.
    struct Outcome {
        /// The circle's encoding in the inviter's Welcome.
        let welcome: [UInt8]
        /// The circle to which this device has agreed.
        let circle: Circle
        /// The inviter's Joined, which shows the time of its clock.
        let joined: [UInt8]
    }

    let channel: SecureChannel
    let clock: any DeviceClock

    // MARK: - The side that joins

    /// Asks to join a circle, and agrees to the circle that takes this device in.
    ///
    /// - Parameter check: Called with the Welcome. Returns the circle to agree to. Throws if this
    ///   device does not agree.
    func join(
        by request: JoinRequest, isolation: isolated (any Actor)? = #isolation,
        agreeing check: (_ welcome: [UInt8]) throws -> Circle
    ) async throws -> Outcome {
        channel.send(.join(try request.encoded()))
        guard case .welcome(let welcome) = try await channel.nextFrame(within: Self.timeout) else {
            throw ChannelFailure.violation("Welcome was due")
        }
        let circle = try check(welcome)
        channel.send(joined)
        return Outcome(welcome: welcome, circle: circle, joined: try await othersJoined())
    }

    // MARK: - The side that takes a device in

    /// Waits for a device's request to join a circle.
    func request(to circle: CircleID, isolation: isolated (any Actor)? = #isolation) async throws -> JoinRequest {
        guard case .join(let encoded) = try await channel.nextFrame(within: Self.timeout) else {
            throw ChannelFailure.violation("Join was due")
        }
        return try JoinRequest(encoded: encoded, circle: circle)
    }

    /// Sends the circle that takes the device in, and waits until the device agrees.
    ///
    /// - Returns: The device's Joined, which shows the time of its clock.
    func welcome(with circle: [UInt8], isolation: isolated (any Actor)? = #isolation) async throws -> [UInt8] {
        channel.send(.welcome(circle))
        return try await othersJoined()
    }

    /// Tells the device that it is a member. Returns when the frame has been sent.
    ///
    /// - Throws: ``ChannelFailure/refused`` if the frame could not be sent. The device is a member
    ///   nevertheless, and may try again.
    func complete(isolation: isolated (any Actor)? = #isolation) async throws {
        do {
            try await channel.channel.writeAndFlush(joined).get()
        } catch {
            throw ChannelFailure.refused
        }
    }

    // MARK: - Both sides

    private var joined: Frame { .joined(JoinedTime(clock.unixTime).bytes) }

    private func othersJoined(isolation: isolated (any Actor)? = #isolation) async throws -> [UInt8] {
        guard case .joined(let shown) = try await channel.nextFrame(within: Self.timeout) else {
            throw ChannelFailure.violation("Joined was due")
        }
        return shown
    }
}
