// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Baton
import BatonBus

/// `baton open`
struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Have the right app carry on with an activity that another device offers.",
        discussion:
            "The app is started when it does not run. Where no app here continues the activity, its web page opens in the browser."
    )

    @OptionGroup var choice: OfferOptions

    @Option(help: ArgumentHelp("Another app than the one that Baton would choose.", valueName: "id"))
    var app: String?

    func run() async throws {
        let command = self
        try await Termination.cancels { try await Daemon.connected { try await command.run(on: $0) } }
    }

    private func run(on connection: BatonConnection) async throws {
        let found = try await choice.find(on: connection)
        switch try await connection.bus.openOffer(found.offer, options: OpenOptions(application: app)) {
        case .application(let identifier): Output.standard.line("continued in \(Output.printable(identifier))")
        case .webpage(let address): Output.standard.line("opened in the browser: \(Output.printable(address))")
        }
    }
}
