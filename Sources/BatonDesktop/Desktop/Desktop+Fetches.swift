// SPDX-License-Identifier: Apache-2.0

import Logging

/// Laptops that fetch again and again, and take nothing over: the user can stop them. It is no news
/// of an offer, so `notifications = off` does not silence it.
extension Desktop {
    /// Tells the user of one.
    public func fetchesInVain(of device: String, named name: String, count: Int) {
        environment.board.show(FetchQuestion.notification(of: name, count: count), key: FetchQuestion.key(of: device))
    }

    /// The user has done something about one: there is nothing to ask any more.
    public func fetchesAreOver(of device: String) { environment.board.remove(key: FetchQuestion.key(of: device)) }

    /// - Parameter action: Nil when the user has closed the notification: of this laptop there may
    ///   be another one later.
    func answerFetches(_ key: String, _ action: String?) async {
        environment.board.remove(key: key)
        guard action == FetchQuestion.stopAction else { return }
        do {
            try await host.stop(FetchQuestion.device(ofKey: key))
        } catch {
            logger.warning("a laptop that was to be stopped is not: \(error)")
        }
    }
}
