// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct Shell: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the hook with which a shell tells Baton its directory.",
        discussion: """
            Add this line to ~/.zshrc or ~/.bashrc: eval "$(baton shell zsh)", or bash. fish needs no line: the package baton-adapters \
            installs the hook for it. At each prompt the hook writes an empty file, and starts no program. It does nothing while the adapters do \
            not run. It defines the function baton-cd, which goes to the directory of a terminal on another device.
            """)

    @Argument(help: "zsh, bash or fish.", completion: .list(ShellKind.names))
    var shell: ShellKind

    func run() throws { try Output.standard.lines(shell.hook) }
}
