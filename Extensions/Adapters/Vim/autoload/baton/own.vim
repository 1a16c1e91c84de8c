" SPDX-License-Identifier: Apache-2.0
" Checks which files belong to this user. All others in $XDG_RUNTIME_DIR are refused, because `su` and
" `sudo -E` keep the variable of another user (Documentation/Editors.md).

let s:cpo = &cpo
set cpo&vim

" Returns the directory of the socket, without symbolic links; empty if it does not belong to this
" user.
function! baton#own#directory() abort
  let l:runtime = substitute(resolve($XDG_RUNTIME_DIR), '/*$', '', '')
  let l:directory = l:runtime .. '/baton/editors'
  let l:is_own = l:runtime =~# '^/' && s:is_plain_user()
        \ && baton#own#is_own(l:runtime, 'dir', 'rwx------') && baton#own#is_own(l:directory, 'dir', 'rwx------')
  return l:is_own ? l:directory : ''
endfunction

" Returns the path of a file in the directory of the socket, for the name that the adapters gave it.
function! baton#own#file(directory, name) abort
  let l:path = a:directory .. '/' .. a:name
  if a:name =~# '/' || !baton#own#is_own(l:path, 'file', 'rw-------')
    throw 'baton: what came is in no file of this user'
  endif
  return l:path
endfunction

" Vim cannot read a file's owner. If only the owner has a permission, and this user has it, then this
" user is the owner. This is not true for root and for programs with root's capabilities for files.
function! baton#own#is_own(path, type, permissions) abort
  return getftype(a:path) ==# a:type && getfperm(a:path) ==# a:permissions && filewritable(a:path)
endfunction

" Ask the kernel for the user, because su keeps $USER.
function! s:is_plain_user() abort
  try
    let l:status = join(readfile('/proc/self/status'), "\n")
  catch
    return v:false
  endtry
  " The real and the effective user are the same and not root. The last digit of the capabilities is
  " for files.
  return l:status =~# '\nUid:\t\([1-9]\d*\)\t\1\t' && l:status =~# '\nCapEff:\t\x*0\%(\n\|$\)'
endfunction

let &cpo = s:cpo
unlet s:cpo
