// SPDX-License-Identifier: Apache-2.0

/// The incoming calls that are being answered.
struct HandledCalls {
    private struct Entry {
        var sender: String
        var task: Task<Void, Never>
    }

    private var entries: [UInt64: Entry] = [:]
    private var perSender: [String: Int] = [:]
    private var lastID: UInt64 = 0

    /// Returns whether another call from a sender may be answered.
    func hasRoom(for sender: String, limits: DBusLimits) -> Bool {
        entries.count < limits.handledCalls && perSender[sender, default: 0] < limits.handledCallsPerPeer
    }

    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    mutating func insert(_ task: Task<Void, Never>, sender: String, id: UInt64) {
        entries[id] = Entry(sender: sender, task: task)
        perSender[sender, default: 0] += 1
    }

    mutating func remove(_ id: UInt64) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        let left = perSender[entry.sender, default: 1] - 1
        perSender[entry.sender] = left > 0 ? left : nil
    }

    func cancel(sender: String) {
        for entry in entries.values where entry.sender == sender { entry.task.cancel() }
    }

    func cancelAll() {
        for entry in entries.values { entry.task.cancel() }
    }
}

/// The handling of incoming calls.
extension ConnectionCore {
    func handleCall(_ message: Message) {
        guard let sender = message.sender, let path = message.path, let member = message.member else { return }
        do {
            if let refusal = gate?(sender) { throw refusal }
            guard handled.hasRoom(for: sender, limits: limits) else {
                throw DBusError.limit("too many calls are being answered; wait for replies first")
            }
            let target = try exports.target(path: path, interface: message.interface, member: member)
            guard message.signature == target.inputSignature else {
                throw DBusError.invalid(
                    "\(target.interface).\(member) takes '\(target.inputSignature)', not '\(message.signature)'")
            }
            var size = 0
            defer { meter?(sender, size) }
            let invocation = DBusInvocation(
                sender: sender, path: path, interface: target.interface, member: member,
                arguments: try MessageDecoder.arguments(of: message.pointer, limits: limits, size: &size))
            start(target, invocation, for: try message.withoutArguments())
        } catch {
            reply(with: error, to: message)
        }
    }

    private func start(_ target: ExportTable.Target, _ invocation: DBusInvocation, for message: Message) {
        let id = handled.nextID()
        let thread = thread
        // The task starts immediately, so that calls reach their handlers in order.
        let task = Task.immediate {
            let answer: Result<[DBusValue], any Error>
            do {
                let values = try await target.handler(invocation)
                if let expected = target.outputSignature, values.signature != expected {
                    throw DBusError(
                        name: DBusError.failed, message: "the method gave '\(values.signature)', not '\(expected)'")
                }
                answer = .success(values)
            } catch {
                answer = .failure(error)
            }
            thread.perform { core in
                core.handled.remove(id)
                core.reply(with: answer, to: message)
            }
        }
        handled.insert(task, sender: invocation.sender, id: id)
    }

    private func reply(with answer: Result<[DBusValue], any Error>, to message: Message) {
        guard message.expectsReply else { return }
        do {
            send(try Message.reply(to: message, arguments: try answer.get()))
        } catch {
            reply(with: error, to: message)
        }
    }

    private func reply(with error: any Error, to message: Message) {
        guard message.expectsReply else { return }
        let reason = error as? DBusError ?? DBusError(name: DBusError.failed, message: "\(error)")
        if let reply = Message.error(to: message, reason) { send(reply) }
    }
}
