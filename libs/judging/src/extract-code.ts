import { canonicalLanguage, guessLanguage } from './languages.ts';

/** The form in which a target's model answers, declared with the target. */
export type AnswerForm =
  /** The answer continues the prompt; it ends before the first of the stop sequences. */
  | { readonly kind: 'completion'; readonly stopSequences: readonly string[] }
  /** The answer is a message in Markdown; the code is in fenced blocks. */
  | { readonly kind: 'chat'; readonly block?: BlockChoice };

/** Which of several fenced blocks counts. Default `last`: a model that corrects itself ends with what it means. */
export type BlockChoice = 'last' | 'first' | 'longest';

/** How the code was found, recorded beside the verdict. */
export type ExtractionNote =
  | 'completion'
  | 'completion cut at a stop sequence'
  | 'only block'
  | 'chosen block'
  | 'unclosed block'
  | 'whole answer';

export type Extraction =
  | {
      readonly kind: 'code';
      readonly code: string;
      readonly note: ExtractionNote;
      /** Of those that may answer: by the fence's tag, else as the code reads. */
      readonly language: string;
    }
  | { readonly kind: 'no_code'; readonly reason: string };

/**
 * Takes the program out of a model's answer.
 *
 * Chat: thought sections (`<think>`, `<thinking>`, `<thought>`, `<reasoning>`) are dropped first, an unclosed one to
 * the end, and a closing tag without an opening one drops all before it. Then the chosen complete fenced block whose
 * language tag fits; without a complete block an unclosed one (the answer was cut off); without any fence the whole
 * answer when it reads as code.
 *
 * @param languages those that may answer, by their canonical names (`python`), the likeliest first
 */
export function extractCode(answer: string, form: AnswerForm, languages: readonly string[]): Extraction {
  return form.kind === 'completion'
    ? fromCompletion(answer, form.stopSequences, languages)
    : fromChat(answer, form, languages);
}

function fromCompletion(answer: string, stopSequences: readonly string[], languages: readonly string[]): Extraction {
  const cuts = stopSequences.filter((stop) => stop !== '').map((stop) => answer.indexOf(stop));
  const cut = cuts.filter((at) => at >= 0).reduce((least, at) => Math.min(least, at), answer.length);
  const code = answer.slice(0, cut);
  if (code.trim() === '') return { kind: 'no_code', reason: 'the completion is empty' };
  const note = cut < answer.length ? 'completion cut at a stop sequence' : 'completion';
  return { kind: 'code', code, note, language: guessLanguage(code, languages) };
}

function fromChat(answer: string, form: { readonly block?: BlockChoice }, languages: readonly string[]): Extraction {
  const text = withoutThoughts(answer.replace(/\r\n?/g, '\n'));
  const blocks = fencedBlocks(text).filter((block) => block.code.trim() !== '');
  const fitting = blocks.filter((block) => languageOf(block, languages) !== undefined);
  const complete = fitting.filter((block) => block.closed);
  const taken = (block: Block, note: ExtractionNote): Extraction => {
    return { kind: 'code', code: block.code, note, language: languageOf(block, languages) ?? '' };
  };
  const chosen = choose(complete, form.block ?? 'last');
  if (chosen) return taken(chosen, complete.length === 1 ? 'only block' : 'chosen block');
  const open = fitting.find((block) => !block.closed);
  if (open) return taken(open, 'unclosed block');
  if (blocks.length > 0) return { kind: 'no_code', reason: `no block in ${languages.join(', ')}` };
  if (readsAsCode(text)) {
    return { kind: 'code', code: text, note: 'whole answer', language: guessLanguage(text, languages) };
  }
  return { kind: 'no_code', reason: text.trim() === '' ? 'the answer is empty' : 'the answer holds no code block' };
}

