import { describe, expect, it } from 'vitest';
import { programShapeOf } from './program-shape.ts';

describe('the shape of a program', () => {
  it('counts lines, loops, branches and depth', () => {
    const shape = programShapeOf(
      [
        'def f(grid):',
        '    """for if while',
        '    """',
        '    best = 0  # for later',
        '    for row in grid:',
        '        for cell in row:',
        '            if cell > best:',
        '                best = cell',
        '    return best',
        '',
      ].join('\n'),
    );
    expect(shape).toMatchObject({ lines: 7, loops: 2, loopDepth: 2, branches: 1, definitions: 1, recursive: false });
  });

  it('takes a comprehension for a loop, within the loops around it', () => {
    expect(programShapeOf('for i in x:\n    y = [j for j in range(i)]\n')).toMatchObject({ loops: 2, loopDepth: 2 });
  });

  it('ends a loop where the indentation does', () => {
    expect(programShapeOf('for i in x:\n    a()\nfor j in y:\n    b()\n').loopDepth).toBe(1);
  });

  it.each([
    ['def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\n', true],
    ['def f(n):\n    return n\n\nprint(f(3))\n', false],
    ['class A:\n    def g(self):\n        return self.g\n', false],
    ['def f(n):\n    return other.f(n)\n', false],
    ['def main():\n    def walk(n):\n        walk(n - 1)\n    walk(9)\n', true],
    ['def f():\n    pass\ndef g():\n    f()\n', false],
  ])('sees whether a function calls itself: %j', (source, recursive) => {
    expect(programShapeOf(source).recursive).toBe(recursive);
  });

  it('names the tools that carry an algorithm, unless they stand in a text', () => {
    expect(programShapeOf('import heapq\nfrom collections import deque\nprint("bisect")\n').tools).toEqual([
      'heapq',
      'deque',
    ]);
  });

  it('counts tables that are written', () => {
    expect(programShapeOf('best[i] = 1\ncost[i][j] += 2\nif a[0] == 3:\n    pass\n').tables).toBe(2);
  });

  it('is found in a time that grows with the program, not its square', { timeout: 20_000 }, () => {
    for (const unit of ['(', '[a', 'a', "'", '"', 'x[1', 'for ', ' ', '#', 'def f(', 'def f(\n', 'for\n']) {
      expect(programShapeOf(unit.repeat(200_000)).definitions).toBeLessThanOrEqual(200_000);
    }
  });

  it('bears an empty program and an unclosed text', () => {
    expect(programShapeOf('')).toMatchObject({ lines: 0, loops: 0, loopDepth: 0 });
    expect(programShapeOf('x = """for').loops).toBe(0);
  });
});
