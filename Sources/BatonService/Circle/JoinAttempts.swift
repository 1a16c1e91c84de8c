// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import Logging

/// The attempts to join a circle by an invitation, and their errors for the user (Circle.md,
/// "Joining").
struct JoinAttempts {
    private let invitation: Invitation
    private let credential: PeerCredential
    private let dialler: Dialler

    /// Makes the attempts for an invitation.
    ///
    /// - Throws: ``BatonError`` when this device cannot use the invitation.
    init(by invitation: Invitation, dialler: Dialler) throws {
        let endpoints = invitation.endpoints
        guard endpoints.contains(where: { dialler.transports[$0.transport] != nil }) else {
            let named = Set(endpoints.map(\.transport.rawValue)).sorted().joined(separator: ", ")
            guard !named.isEmpty else { throw BatonError(.connectionUnavailable, .waysUnknown) }
            dialler.logger.info("\(invitation.inviterName) can be reached only by \(named)")
            throw BatonError(.connectionUnavailable, .waysUnused, ["laptop": .text(invitation.inviterName)])
        }
        guard let key = PairwiseKey(invitationSecret: invitation.secret) else {
            throw BatonError(.invitationInvalid, .invitationMalformed)
        }
        self.invitation = invitation
        self.credential = .inviter(of: invitation, key: key)
        self.dialler = dialler
    }

    /// Dials the inviter and joins its circle. Tries again after a break.
    ///
    /// - Parameters:
    ///   - advertisers: Returns the endpoints at which the inviter may be dialled now, besides
    ///     those that the invitation names.
    ///   - join: Joins the circle over a channel.
    /// - Throws: ``BatonError``, `CancellationError`.
    func run(
        isolation: isolated (any Actor)? = #isolation, advertisers: @escaping Dialler.WaysByNow,
        join: (SecureChannel) async throws -> Void
    ) async throws {
        var attempt = 1
        while true {
            do {
                let channel = try await dial(advertisers)
                defer { channel.close() }
                return try await use(channel, join)
            } catch ChannelFailure.refused where attempt < dialler.transports.radio.traits.dialAttempts {
                // This device cannot tell a refusal from a broken connection. It tries again,
                // because a used invitation stays reserved for this device.
                try await Task.sleep(for: Dialler.pauseBeforeRedialling * attempt)
                attempt += 1
            } catch let error as BatonError where attempt == 1 || error.code != .invitationInvalid {
                throw error
            } catch {
                throw BatonError(.pairingFailed, .joiningBroke, ["laptop": .text(invitation.inviterName)])
            }
        }
    }

    /// Dials the device that made the invitation.
    ///
    /// With BlueZ's privacy feature, an adapter advertises under a different address from the one
    /// that the invitation names. So this device also dials nearby advertisers
    /// (Decisions/0028-inviters-with-private-addresses.md). A stranger gets only a knock, which it
    /// cannot understand.
    private func dial(_ advertisers: @escaping Dialler.WaysByNow) async throws -> SecureChannel {
        do {
            // Look again during the race, because the radio may have reported more advertisers.
            return try await dialler.race(
                advertisers() + invitation.endpoints, credential: credential, waysByNow: advertisers)
        } catch {
            let reason = (error as? HandoffError)?.cause ?? "\(error)"
            dialler.logger.info("\(invitation.inviterName) does not answer to the invitation: \(reason)")
            throw BatonError(.invitationInvalid, .invitationUnanswered, ["laptop": .text(invitation.inviterName)])
        }
    }

    /// Joins the circle over a channel.
    ///
    /// - Throws: ``ChannelFailure/refused`` when the connection ended before joining was complete.
    private func use(
        _ channel: SecureChannel, _ join: (SecureChannel) async throws -> Void,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        do {
            try await join(channel)
        } catch let error as BatonError {
            throw error
        } catch ChannelFailure.refused {
            throw ChannelFailure.refused
        } catch {
            dialler.logger.notice("cannot join the circle of \(invitation.inviterName): \(error)")
            throw BatonError(
                .pairingFailed, .joiningFailed,
                ["laptop": .text(invitation.inviterName), "reason": BatonError.reason(error)])
        }
    }
}
