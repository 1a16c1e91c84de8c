// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct Circle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a circle of your devices, or add a device to it.",
        subcommands: [CircleCreate.self, CircleInvite.self, CircleJoin.self])
}
