/** A record laid aside, as `GET /v1/dead-letters` lists it. */
export interface Letter {
  readonly id: string;
  readonly topic: string;
  readonly service: string;
  readonly error_code: string;
  readonly error_message: string;
  readonly attempts: number;
  readonly replays: number;
  readonly dead_lettered_at: string | null;
  readonly problem_id?: string;
  readonly source_file?: string;
  readonly source_record?: number;
  readonly state: string;
  readonly decided_by?: string;
  readonly decided_at?: string;
}

/** With what it holds; contents are left out. */
export interface LetterWithRecord extends Letter {
  readonly record: object | null;
}

/** Which letters an order is about: by id, or all open ones of a kind. */
export interface Chosen {
  readonly ids?: readonly string[];
  readonly service?: string;
  readonly code?: string;
}

/** What became of an order. */
export interface Decided {
  readonly replayed?: number;
  readonly dropped?: number;
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
  readonly more: boolean;
}
