import { z } from 'zod';
import { variableName } from './variable-name.ts';

/** One setting of a service, as its schema tells it: what an operator has to know to set it. */
export interface Setting {
  readonly variable: string;
  readonly description: string;
  readonly type: 'whole number' | 'number' | 'yes or no' | 'choice' | 'text' | 'address';
  /** Of a number: `ms`, `bytes`, `jobs` … */
  readonly unit?: string;
  /** What holds when the variable is not set; undefined: nothing does. */
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Of a choice. */
  readonly choices?: readonly string[];
  /** Shortest text, in characters. */
  readonly minLength?: number;
  /** It has to be set. */
  readonly required: boolean;
  /** Never shown or logged. */
  readonly secret: boolean;
}

interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly unit?: string;
  readonly secret?: boolean;
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly format?: string;
}

/** The settings of a schema in its order. Units and secrets stand in it as `.meta({ unit })`, `.meta({ secret: true })`. */
export function settingsOf(schema: z.ZodObject, prefix: string): Setting[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const properties = (json.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  const required = new Set(json.required);
  return Object.entries(properties).map(([field, property]) => {
    const isSwitch = z.toJSONSchema(schema.shape[field] as z.ZodType, { unrepresentable: 'any' }).type === 'boolean';
    const minimum = property.minimum ?? property.exclusiveMinimum;
    const maximum = property.maximum ?? property.exclusiveMaximum;
    const fallback = property.default ?? defaultOf(schema.shape[field]);
    return {
      variable: variableName(prefix, field),
      description: property.description ?? '',
      type: isSwitch ? 'yes or no' : typeOf(property),
      ...(property.unit !== undefined && { unit: property.unit }),
      ...(fallback !== undefined && { default: fallback }),
      ...(minimum !== undefined && { minimum }),
      ...(maximum !== undefined && { maximum }),
      ...(property.enum !== undefined && { choices: property.enum }),
      ...(property.minLength !== undefined && { minLength: property.minLength }),
      required: required.has(field),
      secret: property.secret ?? false,
    };
  });
}

/** The values that a setting takes, in words; '' where any text will do. */
export function rangeOf({ type, minimum, maximum, choices, minLength, unit }: Setting): string {
  if (choices !== undefined) return choices.join(' | ');
  if (type === 'yes or no') return 'true | false';
  const of = unit === undefined ? '' : ` ${unit}`;
  if (minimum !== undefined && maximum !== undefined) return `${inWords(minimum)} to ${inWords(maximum)}${of}`;
  if (minimum !== undefined) return `at least ${inWords(minimum)}${of}`;
  return minLength === undefined || minLength < 2 ? '' : `at least ${minLength} characters`;
}

/** A number with its thousands apart, anything else as it is set. */
export const inWords = (value: string | number | boolean): string =>
  typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 6 }) : String(value);

function typeOf({ type, enum: choices, format }: JsonSchema): Setting['type'] {
  if (type === 'integer') return 'whole number';
  if (type === 'number') return 'number';
  if (choices !== undefined) return 'choice';
  return format === 'uri' ? 'address' : 'text';
}

/** The default of a switch is lost in its JSON schema, whose input is text. */
function defaultOf(field: unknown): string | number | boolean | undefined {
  const parsed = (field as z.ZodType).safeParse(undefined);
  return parsed.success && ['string', 'number', 'boolean'].includes(typeof parsed.data)
    ? (parsed.data as string | number | boolean)
    : undefined;
}
