# SPDX-License-Identifier: Apache-2.0
# The form of pages: `make lint` checks it with Debian's ruby-mdl. Scripts/columns checks the length of lines, and wraps them.
all
exclude_rule 'MD013'
exclude_rule 'MD040' # most blocks are what somebody types or sees
rule 'MD024', allow_different_nesting: true
rule 'MD029', style: :ordered
