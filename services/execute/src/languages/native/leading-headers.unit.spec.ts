import { expect, it } from 'vitest';
import { leadingHeaders } from './leading-headers.ts';

it.each<[string, string, string[]]>([
  ['the common header', '#include <bits/stdc++.h>\nusing namespace std;', ['bits/stdc++.h']],
  ['several, in their order of names', '#include <vector>\n#include <iostream>\nint main(){}', ['iostream', 'vector']],
  ['all that the common one holds', '#include <iostream>\n#include<bits/stdc++.h> // all\n', ['bits/stdc++.h']],
  [
    'past comments and blank lines',
    '// by me\n/* a\n#include <map>\n */ #include <set>\r\n\n# include < list >\nint x;',
    ['list', 'set'],
  ],
  ['none behind a macro, which may change them', '#define _GLIBCXX_DEBUG\n#include <vector>', []],
  ['none behind a pragma, which may change how they are compiled', '#pragma GCC optimize("O3")\n#include <vector>', []],
  ['those before a macro', '#include <map>\n#define int long long\n#include <set>', ['map']],
  ['none of its own', '#include "mine.h"\n#include <vector>', []],
  ['none that is unknown', '#include <ext/pb_ds/assoc_container.hpp>\n#include <vector>', []],
  ['none on a continued line', '#include <vector> \\\n\n#include <map>', []],
  ['none in a condition', '#ifdef LOCAL\n#include <vector>\n#endif', []],
  ['none whose meaning a macro decides', '#include <cassert>\n#include <vector>', []],
  ['none of nothing', '', []],
])('finds %s', (_what, source, headers) => {
  expect(leadingHeaders(source)).toEqual(headers);
});
