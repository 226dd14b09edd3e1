import { describe, expect, it } from 'vitest';
import { canonicalLanguage, guessLanguage } from './languages.ts';

it.each([
  ['python', 'python python3 Python py py3 PyPy3 python3.11 Python2'],
  ['cpp', 'cpp C++ c++17 C++20 g++ gnu++20 cxx cc cpp17 g++17'],
  ['c', 'c C c11 C99 gcc'],
  ['rust', 'Rust'],
  ['csharp', 'csharp'],
  ['cobol', 'COBOL'],
])('knows %s by its names', (language, names) => {
  expect(names.split(' ').map(canonicalLanguage)).toEqual(names.split(' ').map(() => language));
});

describe('code without a tag', () => {
  it.each([
    ['cpp', '#include <iostream>\nint main() { std::cout << 1; }'],
    ['cpp', 'using namespace std;\nint main() { int x; cin >> x; }'],
    ['c', '#include <stdio.h>\nint main(void) { puts("x"); }'],
    ['python', 'n = int(input())\nprint(n)'],
    ['python', 'x = 3'],
  ])('reads as %s', (language, code) => {
    expect(guessLanguage(code, ['python', 'c', 'cpp'])).toBe(language);
  });

  it('is in the only language that may answer', () => {
    expect(guessLanguage('#include <iostream>', ['python'])).toBe('python');
  });

  it('with headers of C is C++ where C may not answer', () => {
    expect(guessLanguage('#include <stdio.h>\nint main() {}', ['python', 'cpp'])).toBe('cpp');
  });
});
