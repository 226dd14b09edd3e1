/** Something that cleaning did or noticed; the text says nothing of it afterwards. */
export interface CleaningNote {
  readonly code: CleaningCode;
  /** How many characters or places. */
  readonly count: number;
}

export type CleaningCode =
  | 'line_ends'
  | 'not_nfc'
  | 'removed_invisible'
  | 'removed_bidi'
  | 'removed_control'
  | 'removed_hidden_tags'
  | 'joined_invisibly'
  | 'trimmed';

export interface CleanText {
  readonly text: string;
  readonly notes: readonly CleaningNote[];
}

/** Characters without a shape that split words for every search and hash: zero-width space, word joiner, soft hyphen … */
const INVISIBLE = /[\u00AD\u034F\u180E\u200B\u2060-\u2064\uFEFF]/g;
/** Order marks, overrides and isolates: what is read is not what is there. */
const BIDI = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u206F]/g;
/** All controls but line feed and tab. */
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
/** Tag characters spell ASCII that nobody sees. */
const TAGS = /[\u{E0000}-\u{E007F}]+/gu;
/** Joiners are letters' business in Persian, Hindi and emoji; between ASCII characters they only hide. */
const JOINERS = /(?<![^\u0000-\u007F])[\u200C\u200D]+|[\u200C\u200D]+(?![^\u0000-\u007F])/g;

/**
 * Cleans a statement: line ends become LF, the text becomes NFC, characters that nobody sees go, blank lines at both
 * ends go. Markdown, inner blanks and every visible character stay; nothing is added. Applying it twice changes
 * nothing. Linear in the text's length.
 */
export function cleanStatement(source: string): CleanText {
  const notes: CleaningNote[] = [];
  let text = source;
  const replace = (code: CleaningCode, pattern: RegExp, by: string): void => {
    let count = 0;
    text = text.replace(pattern, () => {
      count += 1;
      return by;
    });
    if (count > 0) notes.push({ code, count });
  };
  replace('line_ends', /\r\n?|\u2028|\u2029|\u0085/g, '\n');
  replace('removed_hidden_tags', TAGS, '');
  replace('removed_bidi', BIDI, '');
  replace('removed_control', CONTROL, '');
  replace('removed_invisible', INVISIBLE, '');
  replace('joined_invisibly', JOINERS, '');
  const composed = text.normalize('NFC');
  if (composed !== text) notes.push({ code: 'not_nfc', count: 1 });
  const trimmed = trimBlankLines(composed);
  if (trimmed !== composed) notes.push({ code: 'trimmed', count: 1 });
  return { text: trimmed, notes };
}

/** Line ends of code become LF, which no language minds; nothing else of code is touched. */
export function cleanCode(source: string): string {
  return source.replace(/\r\n?/g, '\n');
}

/** Without blank lines at the start and blanks at the end; the first line keeps its indentation. */
function trimBlankLines(text: string): string {
  const first = text.search(/\S/);
  if (first < 0) return '';
  return text.slice(text.lastIndexOf('\n', first) + 1).trimEnd();
}
