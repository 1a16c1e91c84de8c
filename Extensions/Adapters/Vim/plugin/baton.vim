" SPDX-License-Identifier: Apache-2.0
" Baton for Vim and Neovim: tells the session's adapters where the user is, and goes on with what
" comes from another laptop (Documentation/Editors.md). Nothing happens where they do not run.
if exists('g:loaded_baton') || !(has('nvim') || has('channel') && has('patch-8.2.4684')) || &encoding !=# 'utf-8'
  finish
endif
let g:loaded_baton = 1

augroup baton
  autocmd!
  autocmd VimEnter,BufEnter,BufWritePost,FocusGained,CursorHold,CursorHoldI * call baton#tell()
augroup END

" What starts this editor for a text of another laptop calls it.
command -nargs=1 BatonContinue call baton#continue(<q-args>)
