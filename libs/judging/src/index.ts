/**
 * Judging, pure: from a model's answer to code (`extract-code`), from code to a program (`assemble`), from outputs to
 * equal or not (`comparison`), from measured facts to a verdict (`decide-verdict`). Running programs is the sandbox's
 * part, in the execute service.
 */
export * from './assemble.ts';
export * from './comparison.ts';
export * from './decide-verdict.ts';
export * from './diagnose-form.ts';
export * from './excerpt.ts';
export * from './extract-code.ts';
export { type JsonValue, MAX_JSON_DEPTH, parseJson } from './json-value.ts';
export * from './languages.ts';
export * from './run-facts.ts';
export * from './test-form.ts';
export * from './verdict.ts';
