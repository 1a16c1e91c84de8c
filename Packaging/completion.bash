# SPDX-License-Identifier: Apache-2.0
# What follows takes the place of the function of this name above. Readline quotes a word as if it were the name of a file, and not all of it ($, parentheses):
# what others call their devices is quoted here.
__baton_add_completions() {
    local completion
    while IFS='' read -r completion; do
        # Behind a quote that was typed Readline does it right.
        if [[ "${1}" = -W && "${COMP_WORDS[COMP_CWORD]}" != [\"\']* ]]; then
            compopt +o filenames
            printf -v completion %q "${completion}"
            # A comma needs no quoting, and bash does not find a word again that it has quoted.
            completion=${completion//\\,/,}
        fi
        COMPREPLY+=("${completion}")
    done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
}
