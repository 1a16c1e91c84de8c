// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Logging

/// Laptops that fetch again and again, and take nothing over: the user can stop them.
extension Desktop {
    /// Tells the user of one.
    public func fetchesInVain(of device: String, named name: String, count: Int) async {
        plan.fetchesInVain(of: device, named: name, count: count)
        await showFetches()
    }

    /// The user has done something about one: there is nothing to ask any more.
    public func fetchesAreOver(of device: String) async {
        environment.board.carryOut(plan.fetchesAreOver(of: device))
        await showFetches()
    }

    private func showFetches() async {
        let members = Set(await host.members().map(\.device))
        environment.board.carryOut(plan.showFetches(among: members))
    }

    /// The user has answered the question about a laptop.
    ///
    /// - Parameter action: Nil when the user has closed the notification: of this laptop there may
    ///   be another one later.
    func answerFetches(_ device: String, _ action: String?) async {
        await fetchesAreOver(of: device)
        guard action == FetchQuestion.stopAction else { return }
        do {
            try await host.stop(device)
        } catch {
            logger.warning("a laptop that was to be stopped is not: \(error)")
        }
    }
}