const THOUGHT = 'think|thinking|thought|reasoning';
const OPENING_THOUGHT = new RegExp(`<(${THOUGHT})>`, 'gi');
const HEADLESS_THOUGHT = new RegExp(`^[\\s\\S]*</(?:${THOUGHT})>`, 'i');
const UNCLOSED_THOUGHT = new RegExp(`(^|\\n)[ \\t]*<(?:${THOUGHT})>[\\s\\S]*$`, 'i');

function withoutThoughts(text: string): string {
  return withoutClosedThoughts(text).replace(HEADLESS_THOUGHT, '').replace(UNCLOSED_THOUGHT, '');
}

/** Every thought from its opening tag to the next closing one of its name; in time linear in the text. */
function withoutClosedThoughts(text: string): string {
  const lower = text.toLowerCase();
  const neverClosed = new Set<string>();
  let kept = '';
  let from = 0;
  for (const opening of text.matchAll(OPENING_THOUGHT)) {
    const name = (opening[1] ?? '').toLowerCase();
    if (opening.index < from || neverClosed.has(name)) continue;
    const closing = `</${name}>`;
    const end = lower.indexOf(closing, opening.index);
    if (end === -1) {
      neverClosed.add(name);
      continue;
    }
    kept += text.slice(from, opening.index);
    from = end + closing.length;
  }
  return kept + text.slice(from);
}

type Block = { readonly tag: string; readonly code: string; readonly closed: boolean };

/** Fenced blocks by CommonMark's rules: the closing fence has the same character, is at least as long, bare. */
function fencedBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; indent: number; tag: string; lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const fence = /^([ \t]*)(`{3,}|~{3,})[ \t]*(.*)$/.exec(line);
    if (!open) {
      if (!fence || (fence[2]?.startsWith('`') && fence[3]?.includes('`'))) continue;
      const tag = /^[^\s{,:]*/.exec((fence[3] ?? '').replace(/^\{\s*\.?/, ''))?.[0] ?? '';
      open = { fence: fence[2] as string, indent: (fence[1] as string).length, tag: tag.toLowerCase(), lines: [] };
    } else if (fence && fence[3]?.trim() === '' && closes(open.fence, fence[2] as string)) {
      blocks.push({ tag: open.tag, code: `${open.lines.join('\n')}\n`, closed: true });
      open = undefined;
    } else {
      open.lines.push(line.slice(Math.min(open.indent, /^[ \t]*/.exec(line)?.[0].length ?? 0)));
    }
  }
  if (open) blocks.push({ tag: open.tag, code: `${open.lines.join('\n')}\n`, closed: false });
  return blocks;
}

function closes(opening: string, candidate: string): boolean {
  return candidate[0] === opening[0] && candidate.length >= opening.length;
}

/** A block without a tag may be in any language; so may one whose tag is no language. */
function languageOf({ tag, code }: Block, languages: readonly string[]): string | undefined {
  if (tag === '' || tag === 'code') return guessLanguage(code, languages);
  const language = canonicalLanguage(tag);
  return languages.find((one) => one === language || one === tag);
}

function choose(blocks: readonly Block[], choice: BlockChoice): Block | undefined {
  if (choice === 'first') return blocks[0];
  if (choice === 'last') return blocks[blocks.length - 1];
  return blocks.reduce<Block | undefined>(
    (best, block) => (best && best.code.length >= block.code.length ? best : block),
    undefined,
  );
}

const CODE_LINE =
  /^\s*(def |class |import |from \S+ import |for .*:|while .*:|if .*:|print\(|return\b|#include|int main|using namespace|@\w+|\w+\s*=\s*\S)/;

/** True when at least half of the non-empty lines look like statements or continue indented from one. */
function readsAsCode(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const code = lines.filter(
    (line) => CODE_LINE.test(line) || /^(\s{2,}|\t)\S/.test(line) || /^\s*[#)\]}]/.test(line) || /[;{}]\s*$/.test(line),
  );
  return lines.some((line) => CODE_LINE.test(line)) && code.length * 2 >= lines.length;
}
