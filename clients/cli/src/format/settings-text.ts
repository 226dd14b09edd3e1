import type { ServiceSettings, Setting } from '../start/load-standalone.ts';
import { tableLines } from './table.ts';

const COLUMNS = [{ heading: 'variable' }, { heading: 'default' }, { heading: 'range' }, { heading: '' }];

/** The settings of a service for people: one line of values and one of meaning each. */
export function settingsText({ service, own, shared, set }: ServiceSettings): string[] {
  const [heading = '', ...rows] = tableLines(
    COLUMNS,
    [...own, ...shared].map((setting) => rowOf(setting, set.includes(setting.variable))),
  );
  const meanings = [...own, ...shared].map(({ description }) => `    ${description}`);
  const lines = rows.map((row, at) => [row, meanings[at] ?? '']);
  return [
    heading,
    '',
    `Of ${service} alone`,
    ...lines.slice(0, own.length).flat(),
    '',
    'Of every service that runs by itself',
    ...lines.slice(own.length).flat(),
  ];
}

function rowOf(setting: Setting, isSet: boolean): string[] {
  const fallback = setting.default === undefined || setting.default === '' ? '-' : words(setting.default, setting);
  const marks = [setting.required ? 'required' : '', setting.secret ? 'secret' : '', isSet ? 'set' : ''];
  return [setting.variable, fallback, setting.range || setting.type, marks.filter((mark) => mark !== '').join(', ')];
}

/** Numbers of ports and users are names, not amounts: they have no unit and no commas. */
const words = (value: string | number | boolean, { unit }: Setting): string =>
  typeof value === 'number' && unit !== undefined
    ? value.toLocaleString('en-US', { maximumFractionDigits: 6 })
    : String(value);
