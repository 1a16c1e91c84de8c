" SPDX-License-Identifier: Apache-2.0
" The jobs of test_editor_forms in Vim and Neovim: runs each job of $JOBS, and writes its result as a
" line of $RESULTS.
set nomore nocompatible hidden noswapfile fileformats=unix,dos,mac fileencodings=ucs-bom,utf-8,default,latin1
filetype on

" Receives a copy and saves it.
function! s:copy(job) abort
  enew
  call baton#text#put(baton#text#read(a:job.text, a:job), a:job)
  execute 'silent write!' fnameescape(a:job.out)
  return {}
endfunction

" Changes a file, sends it, and saves it.
function! s:send(job) abort
  execute 'silent edit!' has_key(a:job, 'encoding') ? '++enc=' .. a:job.encoding : '' fnameescape(a:job.file)
  call setbufline('%', 1, a:job.insert .. getline(1))
  let l:result = baton#text#write(a:job.text, get(a:job, 'ask', ''))
  " Vim refuses to save characters that the encoding cannot represent.
  execute 'silent write!' has_key(l:result, 'isRecoded') ? '++enc=utf-8' : '' fnameescape(a:job.out)
  return l:result
endfunction

let s:results = []
for s:job in map(readfile($JOBS), 'json_decode(v:val)')
  try
    call add(s:results, json_encode(call('s:' .. s:job.do, [s:job])))
  catch
    call add(s:results, json_encode({'error': v:exception .. ' ' .. v:throwpoint}))
  endtry
  silent! %bwipeout!
endfor
call writefile(s:results, $RESULTS)
qall!
