// SPDX-License-Identifier: Apache-2.0

// Except for UserActivity and TwoDevices, all code uses Apple's API, as an app does on Apple's
// systems.
import Baton
import BatonLoopback
import Foundation
import Testing
import UserActivity

/// Answers a one-line request with a list, on a run loop of its own.
private final class Origin: NSObject, NSUserActivityDelegate, StreamDelegate {
    private var inputStream: InputStream?
    private var outputStream: OutputStream?
    private var request = Data()
    private var reply: Data?
    private var byteIndex = 0
    var continuations = 0
    var events: [String] = []

    func userActivityWillSave(_ userActivity: NSUserActivity) {
        userActivity.userInfo = ["totalContacts": 500]
    }

    func userActivityWasContinued(_ userActivity: NSUserActivity) { continuations += 1 }

    func userActivity(_ userActivity: NSUserActivity, didReceive inputStream: InputStream, outputStream: OutputStream) {
        self.inputStream = inputStream
        self.outputStream = outputStream
        precondition(inputStream.streamStatus == .notOpen && outputStream.streamStatus == .notOpen)
        nonisolated(unsafe) let origin = self
        Thread.detachNewThread { origin.run() }
    }

    private func run() {
        for stream in [inputStream, outputStream] as [Stream?] {
            stream?.delegate = self
            stream?.schedule(in: .current, forMode: .default)
            stream?.open()
        }
        while outputStream != nil, RunLoop.current.run(mode: .default, before: .distantFuture) {}
    }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        switch eventCode {
        case .openCompleted: events.append("open")
        case .hasBytesAvailable:
            var buffer = [UInt8](repeating: 0, count: 1024)
            let count = inputStream?.read(&buffer, maxLength: buffer.count) ?? 0
            request.append(buffer, count: max(0, count))
        case .hasSpaceAvailable:
            // Do not answer an incomplete request. The next write causes the next event.
            if reply != nil { writeNext() }
        case .endEncountered where aStream === inputStream:
            events.append("request \(String(decoding: request, as: UTF8.self))")
            inputStream?.close()
            reply = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0) })
            writeNext()
        case .endEncountered:
            events.append("sent \(byteIndex)")
            outputStream?.close()
            outputStream?.remove(from: .current, forMode: .default)
            outputStream = nil
        default: events.append("error")
        }
    }

    private func writeNext() {
        guard let reply, let outputStream else { return }
        let bytes = [UInt8](reply[byteIndex..<min(byteIndex + 1024, reply.count)])
        byteIndex += max(0, outputStream.write(bytes, maxLength: bytes.count))
    }
}

/// Sends the request and reads the whole answer, on a run loop of its own.
private final class Continuing: NSObject, StreamDelegate {
    private let inputStream: InputStream
    private let outputStream: OutputStream
    private var asked = false
    private var isDone = false
    var events: [Stream.Event] = []
    var answer = Data()

    init(_ inputStream: InputStream, _ outputStream: OutputStream) {
        self.inputStream = inputStream
        self.outputStream = outputStream
    }

    func run() {
        for stream in [inputStream, outputStream] {
            stream.delegate = self
            stream.schedule(in: .current, forMode: .default)
            stream.open()
        }
        while !isDone, RunLoop.current.run(mode: .default, before: .distantFuture) {}
    }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        if aStream === outputStream {
            if eventCode == .hasSpaceAvailable {
                let bytes = asked ? [] : Array("the list".utf8)
                asked = true
                _ = outputStream.write(bytes, maxLength: bytes.count)
            }
            if eventCode == .endEncountered { outputStream.close() }
            return
        }
        events.append(eventCode)
        if eventCode == .hasBytesAvailable {
            var buffer = [UInt8](repeating: 0, count: 700)
            let count = inputStream.read(&buffer, maxLength: buffer.count)
            answer.append(buffer, count: max(0, count))
        }
        if eventCode == .endEncountered || eventCode == .errorOccurred {
            inputStream.close()
            inputStream.remove(from: .current, forMode: .default)
            isDone = true
        }
    }
}

/// Stores the streams in its properties, as code in Swift 5 does.
@MainActor private final class Keeper {
    private var inputStream: InputStream?
    private var outputStream: OutputStream?
    private var error: (any Error)?
    var isTold: (() -> Void)?

    func ask(_ userActivity: NSUserActivity) {
        userActivity.getContinuationStreams { inputStream, outputStream, error in
            MainActor.preconditionIsolated()
            self.inputStream = inputStream
            self.outputStream = outputStream
            self.error = error
            self.isTold?()
        }
    }

    var hasBoth: Bool { inputStream != nil && outputStream != nil && error == nil }
}

@Suite(.timeLimit(.minutes(5))) struct ContinuationStreamsTests {
    /// The closure is isolated to the main actor, so it is called there, wherever the host delivers
    /// other callbacks.
    @MainActor @Test("Objects of the main actor can keep streams, wherever the host delivers callbacks")
    func mainActorKeepsStreams() async throws {
        for delivery in [CallbackDelivery.immediate, .mainActor] {
            let loopback = Loopback()
            let (desk, sofa) = (loopback.app("desk", delivery: delivery), loopback.app("sofa", delivery: delivery))
            let origin = Origin()
            let userActivity = NSUserActivity(activityType: "com.company.viewing-message", host: desk)
            userActivity.supportsContinuationStreams = true
            userActivity.delegate = origin
            userActivity.becomeCurrent()
            let continuation = try await sofa.continueOffer(await sofa.offer(ofType: "com.company.viewing-message"))
            await continuation.accept()
            let keeper = Keeper()
            await withCheckedContinuation { waiting in
                keeper.isTold = { waiting.resume() }
                keeper.ask(continuation.activity)
            }
            #expect(keeper.hasBoth)
            userActivity.invalidate()
        }
    }

    /// The test runs in its own process, because a process has only one default host.
    @Test("A request and its response are sent between the devices through stream events")
    func requestOverStreams() async {
        await #expect(processExitsWith: .success) {
            let devices = TwoDevices()
            let origin = Origin()
            let userActivity = NSUserActivity(activityType: "com.appcoda.handoffdemo.list-contacts")
            userActivity.title = "Contacts"
            userActivity.supportsContinuationStreams = true
            userActivity.delegate = origin
            userActivity.becomeCurrent()

            let continued = try await devices.continue("com.appcoda.handoffdemo.list-contacts")
            precondition(continued.supportsContinuationStreams)
            precondition(continued.userInfo?["totalContacts"] as? Int == 500)
            precondition(origin.continuations == 1)
            let continuing: Continuing = await withCheckedContinuation { waiting in
                continued.getContinuationStreams { inputStream, outputStream, error in
                    guard let inputStream, let outputStream else { preconditionFailure("\(String(describing: error))") }
                    nonisolated(unsafe) let continuing = Continuing(inputStream, outputStream)
                    Thread.detachNewThread {
                        continuing.run()
                        waiting.resume(returning: continuing)
                    }
                }
            }
            precondition(continuing.answer == Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0) }))
            precondition(continuing.events.first == .openCompleted)
            precondition(continuing.events.contains(.hasBytesAvailable))
            precondition(continuing.events.last == .endEncountered)
            precondition(continuing.events.filter { $0 == .endEncountered }.count == 1)
            userActivity.invalidate()
        }
    }
}
