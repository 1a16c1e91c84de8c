" SPDX-License-Identifier: Apache-2.0
" Which files are the user's own. Everything else in $XDG_RUNTIME_DIR is refused: `su` and `sudo -E`
" keep the variable of another user (Documentation/Editors.md).

let s:cpo = &cpo
set cpo&vim

" The directory of the socket, without symbolic links. Empty if it is not the user's own.
function! baton#own#directory() abort
  let l:runtime = substitute(resolve($XDG_RUNTIME_DIR), '/*$', '', '')
  let l:directory = l:runtime .. '/baton/editors'
  let l:is_own = l:runtime =~# '^/' && s:is_plain_user()
        \ && baton#own#is_own(l:runtime, 'dir', 'rwx------') && baton#own#is_own(l:directory, 'dir', 'rwx------')
  return l:is_own ? l:directory : ''
endfunction

" The path of a file in the directory of the socket, by the name that the adapters gave it.
function! baton#own#file(directory, name) abort
  let l:path = a:directory .. '/' .. a:name
  if a:name =~# '/' || !baton#own#is_own(l:path, 'file', 'rw-------')
    throw 'baton: what came is in no file of this user'
  endif
  return l:path
endfunction

" Vim cannot read who owns a file. If only the owner has a permission, and this user has it, then this
" user is the owner. That is not true of root, and of programs with root's capabilities for files.
function! baton#own#is_own(path, type, permissions) abort
  return getftype(a:path) ==# a:type && getfperm(a:path) ==# a:permissions && filewritable(a:path)
endfunction

" $USER does not say who the user is: su keeps it. The kernel does.
function! s:is_plain_user() abort
  try
    let l:status = join(readfile('/proc/self/status'), "\n")
  catch
    return v:false
  endtry
  " The real user and the effective one are the same, and are not root. The last digit of the
  " capabilities is that for files.
  return l:status =~# '\nUid:\t\([1-9]\d*\)\t\1\t' && l:status =~# '\nCapEff:\t\x*0\%(\n\|$\)'
endfunction

let &cpo = s:cpo
unlet s:cpo
