// SPDX-License-Identifier: Apache-2.0

import Foundation

nonisolated extension InputStream {
    /// All data until the other side ends the stream.
    fileprivate func readToEnd() throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(&buffer, maxLength: buffer.count)
            guard count >= 0 else { throw streamError ?? CocoaError(.fileReadUnknown) }
            guard count > 0 else { return data }
            data.append(buffer, count: count)
        }
    }
}

nonisolated extension OutputStream {
    fileprivate func writeAll(_ data: Data) throws {
        var rest = [UInt8](data)[...]
        while !rest.isEmpty {
            let bytes = Array(rest.prefix(65_536))
            let count = write(bytes, maxLength: bytes.count)
            guard count > 0 else { throw streamError ?? CocoaError(.fileWriteUnknown) }
            rest = rest.dropFirst(count)
        }
    }
}

/// An activity whose contents go through streams.
@MainActor private func streaming(_ type: String, _ delegate: any NSUserActivityDelegate) -> NSUserActivity {
    let activity = NSUserActivity(activityType: type)
    activity.supportsContinuationStreams = true
    activity.delegate = delegate
    activity.becomeCurrent()
    return activity
}

/// Delta: the game's state is written on a queue in the background, and the stream is closed.
nonisolated private final class GameSource: NSUserActivityDelegate, Sendable {
    static let state = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })

    func userActivity(_ userActivity: NSUserActivity, didReceive inputStream: InputStream, outputStream: OutputStream) {
        nonisolated(unsafe) let (input, output) = (inputStream, outputStream)
        DispatchQueue.global().async {
            input.close()
            output.open()
            defer { output.close() }
            try? output.writeAll(Self.state)
        }
    }
}

@MainActor func game() async throws {
    let devices = Devices()
    let source = GameSource()
    let activity = streaming("org.example.game.playing", source)
    let arrived = try await devices.handOver(activity.activityType)
    let (input, output) = try await arrived.continuationStreams()
    nonisolated(unsafe) let streams = (input, output)
    let state = try await withCheckedThrowingContinuation { done in
        DispatchQueue.global().async {
            streams.1.open()
            streams.1.close()
            streams.0.open()
            defer { streams.0.close() }
            done.resume(with: Result { try streams.0.readToEnd() })
        }
    }
    try expect(state == GameSource.state, "the state arrives whole: \(state.count) bytes")
    activity.invalidate()
}

/// iBrogue: a stream delegate on the main run loop sends a saved game. The receiver acknowledges it
/// with one byte, and both sides close.
@MainActor private class SavePeer: NSObject, @MainActor StreamDelegate {
    private var streams: (input: InputStream, output: OutputStream)?
    var received: [UInt8] = []
    var unsent: ArraySlice<UInt8> = []
    var onProgress: () -> Void = {}

    func begin(_ input: InputStream, _ output: OutputStream) {
        streams = (input, output)
        for stream in [input, output] as [Stream] {
            stream.delegate = self
            stream.schedule(in: .main, forMode: .common)
            stream.open()
        }
    }

    func send(_ bytes: [UInt8]) {
        unsent.append(contentsOf: bytes)
        if streams?.output.hasSpaceAvailable == true { writeMore() }
    }

    func end() {
        for stream in [streams?.input, streams?.output] as [Stream?] {
            stream?.close()
            stream?.remove(from: .main, forMode: .common)
        }
        streams = nil
    }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        if eventCode == .hasSpaceAvailable { writeMore() }
        guard eventCode == .hasBytesAvailable, let input = streams?.input else { return }
        var buffer = [UInt8](repeating: 0, count: 2_048)
        let count = input.read(&buffer, maxLength: buffer.count)
        received.append(contentsOf: buffer.prefix(max(0, count)))
        onProgress()
    }

    private func writeMore() {
        guard !unsent.isEmpty, let output = streams?.output else { return }
        let bytes = Array(unsent.prefix(4_096))
        let count = output.write(bytes, maxLength: bytes.count)
        unsent = unsent.dropFirst(max(0, count))
    }
}

