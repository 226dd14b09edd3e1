import type { ReadFields } from '../json/read-fields.ts';
import type { Plain } from '../json/plain.ts';
import type { OriginKind, ProblemFormatName, ProblemRecord } from './problem-record.ts';

/** What the submitter says of a whole file; a record's own words come first. */
export interface ProblemDefaults {
  readonly namespace?: string;
  readonly originKind?: OriginKind;
  readonly licence?: string;
}

/** One way of writing problems down. A new format is one more of these in `identify-problem.ts`. */
export interface ProblemFormat {
  readonly name: ProblemFormatName;
  /** Whether a record that names no format looks like this one, by the names of its fields. */
  recognises(fields: ReadonlySet<string>): boolean;
  /** Paths whose JSON is kept as it was written; see `toPlain`. */
  readonly rawAt: ReadonlySet<string>;
  /** Namespace where neither record nor submitter names one; undefined when it has to be named. */
  readonly namespace: string | undefined;
  /** Field in which a record may name its namespace; undefined where the format has none. */
  readonly namespaceField: string | undefined;
  /** Field that holds the source's own id of the record. */
  readonly idField: string;
  read(record: Plain, defaults: ProblemDefaults): ReadFields<ProblemRecord>;
}
