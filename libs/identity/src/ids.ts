import { hashOfFields, sha256Hex } from './hash.ts';

declare const brand: unique symbol;
/** A type that is `T` at run time and cannot be swapped with another brand of `T` at compile time. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** Identifies a problem across its versions: 32 lower-case hexadecimal digits. */
export type ProblemId = Brand<string, 'ProblemId'>;
/** Identifies one group of attempts: the submitter's own id (1 to 200 characters) or 32 hexadecimal digits. */
export type GroupId = Brand<string, 'GroupId'>;
/** Hash over the judging suite and its checker: 64 lower-case hexadecimal digits. */
export type SuiteHash = Brand<string, 'SuiteHash'>;

/** Thrown when text is not the id it should be; `field` names the kind and `value` the offender (cut to 200). */
export class InvalidIdError extends Error {
  readonly code = 'INVALID_ID';
  readonly retriable = false;
  readonly value: string;
  constructor(
    readonly field: string,
    value: string,
    readonly expected: string,
  ) {
    super(`${field} ${JSON.stringify(value.slice(0, 200))} is not ${expected}`);
    this.value = value.slice(0, 200);
  }
}

const HEX_32 = /^[0-9a-f]{32}$/;
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const CHECKPOINT = /^[!-~]{1,128}$/;

/** @throws InvalidIdError unless `text` has 1 to 200 characters and no control characters */
export const groupId = (text: string): GroupId =>
  check(text, isGroupId(text), 'group id', '1 to 200 characters without control characters') as GroupId;

/** True for 32 lower-case hexadecimal digits. */
export const isProblemId = (text: string): text is ProblemId => HEX_32.test(text);
/** What a target (a model line being trained) may be called; its name is also part of a topic's and of an address. */
export const TARGET_SLUG_RULE = '1 to 63 of a-z, 0-9 and inner dashes';
/** True for text that keeps {@link TARGET_SLUG_RULE}. */
export const isTargetSlug = (text: string): boolean => SLUG.test(text);
/** True for the name of a checkpoint within a target: 1 to 128 printable ASCII characters without blanks. */
export const isCheckpointId = (text: string): boolean => CHECKPOINT.test(text);
/** True for text that {@link groupId} accepts. */
export const isGroupId = (text: string): text is GroupId =>
  text.length >= 1 && text.length <= 200 && !/\p{Cc}/u.test(text);

/**
 * The id of a problem that its source names: the first 32 digits of SHA-256(namespace NUL record id). Neither part
 * may hold a NUL, which the parsers refuse.
 */
export function problemIdOf(namespace: string, recordId: string): ProblemId {
  return sha256Hex(`${namespace}\0${recordId}`).slice(0, 32) as ProblemId;
}

/** The id of a problem without a record id of its own: the first 32 digits of SHA-256 over its original content. */
export function problemIdOfContent(content: string | Uint8Array): ProblemId {
  return sha256Hex(content).slice(0, 32) as ProblemId;
}

/**
 * The id of a group that its submitter does not name, from where it stood: never from its content, since models
 * repeat themselves and each attempt counts.
 *
 * @param fileHash SHA-256 of the whole file
 * @param record where the record stands in the file: its line, from 1; 0 for a stream without lines
 * @param index the number of the group within the record, from 0
 */
export function groupIdOf(fileHash: string, record: number, index: number): GroupId {
  return hashOfFields('group', fileHash, String(record), String(index)).slice(0, 32) as GroupId;
}

/** Hash over a judging suite (its serialised form) and its checker (its serialised form, empty for the default). */
export function suiteHashOf(suite: Uint8Array, checker: Uint8Array): SuiteHash {
  return hashOfFields(suite, checker) as SuiteHash;
}

function check(text: string, ok: boolean, field: string, expected: string): string {
  if (!ok) throw new InvalidIdError(field, text, expected);
  return text;
}
