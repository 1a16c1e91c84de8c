# SPDX-License-Identifier: Apache-2.0
# Joins `--option=value`, because Readline splits it into three words and the function above supports only
# two.
__PROGRAM_option_values() {
    local -a words=()
    local -i index cword=COMP_CWORD
    local line=${COMP_LINE} word before=''
    for index in "${!COMP_WORDS[@]}"; do
        word=${COMP_WORDS[index]}
        if [[ "${word}" = '=' && "${before}" = --* ]]; then
            line=${line/"${before}="/"${before} "}
            if ((index == COMP_CWORD)); then
                words+=('')
            elif ((index < COMP_CWORD)); then
                cword=cword-1
            fi
        else
            words+=("${word}")
        fi
        before=${word}
    done
    local -a COMP_WORDS=("${words[@]}")
    local -i COMP_CWORD=cword
    local COMP_LINE=${line}
    _PROGRAM "${1}" "${2}" "${COMP_WORDS[COMP_CWORD - 1]}"
}

complete -o filenames -F __PROGRAM_option_values PROGRAM
