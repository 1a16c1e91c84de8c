" SPDX-License-Identifier: Apache-2.0
" The text of a buffer, to and from files of the adapters, and the form in which the buffer is saved. The
" files have line feeds, and UTF-8 for all encodings of Unicode. Other encodings stay unchanged, because
" Vim converts them with its own tables when it saves.

let s:cpo = &cpo
set cpo&vim

let s:ends = {'unix': 'lf', 'dos': 'crlf', 'mac': 'cr'}
let s:formats = {'lf': 'unix', 'crlf': 'dos', 'cr': 'mac'}
let s:old = 'iso-8859-15' " in which each byte is a character

function! baton#text#form() abort
  return {'encoding': empty(&fileencoding) ? &encoding : &fileencoding, 'mark': &bomb ? v:true : v:false,
        \ 'ends': s:ends[&fileformat]}
endfunction

" Writes the text to a file of the adapters, as a save would. Returns the entries for the answer.
function! baton#text#write(path, encoding) abort
  let l:lines = line2byte(1) < 0 ? [] : getline(1, '$')
  let l:form = extend(baton#text#form(), empty(a:encoding) ? {} : {'encoding': a:encoding, 'isRecoded': v:true})
  if !s:is_unicode(l:form.encoding)
    let l:converted = s:converted(l:lines, &encoding, l:form.encoding)
    if s:converted(l:converted, l:form.encoding, &encoding) ==# l:lines
      let l:lines = l:converted
    else
      call extend(l:form, {'encoding': &encoding, 'isRecoded': v:true})
    endif
  endif
  let l:has_end = !empty(l:lines) && (&endofline || &fixendofline && !&binary)
  call writefile(l:lines + (l:has_end ? [''] : []), a:path, 'b')
  return extend(l:form, {'sent': v:true})
endfunction

" Returns the lines of a file of the adapters, and an empty one if the last line has a line end. Changes
" the encoding in `it` if the file is not valid in it.
function! baton#text#read(path, it) abort
  let l:lines = readfile(a:path, 'b')
  if s:is_unicode(a:it.encoding)
    return l:lines
  endif
  let l:converted = s:converted(l:lines, a:it.encoding, &encoding)
  if s:converted(l:converted, &encoding, a:it.encoding) !=# l:lines
    let a:it.encoding = s:old
    let l:converted = s:converted(l:lines, s:old, &encoding)
  endif
  return l:converted
endfunction

" Replaces the text with one change that can be undone. The form is that of the file that came.
function! baton#text#put(lines, it) abort
  let l:lines = copy(a:lines)
  if get(l:lines, -1, v:null) is# ''
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
  let &l:fileformat = s:formats[a:it.ends]
  let &l:endofline = a:it.hasLastEnd
  call baton#text#keep_end(a:it)
endfunction

" Returns the values of options with which Vim opens a file in its form on the other laptop.
function! baton#text#options(form) abort
  return {'fileencodings': (a:form.mark ? 'ucs-bom,' : '') .. a:form.encoding, 'fileformats': s:formats[a:form.ends]}
endfunction

" A text without a last line end is saved without one, because it would be another file otherwise.
function! baton#text#keep_end(form) abort
  if !a:form.hasLastEnd
    setlocal nofixendofline
  endif
endfunction

function! s:is_unicode(encoding) abort
  return a:encoding =~# '^\%(utf\|ucs\)'
endfunction

" Converts all lines at once, because each call looks for its table. A NUL within a line would end the
" text.
function! s:converted(lines, from, to) abort
  let l:lines = split(s:convert(join(a:lines, "\n"), a:from, a:to), "\n", 1)
  return len(l:lines) == len(a:lines) ? l:lines : map(copy(a:lines), {_, line -> s:convert(line, a:from, a:to)})
endfunction

" Append a line feed, because some encodings keep a character back until they see the next one.
function! s:convert(text, from, to) abort
  return iconv(a:text .. "\n", a:from, a:to)[:-2]
endfunction

let &cpo = s:cpo
unlet s:cpo
