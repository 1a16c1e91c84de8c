" SPDX-License-Identifier: Apache-2.0
" The text of a buffer, to and from files in UTF-8, and the form in which the buffer is saved.

let s:cpo = &cpo
set cpo&vim

let s:ends = {'unix': 'lf', 'dos': 'crlf', 'mac': 'cr'}
let s:formats = {'lf': 'unix', 'crlf': 'dos', 'cr': 'mac'}

function! baton#text#form() abort
  return {'encoding': empty(&fileencoding) ? &encoding : &fileencoding, 'mark': &bomb ? v:true : v:false,
        \ 'ends': s:ends[&fileformat]}
endfunction

" Writes the text to a file of the adapters'. Returns whether it did.
function! baton#text#write(path) abort
  let l:lines = line2byte(1) < 0 ? [] : getline(1, '$') + (&endofline ? [''] : [])
  return writefile(l:lines, a:path, 'b') == 0
endfunction

" The lines of a file of the adapters', and an empty one if the last line has an end.
function! baton#text#read(path) abort
  return readfile(a:path, 'b')
endfunction

" Replaces the text by one change, which can be undone. The form is that of the file that came.
function! baton#text#put(lines, it) abort
  let l:lines = copy(a:lines)
  let l:has_end = get(l:lines, -1, '') ==# ''
  if !empty(l:lines) && l:has_end
    call remove(l:lines, -1)
  endif
  if empty(l:lines)
    silent keepjumps %delete _
  else
    call setline(1, l:lines)
    if line('$') > len(l:lines)
      silent call deletebufline('%', len(l:lines) + 1, '$')
    endif
  endif
  let &l:fileencoding = a:it.encoding
  let &l:bomb = a:it.mark
  let &l:fileformat = get(s:formats, a:it.ends, 'unix')
  let &l:endofline = l:has_end
  if !l:has_end
    setlocal nofixendofline " it would be another file
  endif
endfunction

let &cpo = s:cpo
unlet s:cpo
