" SPDX-License-Identifier: Apache-2.0
" Baton for Vim and Neovim: tells the session's adapters the user's place in a text, and opens
" texts from other laptops (Documentation/Editors.md). Nothing happens where the adapters do not
" run.
if exists('g:loaded_baton') || !(has('nvim') || has('channel') && has('patch-8.2.4684')) || &encoding !=# 'utf-8'
  finish
endif
let g:loaded_baton = 1

augroup baton
  autocmd!
  autocmd VimEnter,BufEnter,BufWritePost,FocusGained,CursorHold,CursorHoldI * call baton#tell()
augroup END

" The adapters start this editor with this command for a text from another laptop.
command -nargs=1 BatonContinue call baton#continue(<q-args>)
