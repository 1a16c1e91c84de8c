// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Logging

/// Laptops that fetch again and again, and take nothing over: the user can stop them. It is no news
/// of an offer, so `notifications = off` does not silence it.
extension Desktop {
    /// Tells the user of one.
    public func fetchesInVain(of device: String, named name: String, count: Int) async {
        fetchQuestions.insert(FetchQuestion.notification(of: name, count: count), of: device)
        await showFetchQuestions()
    }

    /// The user has done something about one: there is nothing to ask any more.
    public func fetchesAreOver(of device: String) async {
        environment.board.remove(key: FetchQuestion.key(of: device))
        fetchQuestions.remove(device)
        await showFetchQuestions()
    }

    private func showFetchQuestions() async {
        let members = Set(await host.members().map(\.device))
        for device in fetchQuestions.keep(where: members.contains) {
            environment.board.remove(key: FetchQuestion.key(of: device))
        }
        for (device, notification) in fetchQuestions.shown {
            environment.board.show(notification, key: FetchQuestion.key(of: device))
        }
    }

    /// - Parameter action: Nil when the user has closed the notification: of this laptop there may
    ///   be another one later.
    func answerFetches(_ key: String, _ action: String?) async {
        let device = FetchQuestion.device(ofKey: key)
        await fetchesAreOver(of: device)
        guard action == FetchQuestion.stopAction else { return }
        do {
            try await host.stop(device)
        } catch {
            logger.warning("a laptop that was to be stopped is not: \(error)")
        }
    }
}
