// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Two stream machines, the channels between them, and an app at each end.
///
/// A channel delivers in order until it is cut. Different channels deliver in any order, and an old
/// channel may deliver after a new one has begun.
struct StreamTwin {
    struct App {
        var toSend: [UInt8]
        var received: [UInt8] = []
        /// The bytes that were delivered, but not yet written to the app.
        var waiting: [ArraySlice<UInt8>] = []
        var readable = 0
        var ended = false
        var gotEnd = false
        var finished = false
        var failure: StreamMachine.Failure?
    }

    struct Channel {
        /// The frames on their way to the initiator (0) and to the responder (1).
        var inboxes: [[Frame]] = [[], []]
        /// The sides that have closed the channel.
        ///
        /// Such a side sends nothing more, and the other side learns of it after it has read
        /// everything.
        var closedBy: Set<Int> = []
        var told: Set<Int> = []
        /// The time since which the channel carries nothing, although it is open.
        var stalledSince: Duration?
        /// The sides to which the channel brings nothing while it has stalled.
        var stalledTo: Set<Int> = []
        /// The sides that have sent something whose confirmation a stall keeps from them.
        var unconfirmed: Set<Int> = []

        /// Whether the channel brings nothing to a side.
        func isStalled(to side: Int) -> Bool { stalledSince != nil && stalledTo.contains(side) }
    }

    var machines: [StreamMachine]
    var apps: [App]
    var channels: [UInt32: Channel] = [:]
    var now = Duration.zero
    var parameters = StreamMachine.ChannelParameters(window: 1_000, chunk: 100)
    var largestWait = 0
    var sentFrames: [Frame] = []
    /// The sides whose daemons do not run now. Their systems take bytes until their buffers are
    /// full.
    var stopped: Set<Int> = []
    /// Whether the initiator wants another channel than the present one.
    var wantsAlternative = false
    /// The generations for which the responder asks the initiator for another channel.
    var asks: [UInt32] = []

    static let token = [UInt8](repeating: 9, count: 16)

    init(_ first: [UInt8], _ second: [UInt8], limits: StreamMachine.Limits = .init()) {
        machines = [
            StreamMachine(role: .initiator(token: Self.token), limits: limits),
            StreamMachine(role: .responder, limits: limits),
        ]
        apps = [App(toSend: first), App(toSend: second)]
    }

    var isDone: Bool { machines.allSatisfy(\.isDone) }
    var isFinished: Bool { apps.allSatisfy(\.finished) }

    mutating func handle(_ side: Int, _ event: StreamMachine.Event) {
        let hadEnd = apps[side].gotEnd
        var looks: [UInt32] = []
        for action in machines[side].handle(event, at: now) {
            switch action {
            case .send(let frame, let generation):
                sentFrames.append(frame)
                if channels[generation]?.closedBy.contains(side) == false {
                    channels[generation]?.inboxes[1 - side].append(frame)
                    if channels[generation]?.isStalled(to: side) == true {
                        channels[generation]?.unconfirmed.insert(side)
                    }
                }
            case .deliver(let bytes):
                apps[side].waiting.append(bytes)
                largestWait = max(largestWait, apps[side].waiting.map(\.count).reduce(0, +))
            case .finishLocal: apps[side].gotEnd = apps[side].waiting.isEmpty
            case .readLocal(let maximum): apps[side].readable = maximum
            case .closeChannel(let generation), .abandonChannel(let generation):
                channels[generation]?.closedBy.insert(side)
            case .look(let generation): looks.append(generation)
            case .stalled(let generation, _):
                if side == 0 { wantsAlternative = true } else { asks.append(generation) }
            case .recovered: if side == 0 { wantsAlternative = false }
            case .attached, .broken: if side == 0 { wantsAlternative = false }
            case .finished: apps[side].finished = true
            case .failed(let failure): apps[side].failure = failure
            }
        }
        // The machine takes everything that is written to it.
        if apps[side].gotEnd, !hadEnd { handle(side, .localRead) }
        for generation in looks { handle(side, .delivery(delivery(generation, from: side), generation: generation)) }
    }

    mutating func dial() {
        let generation = machines[0].nextGeneration
        channels[generation] = Channel()
        handle(0, .opened(generation: generation, parameters))
    }

    /// Dials because the present channel has stalled.
    mutating func dialAlternative() {
        wantsAlternative = false
        let generation = machines[0].nextGeneration
        channels[generation] = Channel()
        handle(0, .alternative(generation: generation, parameters))
    }

    /// Brings the responder's next request for another channel to the initiator.
    mutating func deliverAsk() {
        if !asks.isEmpty { handle(0, .asked(generation: asks.removeFirst())) }
    }

