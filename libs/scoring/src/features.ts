import { numericLimitsOf } from './numeric-limits.ts';
import { type ProgramShape, programShapeOf } from './program-shape.ts';

/** What the predictor may look at. Never a measured pass rate. */
export interface ScorableProblem {
  /** Markdown. */
  readonly statement: string;
  /** Code given to the solver; empty when none. */
  readonly starterCode: string;
  readonly testForm: 'stdin' | 'call' | 'assert' | 'unknown';
  /** Sources of the reference solutions; the shortest is the one that counts. Empty when there is none. */
  readonly references: readonly string[];
  readonly testCount: number;
  /** CPU time of a test, in ms; 0 when the judge's default applies. */
  readonly cpuTimeMs: number;
  /** Memory of a test, in bytes; 0 when the judge's default applies. */
  readonly memoryBytes: number;
  /** Size of all tests, in bytes. */
  readonly testBytes: number;
  /** Year with fraction in which the source published it; undefined when unknown. */
  readonly publishedYear: number | undefined;
}

export type FeatureName =
  | 'statement_words'
  | 'statement_formulas'
  | 'statement_examples'
  | 'starter_lines'
  | 'limits'
  | 'size_limit_exponent'
  | 'value_limit_exponent'
  | 'extremum_words'
  | 'counting_words'
  | 'topic_words'
  | 'warns_of_slowness'
  | 'form_stdin'
  | 'form_call'
  | 'form_assert'
  | 'test_count'
  | 'test_bytes_log10'
  | 'cpu_time_ms'
  | 'memory_mib'
  | 'published_year'
  | 'reference_known'
  | 'reference_lines'
  | 'reference_loops'
  | 'reference_loop_depth'
  | 'reference_branches'
  | 'reference_definitions'
  | 'reference_recursive'
  | 'reference_tools'
  | 'reference_tables';
/** Explicit features by name; booleans are 0 or 1, what is unknown is 0. */
export type Features = Readonly<Record<FeatureName, number>>;

const EXTREMUM =
  /\b(?:least|greatest|minim\w+|maxim\w+|shortest|longest|fewest|cheapest|optimal\w*|smallest|largest|best)\b/gi;
const COUNTING =
  /\b(?:how many ways|in how many|number of (?:\w+ )?(?:ways|pairs|possible|different|distinct|permutations|subsets|paths)|modulo|10\^9 ?\+ ?7|998244353|1000000007)\b/gi;
const TOPICS =
  /\b(?:graphs?|trees?|roads?|lanes?|edges?|vertices|nodes?|reachable|cycles?|shortest|grid|permutations?|subsequences?|substrings?|prefix(?:es)?|suffix(?:es)?|palindromes?|intervals?|queries|primes?|divisors?|gcd|lcm|modulo|binary|bitwise|xor|probabilit\w+|expected value|games?|matri(?:x|ces)|polygons?|geometr\w+|convex|flows?|matching|schedul\w+|brackets?|expressions?|knapsack|capacity|recursi\w+|stack|heap|parser?)\b/gi;
const SLOW = /\btoo slow\b|\befficient\w*|\btime complexity\b|\bO\(/i;

/** The features of a problem. Depends on the texts alone: equal problems have equal features. */
export function featuresOf(problem: ScorableProblem): Features {
  const text = problem.statement.replace(/\r\n?/g, '\n');
  const limits = numericLimitsOf(text);
  const shape = shortest(problem.references);
  const distinct = (pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([word]) => word.toLowerCase())).size;
  return {
    statement_words: text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length,
    statement_formulas: [...text.matchAll(/\$[^$\n]+\$|\w[_^]\w|\b10\^/g)].length,
    statement_examples: [...text.matchAll(/>>>|\bexample\b|\bsample (?:input|output)\b/gi)].length,
    starter_lines: problem.starterCode.split('\n').filter((line) => line.trim() !== '').length,
    limits: limits.length,
    size_limit_exponent: exponent(limits.filter((limit) => limit.size).map((limit) => limit.value)),
    value_limit_exponent: exponent(limits.map((limit) => limit.value)),
    extremum_words: distinct(EXTREMUM),
    counting_words: distinct(COUNTING),
    topic_words: distinct(TOPICS),
    warns_of_slowness: Number(SLOW.test(text)),
    form_stdin: Number(problem.testForm === 'stdin'),
    form_call: Number(problem.testForm === 'call'),
    form_assert: Number(problem.testForm === 'assert'),
    test_count: problem.testCount,
    test_bytes_log10: hundredths(Math.log10(Math.max(1, problem.testBytes))),
    cpu_time_ms: problem.cpuTimeMs,
    memory_mib: hundredths(problem.memoryBytes / 2 ** 20),
    published_year: hundredths(problem.publishedYear ?? 0),
    reference_known: Number(shape !== undefined),
    reference_lines: shape?.lines ?? 0,
    reference_loops: shape?.loops ?? 0,
    reference_loop_depth: shape?.loopDepth ?? 0,
    reference_branches: shape?.branches ?? 0,
    reference_definitions: shape?.definitions ?? 0,
    reference_recursive: Number(shape?.recursive ?? false),
    reference_tools: shape?.tools.length ?? 0,
    reference_tables: shape?.tables ?? 0,
  };
}

/** The shortest reference: others may be longer without need. Ties by text, so that their order doesn't matter. */
function shortest(references: readonly string[]): ProgramShape | undefined {
  const shapes = [...references]
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    .map((source) => programShapeOf(source))
    .filter((shape) => shape.lines > 0);
  return shapes.length === 0 ? undefined : shapes.reduce((best, shape) => (shape.lines < best.lines ? shape : best));
}

/** Largest decimal exponent of the bounds, 0 when there is none; two decimals, so 2·10^5 is 5.3. */
const exponent = (values: readonly number[]): number =>
  values.length === 0 ? 0 : hundredths(Math.log10(Math.max(...values)));

const hundredths = (value: number): number => Math.round(value * 100) / 100;
