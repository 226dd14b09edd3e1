/** A column of a table: its heading, and whether numbers stand at its right edge. */
export interface Column {
  readonly heading: string;
  readonly align?: 'left' | 'right';
}

/** Lines of a table, columns separated by two blanks, without blanks at line ends. An empty table is no line. */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const all = [columns.map(({ heading }) => heading), ...rows];
  const widths = columns.map((_, at) => Math.max(...all.map((row) => widthOf(row[at] ?? ''))));
  return all.map((row) =>
    columns
      .map(({ align }, at) => pad(row[at] ?? '', widths[at] ?? 0, align ?? 'left'))
      .join('  ')
      .trimEnd(),
  );
}

function pad(text: string, width: number, align: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'left' ? text + blanks : blanks + text;
}

/** Characters as people see them; wide ones count as one. */
const widthOf = (text: string): number => [...text].length;

const BLOCKS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of `value` in `largest`, at most `width` characters; anything above 0 shows. */
export function bar(value: number, largest: number, width: number): string {
  if (!(value > 0) || !(largest > 0)) return '';
  const eighths = Math.max(1, Math.round((value / largest) * width * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + (BLOCKS[eighths % 8] ?? '');
}

/** `1234567` as `1,234,567`. */
export const count = (value: number): string => Math.round(value).toLocaleString('en-US');

/** `1` problem, `2` problems. */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** Text of a value out of JSON; nothing for what is absent. */
export function show(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Cuts a text to a width, with an ellipsis. */
export const cut = (text: string, width: number): string =>
  [...text].length <= width ? text : `${[...text].slice(0, Math.max(0, width - 1)).join('')}…`;
