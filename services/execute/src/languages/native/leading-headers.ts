/**
 * The standard headers that a source includes before anything else stands in it, sorted; empty where there are none.
 *
 * They may be read beforehand, and in any order: nothing was defined that could change them, and every standard header
 * bears being included before any other and again. So a precompiled header of them leaves the meaning of the source as
 * it is. Reading ends at the first line that is neither blank, comment nor such an include.
 */
export function leadingHeaders(source: string): string[] {
  const found = new Set<string>();
  let inComment = false;
  for (const line of source.split('\n')) {
    const read = readLine(line, inComment);
    inComment = read.inComment;
    const text = read.text.trim();
    if (text === '') continue;
    const name = /^#\s*include\s*<\s*([\w./+]+)\s*>$/.exec(text)?.[1];
    // A continued line would be read otherwise by the preprocessor.
    if (name === undefined || !STANDARD.has(name) || line.trimEnd().endsWith('\\')) break;
    found.add(name);
  }
  // It holds nearly all the others; the rest follow where the source includes them.
  if (found.has('bits/stdc++.h')) return ['bits/stdc++.h'];
  return [...found].sort();
}

/** A line without its comments. */
function readLine(line: string, startsInComment: boolean): { text: string; inComment: boolean } {
  let text = '';
  let rest = line;
  let inComment = startsInComment;
  for (;;) {
    if (inComment) {
      const end = rest.indexOf('*/');
      if (end < 0) return { text, inComment };
      rest = rest.slice(end + 2);
      inComment = false;
    } else {
      const [block, single] = [rest.indexOf('/*'), rest.indexOf('//')];
      if (single >= 0 && (block < 0 || single < block)) return { text: text + rest.slice(0, single), inComment };
      if (block < 0) return { text: text + rest, inComment };
      text += `${rest.slice(0, block)} `;
      rest = rest.slice(block + 2);
      inComment = true;
    }
  }
}

/** Headers of C++20 and of C as C++ has them, without those whose meaning depends on macros (assert.h, cassert). */
const STANDARD = new Set(
  (
    'bits/stdc++.h algorithm any array atomic bit bitset charconv chrono compare complex concepts condition_variable ' +
    'deque exception execution filesystem forward_list fstream functional future initializer_list iomanip ios iosfwd ' +
    'iostream istream iterator limits list locale map memory memory_resource mutex new numbers numeric optional ostream ' +
    'queue random ranges ratio regex scoped_allocator set shared_mutex span sstream stack stdexcept streambuf string ' +
    'string_view system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray ' +
    'variant vector version cctype cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg cstddef ' +
    'cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype ctype.h errno.h fenv.h float.h inttypes.h limits.h ' +
    'locale.h math.h setjmp.h signal.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h time.h wchar.h ' +
    'wctype.h'
  ).split(' '),
);