@MainActor private final class SaveSource: SavePeer, @MainActor NSUserActivityDelegate {
    static let save = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 * 7) }

    func userActivity(_ userActivity: NSUserActivity, didReceive inputStream: InputStream, outputStream: OutputStream) {
        onProgress = { [weak self] in self?.end() }
        begin(inputStream, outputStream)
        send(Self.save)
    }
}

@MainActor func save() async throws {
    let devices = Devices()
    let (source, target) = (SaveSource(), SavePeer())
    let activity = streaming("org.example.dungeon.playing", source)
    let arrived = try await devices.handOver(activity.activityType)
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
        target.onProgress = { [unowned target] in
            guard target.received.count == SaveSource.save.count else { return }
            target.onProgress = {}
            target.send([6])
            done.resume()
        }
        arrived.getContinuationStreams { input, output, error in
            guard let input, let output else { fatalError("no streams: \(String(describing: error))") }
            target.begin(input, output)
        }
    }
    try expect(target.received == SaveSource.save, "the save arrives whole")
    while source.received.isEmpty { await Task.yield() }
    try expect(source.received == [6], "the save is acknowledged")
    target.end()
    activity.invalidate()
}

/// mithka: one line of JSON, after which the stream is closed.
@MainActor private final class LineSource: @MainActor NSUserActivityDelegate {
    struct Draft: Codable, Equatable {
        var chat: Int
        var text: String
    }
    static let draft = Draft(chat: 9, text: "See you at 8")

    func userActivity(_ userActivity: NSUserActivity, didReceive inputStream: InputStream, outputStream: OutputStream) {
        inputStream.close()
        outputStream.open()
        defer { outputStream.close() }
        guard let line = try? JSONEncoder().encode(Self.draft) else { return }
        try? outputStream.writeAll(line + Data("\n".utf8))
    }
}

@MainActor func line() async throws {
    let devices = Devices()
    let source = LineSource()
    let activity = streaming("org.example.chat.writing", source)
    let arrived = try await devices.handOver(activity.activityType)
    let (input, output) = try await arrived.continuationStreams()
    for stream in [input, output] as [Stream] { stream.open() }
    output.close()
    let text = String(decoding: try input.readToEnd(), as: UTF8.self)
    input.close()
    let lines = text.split(separator: "\n")
    try expect(lines.count == 1, "one line arrives")
    let draft = try JSONDecoder().decode(LineSource.Draft.self, from: Data(lines.joined().utf8))
    try expect(draft == LineSource.draft, "the draft arrives")
    activity.invalidate()
}

/// rootshell: a delegate without an actor, and a thread whose run loop serves the streams.
nonisolated private final class TerminalSource: NSObject, NSUserActivityDelegate, StreamDelegate {
    static let state = Data("ssh ada@example.org".utf8)
    private var output: OutputStream?

    func userActivity(_ userActivity: NSUserActivity, didReceive inputStream: InputStream, outputStream: OutputStream) {
        inputStream.close()
        nonisolated(unsafe) let (source, output) = (self, outputStream)
        Thread.detachNewThread { source.run(output) }
    }

    private func run(_ output: OutputStream) {
        self.output = output
        output.delegate = self
        output.schedule(in: .current, forMode: .default)
        output.open()
        while self.output != nil, RunLoop.current.run(mode: .default, before: .distantFuture) {}
    }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        guard eventCode == .hasSpaceAvailable, let output else { return }
        try? output.writeAll(Self.state)
        output.close()
        output.remove(from: .current, forMode: .default)
        self.output = nil
    }
}

@MainActor func terminal() async throws {
    let devices = Devices()
    let source = TerminalSource()
    let activity = streaming("org.example.terminal.session", source)
    let arrived = try await devices.handOver(activity.activityType)
    let channel = try await arrived.continuationChannel()
    channel.writer.finish()
    var state = Data()
    for try await piece in channel.bytes { state += piece }
    try expect(state == TerminalSource.state, "the session arrives")
    activity.invalidate()
}
