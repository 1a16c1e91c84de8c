// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A shell for which Baton has a hook. The hook tells the adapter for terminals that a prompt is
/// shown.
enum ShellKind: String, ExpressibleByArgument {
    case zsh, bash, fish

    static let names = [zsh, bash, fish].map(\.rawValue)

    /// The hook, in the shell's own language.
    ///
    /// At a prompt, the hook starts no program and writes at most an empty file. The hook prints
    /// nothing by itself, and does nothing while the adapters do not run. The hook trusts only
    /// directories of its own user, because `su` and `sudo -E` keep another user's
    /// `XDG_RUNTIME_DIR`.
    var hook: String {
        switch self {
        case .zsh: Self.ofZsh
        case .bash: Self.ofBash
        case .fish: Self.ofFish
        }
    }

    /// While the user edits a line, zsh watches a named pipe, through which the adapter asks for
    /// that line. `print -z` puts a line into the edit buffer without running it.
    private static let ofZsh = #"""
        # Baton's hook for zsh: eval "$(baton shell zsh)"
        if [[ -o interactive && -n $XDG_RUNTIME_DIR && -O ${XDG_RUNTIME_DIR:A} ]]; then
          typeset -g _baton_shells=${XDG_RUNTIME_DIR:A}/baton/shells _baton_pipe=
          _baton_prompt() {
            [[ -O $_baton_shells ]] || return 0
            [[ -p $_baton_shells/$$.ask ]] || _baton_listen
            { : >| $_baton_shells/$$ } 2>/dev/null
            [[ -z $BATON_LINE ]] || _baton_line
            return 0
          }
          _baton_line() {
            local file=$BATON_LINE line=
            unset BATON_LINE
            [[ $file == $_baton_shells/* && -O $file && -f $file ]] || return
            IFS= read -r line <$file
            : >| $file
            [[ $line == *[[:cntrl:]]* ]] || print -rz -- $line
          }
          _baton_listen() {
            zmodload zsh/system 2>/dev/null || return
            if [[ -n $_baton_pipe ]]; then
              zle -F $_baton_pipe
              exec {_baton_pipe}>&-
              _baton_pipe=
            fi
            command mkfifo -m 600 -- $_baton_shells/$$.ask 2>/dev/null || return
            sysopen -rw -o cloexec -u _baton_pipe -- $_baton_shells/$$.ask 2>/dev/null || return
            zle -F -w $_baton_pipe _baton_asked
          }
          _baton_asked() {
            local name=
            IFS= read -r -u $1 name || return
            [[ ${#name} -eq 32 && $name != *[^0-9a-f]* && -p $_baton_shells/$name ]] || return
            if [[ -n $PREBUFFER || ${#BUFFER} -gt 4096 ]]; then
              : 1<>$_baton_shells/$name
            else
              print -rn -- $BUFFER 1<>$_baton_shells/$name
            fi
          }
          baton-cd() {
            local -a found
            found=("${(@f)$(command baton here --take "$@")}")
            [[ -n $found[1] ]] || return
            builtin cd -- $found[1] || return
            [[ -z $found[2] || $found[2] == *[[:cntrl:]]* ]] || print -rz -- $found[2]
          }
          zle -N _baton_asked
          autoload -Uz add-zsh-hook && add-zsh-hook precmd _baton_prompt
        fi
        """#

    /// bash has no safe way to put a line into its edit buffer, so the hook only shows the line.
    private static let ofBash = #"""
        # Baton's hook for bash: eval "$(baton shell bash)"
        if [[ $- == *i* && -n ${XDG_RUNTIME_DIR-} && -O $XDG_RUNTIME_DIR ]] && ! declare -F _baton_prompt >/dev/null; then
          _baton_shells=$(builtin cd -P -- "$XDG_RUNTIME_DIR" && pwd)/baton/shells
          _baton_prompt() {
            local status=$?
            if [[ -O $_baton_shells ]]; then
              { : >| "$_baton_shells/$$"; } 2>/dev/null
              [[ -z ${BATON_LINE-} ]] || _baton_line
            fi
            return $status
          }
          _baton_line() {
            local file=$BATON_LINE line=
            unset BATON_LINE
            [[ $file == "$_baton_shells"/* && -O $file && -f $file ]] || return
            IFS= read -r line <"$file"
            : >| "$file"
            [[ $line == *[[:cntrl:]]* ]] || printf '%s\n' "$line"
          }
          baton-cd() {
            local -a found
            mapfile -t found < <(command baton here --take "$@")
            [[ -n ${found[0]-} ]] || return
            builtin cd -- "${found[0]}" || return
            [[ -z ${found[1]-} || ${found[1]} == *[[:cntrl:]]* ]] || printf '%s\n' "${found[1]}"
          }
          PROMPT_COMMAND=${PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}_baton_prompt
        fi
        """#

    private static let ofFish = #"""
        # Baton's hook for fish. The package baton-adapters installs it for all users.
        if status is-interactive; and set -q XDG_RUNTIME_DIR; and test -O "$XDG_RUNTIME_DIR"
            set -g _baton_shells (builtin realpath -- $XDG_RUNTIME_DIR)/baton/shells
            function _baton_prompt --on-event fish_prompt
                test -O $_baton_shells; or return
                begin
                    echo -n >$_baton_shells/$fish_pid
                end 2>/dev/null
                set -q BATON_LINE; and _baton_line
            end
            function _baton_line
                set -l file $BATON_LINE
                set -e BATON_LINE
                string match -q -- "$_baton_shells/*" $file; and test -O $file -a -f $file; or return
                read -l line <$file
                echo -n >$file
                string match -qr -- '[[:cntrl:]]' $line; or commandline -r -- $line
            end
            function baton-cd --description "Go to the folder of a terminal on another laptop"
                set -l found (command baton here --take $argv)
                or return
                builtin cd -- $found[1]
                or return
                set -q found[2]; and not string match -qr -- '[[:cntrl:]]' $found[2]; and commandline -r -- $found[2]
            end
        end
        """#
}