    /// Returns what a transport would report about a channel at a side.
    private func delivery(_ generation: UInt32, from side: Int) -> ChannelDelivery? {
        channels[generation].map {
            ChannelDelivery(
                isWaiting: !$0.inboxes[1 - side].isEmpty || $0.unconfirmed.contains(side),
                silence: now - ($0.stalledSince ?? now),
                // A system that has no room for more bytes still answers.
                patience: .seconds(stopped.contains(1 - side) ? 120 : 1))
        }
    }

    /// Makes a channel stall, or ends its stall.
    ///
    /// - Parameter sides: The sides to which the channel brings nothing. The confirmations of what
    ///   these sides send get lost, too.
    mutating func stall(_ generation: UInt32, _ stalls: Bool, to sides: Set<Int> = [0, 1]) {
        guard var channel = channels[generation] else { return }
        channel.stalledSince = stalls ? channel.stalledSince ?? now : nil
        channel.stalledTo = stalls ? sides : []
        channel.unconfirmed = stalls ? sides.filter { !channel.inboxes[1 - $0].isEmpty } : []
        channels[generation] = channel
    }

    /// Tells a side that its system has lost the address of a channel, which carries nothing then.
    mutating func losePath(_ generation: UInt32, at side: Int) {
        stall(generation, true)
        handle(side, .pathLost(generation: generation))
    }

    /// Lets time pass, and the machines of daemons that run do what is due.
    mutating func pass(_ time: Duration) {
        now += time
        for side in 0...1 where !stopped.contains(side) {
            if let deadline = machines[side].deadline, deadline <= now { handle(side, .time) }
        }
    }

    /// Delivers the next frame of a channel, or its end, to a side.
    mutating func deliver(_ generation: UInt32, to side: Int) {
        guard let channel = channels[generation], !channel.isStalled(to: side) else { return }
        if channel.told.contains(side) {
            // A side that has seen the close reads nothing more.
            channels[generation]?.inboxes[side] = []
            return
        }
        guard !channel.inboxes[side].isEmpty else {
            if channel.closedBy.contains(1 - side) || channel.closedBy.contains(side) { tellClosed(generation, side) }
            return
        }
        guard let frame = channels[generation]?.inboxes[side].removeFirst() else { return }
        if side == 1, case .attach(let attach) = frame {
            if machines[1].accepts(attach) {
                handle(1, .attach(attach, parameters))
            } else {
                channels[generation]?.inboxes[0].append(.reset(Reset(reason: .staleGeneration)))
                channels[generation]?.closedBy.insert(1)
            }
        } else {
            handle(side, .received(frame, generation: generation))
        }
    }

    /// Breaks a channel. Some of its frames are lost, and both sides notice.
    mutating func cut(_ generation: UInt32, keeping counts: [Int]) {
        for side in 0...1 {
            let inbox = channels[generation]?.inboxes[side] ?? []
            channels[generation]?.inboxes[side] = Array(inbox.prefix(counts[side]))
        }
        channels[generation]?.closedBy = [0, 1]
    }

    mutating func tellClosed(_ generation: UInt32, _ side: Int) {
        channels[generation]?.told.insert(side)
        channels[generation]?.closedBy.insert(side)
        handle(side, .closed(generation: generation))
    }

    /// Makes the app at a side write as many bytes as it may.
    mutating func send(_ side: Int, atMost limit: Int) {
        let count = min(limit, apps[side].readable, apps[side].toSend.count)
        if count > 0 {
            let bytes = Array(apps[side].toSend.prefix(count))
            apps[side].toSend.removeFirst(count)
            handle(side, .localBytes(bytes[...]))
        } else if apps[side].toSend.isEmpty, !apps[side].ended {
            apps[side].ended = true
            handle(side, .localEnd)
        }
    }

    /// Makes the app at a side read waiting bytes.
    mutating func take(_ side: Int, atMost limit: Int) {
        guard var first = apps[side].waiting.first else { return }
        let count = min(limit, first.count)
        apps[side].received += first.prefix(count)
        first = first.dropFirst(count)
        if first.isEmpty { apps[side].waiting.removeFirst() } else { apps[side].waiting[0] = first }
        handle(side, .written(count))
    }

    /// Continues without faults until nothing changes any more.
    mutating func run() {
        var before = -1
        var idle = 0
        while idle < 3 {
            for generation in channels.keys.sorted() {
                for side in 0...1 { for _ in 0..<20 { deliver(generation, to: side) } }
            }
            for side in 0...1 {
                send(side, atMost: 500)
                while !apps[side].waiting.isEmpty { take(side, atMost: 500) }
            }
            idle = sentFrames.count == before && channels.values.allSatisfy { $0.inboxes == [[], []] } ? idle + 1 : 0
            before = sentFrames.count
        }
    }
}
