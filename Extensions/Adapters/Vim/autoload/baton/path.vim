" SPDX-License-Identifier: Apache-2.0
" Paths in the lines of the socket. JSON cannot contain a path that is not UTF-8. Its bytes are hexadecimal
" digits under a key of their own (Documentation/Editors.md).

let s:cpo = &cpo
set cpo&vim

" Returns the entries for a path, or for v:null, in a message.
function! baton#path#say(path) abort
  if a:path is v:null || s:is_utf8(a:path)
    return {'file': a:path}
  endif
  return {'file': v:null, 'fileBytes': join(map(range(len(a:path)), {_, i -> printf('%02x', char2nr(a:path[i]))}), '')}
endfunction

" Returns the path in a message, or v:null.
function! baton#path#hear(it) abort
  let l:bytes = get(a:it, 'fileBytes', '')
  if l:bytes !~# '^\%(\x\x\)\+$'
    return a:it.file
  endif
  " The evaluated text contains only digits.
  return eval('"' .. substitute(l:bytes, '\x\x', '\\x\0', 'g') .. '"')
endfunction

" Neovim refuses to encode a text that is not UTF-8, and Vim replaces its bytes.
function! s:is_utf8(text) abort
  try
    return json_decode(json_encode(a:text)) ==# a:text
  catch
    return v:false
  endtry
endfunction

let &cpo = s:cpo
unlet s:cpo
