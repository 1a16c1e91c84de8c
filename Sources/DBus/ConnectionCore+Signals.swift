// SPDX-License-Identifier: Apache-2.0

/// The handling of incoming signals.
extension ConnectionCore {
    func handleSignal(_ message: Message) {
        guard let sender = message.sender, let path = message.path, let interface = message.interface,
            let member = message.member
        else { return }
        var decoded: [DBusValue]?
        if sender == Self.busName, interface == Self.busName, member == DBusNameOwnerChange.member {
            guard let arguments = try? message.result(limits: limits).get() else { return }
            decoded = arguments
            if let change = DBusNameOwnerChange(arguments) { subscriptions.setOwner(change.newOwner, of: change.name) }
        }
        let candidates = subscriptions.candidates(sender: sender, path: path, interface: interface, member: member)
        guard !candidates.isEmpty, let arguments = try? decoded ?? message.result(limits: limits).get() else { return }
        let signal = DBusSignal(
            sender: sender, path: path, interface: interface, member: member, arguments: arguments)
        for subscription in candidates where subscription.match.fits(arguments) { subscription.deliver(signal) }
    }

    /// Adds a subscription. The completion runs when the bus has confirmed or refused the match
    /// rule.
    func subscribe(id: UInt64, _ subscription: SubscriptionTable.Subscription, completion: @escaping Completion) {
        guard !isClosed else { return completion(.failure(DBusError.closed)) }
        guard subscriptions.count < limits.subscriptions else {
            return completion(.failure(DBusError.limit("\(limits.subscriptions) signal streams are open already")))
        }
        let match = subscription.match
        subscriptions.insert(subscription, id: id)
        if let name = match.sender, SubscriptionTable.isWellKnown(name), subscriptions.use(name) { watch(name) }
        // The bus answers in order, so the owner is known when this call is answered.
        callBus("AddMatch", [.string(match.rule)]) { [weak self] result in
            switch result {
            case .success:
                if self?.subscriptions.confirm(id) == false { self?.callBus("RemoveMatch", [.string(match.rule)]) }
            case .failure: self?.unsubscribe(id)
            }
            completion(result)
        }
    }

    func unsubscribe(_ id: UInt64) {
        guard !isClosed, let subscription = subscriptions.remove(id) else { return }
        subscription.finish()
        if subscription.isAdded { callBus("RemoveMatch", [.string(subscription.match.rule)]) }
        if let name = subscription.match.sender, SubscriptionTable.isWellKnown(name), subscriptions.release(name) {
            callBus("RemoveMatch", [.string(DBusNameOwnerChange.match([0: name]).rule)])
        }
    }

    private func watch(_ name: String) {
        callBus("AddMatch", [.string(DBusNameOwnerChange.match([0: name]).rule)])
        callBus("GetNameOwner", [.string(name)]) { [weak self] result in
            self?.subscriptions.setOwner((try? result.get())?.first?.stringValue, of: name)
        }
    }

    private func callBus(_ member: String, _ arguments: [DBusValue], completion: @escaping Completion = { _ in }) {
        do {
            let message = try Message.call(
                destination: Self.busName, path: Self.busPath, interface: Self.busName, member: member,
                arguments: arguments)
            send(message, destination: Self.busName, timeout: .seconds(25), completion: completion)
        } catch {
            completion(.failure(error))
        }
    }
}
