// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import Glibc
import Wording

/// The arguments that choose an offer, and the time to wait for it.
struct OfferOptions: ParsableArguments {
    @Argument(
        help:
            "The offer's id, as baton nearby lists it, or the device that offers it. Not with --type or --from. Without it, the only offer that fits is used. If several fit, you choose one on a terminal. Elsewhere, without --type, the offer that panels show is used: an app here continues it, or it has a web page. If that offer does not fit, the command lists the offers and does nothing else.",
        completion: .offer)
    var offer: String?

    @Option(help: ArgumentHelp("Only an offer of this type.", valueName: "type"), completion: .offeredType)
    var type: String?

    @Option(
        help: ArgumentHelp("Only an offer from this device: its name or its id.", valueName: "device"),
        completion: .device)
    var from: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long to wait for the offer to appear. (default: 20 with --type, else 0)", valueName: "seconds"),
        transform: Seconds.init(parsing:))
    var wait: Seconds?

    /// Whether neither the argument nor an option was given.
    var isAny: Bool { offer == nil && type == nil && from == nil && wait == nil }

    func validate() throws {
        guard offer == nil || type == nil && from == nil else {
            throw ValidationError("give either an OFFER, or --type and --from")
        }
        for (name, value) in [("OFFER", offer), ("--type", type), ("--from", from)] where value?.isEmpty == true {
            throw ValidationError("\(name) is empty; 'baton nearby' lists what there is")
        }
    }

    /// Returns the choice. If the argument is not the id of a present offer, it may be a device's
    /// name, or the id of a future offer.
    private func wanted(on connection: DaemonConnection) async throws -> OfferChoice {
        guard let offer else { return OfferChoice(offer: nil, type: type, from: try await device(on: connection)) }
        let byID = OfferChoice(offer: offer, type: nil, from: nil)
        guard byID.select(try await connection.bus.offers()) == nil else { return byID }
        do {
            return OfferChoice(offer: nil, type: nil, from: try await other(called: offer, on: connection))
        } catch let error as BatonError where error.code == .notFound {
            return byID
        }
    }

    /// Returns the device that `--from` names.
    private func device(on connection: DaemonConnection) async throws -> CircleMember? {
        guard let from else { return nil }
        return try await other(called: from, on: connection)
    }

    /// Returns another device of the circle. A device does not offer activities to itself.
    private func other(called text: String, on connection: DaemonConnection) async throws -> CircleMember {
        let members = try await connection.bus.status().members
        do {
            return try DeviceNames(members.filter { !$0.isThisDevice }).device(called: text)
        } catch let error as BatonError where error.code == .notFound {
            let isThisDevice = members.contains { $0.isThisDevice && $0.isCalled(text) }
            guard isThisDevice else { throw error }
            throw ToolFailure(
                "\(text) is this device, which offers nothing to itself; name another one, 'baton devices' lists them",
                status: .usage)
        }
    }

    /// Waits for the chosen offer, and runs a closure with it.
    ///
    /// An offer may disappear before it is used, for example when the circle's secret changes. If
    /// the user chose by type, the choice is then repeated until the time limit.
    ///
    /// - Parameters:
    ///   - asks: Whether the user may be asked to choose. Pass false if standard input has another
    ///     use.
    ///   - use: The closure, which fails with ``BatonError/Code/notFound`` if the offer has
    ///     disappeared.
    func withOffer<Result: Sendable>(
        on connection: DaemonConnection, asks: Bool = true, _ use: @Sendable (OfferSummary) async throws -> Result
    ) async throws -> Result {
        if let obstacle = try await Daemon.obstacle(connection.bus) { throw obstacle }
        await connection.bus.lookForOffers()
        let wanted = try await wanted(on: connection)
        let limit = wait ?? (type == nil ? Seconds(0) : Seconds(20))
        let end = ContinuousClock.now + limit.duration
        let typed = TypedLines()
        var lost: BatonError?
        while true {
            let left = max(.zero, end - .now)
            guard let fitting = try await connection.bus.waitForOffer(timeout: left, select: wanted.select) else {
                if let obstacle = try await Daemon.obstacle(connection.bus) { throw obstacle }
                if let lost {
                    throw ToolFailure(
                        "\(lost.text(on: .terminal)) No other offer of type \(type ?? "") came within \(limit.text) s.",
                        status: .noOffer)
                }
                throw ToolFailure(
                    wanted.notFound(after: limit, among: try await connection.bus.offers()), status: .noOffer)
            }
            let found = try await wanted.one(
                of: fitting, best: { try? await connection.bus.panelStatus().bestOffer?.offer },
                isTerminal: asks && Terminal(STDIN_FILENO).isTerminal, answers: typed.stream)
            do {
                return try await use(found)
            } catch let error as BatonError where error.code == .notFound && type != nil && .now < end {
                lost = error
                try await Task.sleep(for: Self.pause)
            } catch let error as BatonError where error.code == .notFound {
                throw ToolFailure(error.description, status: .noOffer)
            }
        }
    }

    /// The pause before an offer is chosen again. The other device's new offers arrive after one or
    /// a few pauses.
    private static let pause = Duration.milliseconds(250)
}
