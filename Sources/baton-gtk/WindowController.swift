// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import FoundationEssentials
import GtkInterop
import SystemSetup
import WindowModel
import Wording

/// Connects the model, the daemon and the window.
@MainActor
final class WindowController {
    /// The greatest length of the desktop's reason for a failure, in characters.
    private static let longestReason = 240

    private var model = WindowModel(now: Date())
    private var bus: BatonBusClient?
    private var window: MainWindow?
    private let pairing = PairingCalls()
    private let scanner = Scanner()
    private var hasAskedForDaemon = false
    private var following: [Task<Void, Never>] = []

    /// Creates the controller of an application's window. The application ends when the window is
    /// closed.
    init(_ application: Application) {
        let window = MainWindow(application) { [weak self] in self?.handle($0) }
        self.window = window
        window.onShownChange { [weak self] in self?.handle(.window(isShown: $0)) }
        application.addAction("quit", shortcut: "<Control>q") { application.quit() }
        application.addAction("back", shortcut: "<Alt>Left") { [weak self] in self?.handle(.acted(.back)) }
        application.addAction("end-scan") { [weak self] in
            // Not at once, because the page removes the widget that has seen the key.
            Task { self?.handle(.acted(.endScan)) }
        }
        application.addAction("close", shortcut: "<Control>w") { [weak self] in self?.window?.close() }
        application.addAction("about") { [weak self] in self?.window?.showAbout() }
        handle(.system(.current))
        Task { await connect() }
    }

    /// Shows the window, or brings it to the front.
    ///
    /// - Parameter route: The page to show, or nil for the present one.
    func present(at route: Route? = nil) {
        if let route { handle(.acted(.show(route))) }
        window?.present()
    }

    /// Ends what this program has started, because this program ends.
    func end() { scanner.killPrograms() }

    // MARK: - The model

    private func handle(_ event: WindowEvent) {
        model.now = Date()
        let effects = model.handle(event)
        // The user has moved a switch, and the daemon has refused the change.
        if case .failed = event { window?.drawAgain() }
        show()
        for effect in effects { perform(effect) }
    }

    private func show() { window?.show(model.page, depth: model.depth, route: model.route) }

    private func perform(_ effect: WindowEffect) {
        switch effect {
        case .call(let request): call(request)
        case .toast(let text, let button): window?.showToast(text, button)
        case .ask(let question, let action):
            window?.ask(question) { [weak self] in self?.handle(.acted(action)) }
        case .readSystem: handle(.system(.current))
        case .setUp(let step):
            Task { [weak self] in
                let outcome = await SetupProcess.run(step)
                self?.handle(.setUp(step, outcome))
            }
        case .copy(let text): window?.copy(text)
        case .chooseReportFile:
            window?.chooseReportFile { [weak self] path in self?.handle(.acted(.request(.saveReport(path: path)))) }
        case .openFile(let path):
            DesktopFiles.open(path) { [weak self] in
                self?.window?.showToast(tr("No app on this laptop can open this document."), nil)
            }
        case .trash(let path, let done):
            // The desktop's reason may contain the name of the file, which another laptop has
            // chosen.
            let reason = DesktopFiles.trash(path).map { ForeignText.line($0, limit: Self.longestReason) }
            window?.showToast(reason ?? done, nil)
        case .chooseFolder:
            window?.chooseFolder { [weak self] path in self?.handle(.acted(.shareFolder(path))) }
        case .install(let package, let otherwise):
            DesktopSettings.install(package) { [weak self] in self?.window?.showToast(otherwise, nil) }
        case .lookForCamera:
            scanner.lookForCamera { [weak self] in self?.handle(.camera(isThere: $0)) }
        case .scan(true):
            scanner.begin(
                picture: { [weak self] in self?.window?.showPicture($0) }, { [weak self] in self?.handle($0) })
        case .scan(false): scanner.end()
        case .openBluetoothSettings:
            if !DesktopSettings.openBluetooth() {
                window?.showToast(tr("Turn Bluetooth on in the settings of this desktop."), nil)
            }
        }
    }

    // MARK: - The daemon

    private func connect() async {
        do {
            let bus = try await BatonBusClient.connect()
            self.bus = bus
            let (progress, presence) = (try await bus.offerProgress(), try await bus.daemonPresence())
            Task {
                for await each in progress { handle(.progress(each)) }
            }
            for await isThere in presence { await presenceChanged(isThere, bus) }
        } catch {
            bus = nil
            handle(.unreachable(BatonError(anyError: error)))
        }
    }

    private func presenceChanged(_ isThere: Bool, _ bus: BatonBusClient) async {
        for task in following { task.cancel() }
        following = []
        if isThere {
            hasAskedForDaemon = true
            handle(.daemon(isThere: true))
            return follow(bus)
        }
        guard !hasAskedForDaemon else { return handle(.daemon(isThere: false)) }
        // The window needs a daemon. This call starts one if the bus can. A daemon that ends later
        // is not started again: its user or its package may have stopped it.
        hasAskedForDaemon = true
        do { _ = try await bus.status() } catch { handle(.unreachable(BatonError(anyError: error))) }
    }

    private func follow(_ bus: BatonBusClient) {
        following = [
            Task { [weak self] in
                await bus.lookForOffers()
                guard let offers = try? await bus.watchOffers() else { return }
                do { for try await offer in offers { self?.handle(.offer(offer)) } } catch {}
            },
            follow(bus.statuses, isNeeded: true) { .status($0) },
            follow(bus.settings) { .settings($0) },
            follow(bus.historyChanges) { .history($0) },
            follow(bus.appChanges) { .apps($0) },
            follow(bus.grantChanges) { .grants($0) },
            follow(bus.userFiles) { .files($0) },
        ]
    }

    /// Passes a value of the daemon to the model, and again after each change.
    ///
    /// - Parameter isNeeded: Whether the window shows nothing without this value. A daemon of an
    ///   older version lacks some of the calls.
    private func follow<Value: Sendable>(
        _ values: @escaping @Sendable () async throws -> AsyncStream<Value>, isNeeded: Bool = false,
        _ event: @escaping @MainActor (Value) -> WindowEvent
    ) -> Task<Void, Never> {
        Task { [weak self] in
            do {
                for await value in try await values() { self?.handle(event(value)) }
            } catch {
                if isNeeded, !Task.isCancelled { self?.handle(.unreachable(BatonError(anyError: error))) }
            }
        }
    }

    private func call(_ request: BusRequest) {
        guard let bus else {
            if request == .start { Task { await connect() } }
            return
        }
        if pairing.take(request, { [weak self] in self?.handle($0) }) { return }
        Task { [weak self] in
            do {
                let answer = try await bus.answer(request, report: self?.model.report)
                self?.handle(.answered(request, answer))
                // The daemon may have been there without an answer.
                if request == .start { await self?.presenceChanged(true, bus) }
            } catch {
                self?.handle(.failed(request, BatonError(anyError: error)))
            }
        }
    }
}
