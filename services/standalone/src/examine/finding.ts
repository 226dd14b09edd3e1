/** One thing that was looked at. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly found: string;
  /** What to do, where it is not as it should be. */
  readonly todo?: string;
}

/** Looks, and turns what goes wrong into a finding. */
export async function finding(check: string, todo: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, found: await look() };
  } catch (error) {
    const cure = error instanceof Ailment ? error.todo : todo;
    return { check, ok: false, found: error instanceof Error ? error.message : String(error), todo: cure };
  }
}

/** What is wrong, with a cure of its own. */
export class Ailment extends Error {
  constructor(
    found: string,
    readonly todo: string,
  ) {
    super(found);
  }
}
