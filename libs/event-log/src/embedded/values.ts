import type pg from 'pg';

/**
 * How the few PostgreSQL types that the log reads become values, by type id; independent of what else in the process
 * has told pg's global parsers. (pg's binary mode decodes bytes as UTF-8, which destroys them.)
 */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex'),
  20: BigInt,
  23: Number,
  25: (text) => text,
  1007: (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)),
  // void, the answer of a function that has none
  2278: () => undefined,
};

/** For pg's `types` option: boolean, bytea as Buffer, int8 as bigint, int4 as number, text, int4[]. */
export const valueTypes: pg.CustomTypesConfig = {
  getTypeParser: (typeId: number) => {
    const parse = parsers[typeId];
    if (!parse) throw new TypeError(`no parser for PostgreSQL type ${typeId}`);
    return parse;
  },
};
