# SPDX-License-Identifier: Apache-2.0
# Replaces the function of this name above. Readline quotes a word like a file name and leaves some characters unquoted ($, parentheses). Other people
# choose the names of their devices, so this function quotes them.
__baton_add_completions() {
    local completion
    while IFS='' read -r completion; do
        # After an opening quote Readline quotes correctly.
        if [[ "${1}" = -W && "${COMP_WORDS[COMP_CWORD]}" != [\"\']* ]]; then
            compopt +o filenames
            printf -v completion %q "${completion}"
            # A comma needs no quoting, and bash would not recognise a word with a quoted one.
            completion=${completion//\\,/,}
        fi
        COMPREPLY+=("${completion}")
    done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
}
