/** What a prompt may speak of: the statement and what is given to the solver. Never tests, never solutions. */
export interface PromptParts {
  /** Markdown. */
  readonly statement: string;
  /** Empty when none. */
  readonly starterCode: string;
  /** Empty when none. */
  readonly entryPoint: string;
  /** For example `python`; empty for any. */
  readonly language: string;
}

export type AnswerShape = 'chat' | 'completion';

/**
 * Fills a target's template. `{{statement}}`, `{{starter_code}}`, `{{entry_point}}` and `{{language}}` are replaced once:
 * a statement that holds such a word itself stays as it is.
 *
 * @param template empty for the default of the answer's shape
 */
export function renderPrompt(template: string, shape: AnswerShape, parts: PromptParts): string {
  const chosen = template === '' ? defaultTemplate(shape, parts) : template;
  const values: Readonly<Record<string, string>> = {
    statement: parts.statement,
    starter_code: parts.starterCode,
    entry_point: parts.entryPoint,
    language: parts.language,
  };
  return chosen.replace(
    /\{\{(statement|starter_code|entry_point|language)\}\}/g,
    (_, name: string) => values[name] ?? '',
  );
}

function defaultTemplate(shape: AnswerShape, parts: PromptParts): string {
  if (shape === 'completion') return parts.starterCode === '' ? '{{statement}}\n' : '{{starter_code}}';
  const language = parts.language === '' ? '' : ` in ${parts.language[0]?.toUpperCase()}${parts.language.slice(1)}`;
  const lines = [
    `Solve this problem${language}. Answer with one code block that holds the whole solution.`,
    '{{statement}}',
  ];
  if (parts.starterCode !== '' && !parts.statement.includes(parts.starterCode.trim())) {
    lines.push('Begin with this code:\n```\n{{starter_code}}\n```');
  } else if (parts.entryPoint !== '' && !parts.statement.includes(parts.entryPoint)) {
    lines.push('The tests use the name `{{entry_point}}`.');
  }
  return lines.join('\n\n');
}
