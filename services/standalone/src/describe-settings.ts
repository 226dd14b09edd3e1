import {
  aloneConfigSchema,
  configFaults,
  rangeOf,
  type Setting,
  settingsOf,
  unknownVariables,
  type Variables,
} from '@tidemark/stage-runtime';
import type { z } from 'zod';
import { services } from './services.ts';
import { processVariables } from './standalone.config.ts';

/** A setting with its range in words. */
export type DescribedSetting = Setting & { readonly range: string };

/** What a service can be told by its environment, and what is wrong with the environment at hand. */
export interface ServiceSettings {
  readonly service: string;
  /** The service's own. */
  readonly own: readonly DescribedSetting[];
  /** Those that every service has when it runs by itself. */
  readonly shared: readonly DescribedSetting[];
  /** Variables that are set, of those above. */
  readonly set: readonly string[];
  /** One sentence for each variable that is wrong. What is missing counts when anything shared is set at all. */
  readonly faults: readonly string[];
  /** Variables that bear the service's prefix and are no setting. */
  readonly unknown: readonly string[];
}

export const serviceNames: readonly string[] = services.map(({ name }) => name);

/** @returns undefined for a name that is no service */
export function describeSettings(name: string, env: Variables = processVariables()): ServiceSettings | undefined {
  const service = services.find((one) => one.name === name);
  if (service === undefined) return undefined;
  const own = described(service.configSchema, name);
  const shared = described(aloneConfigSchema, '');
  const isSet = ({ variable }: Setting) => (env[variable] ?? '') !== '';
  const runsAlone = shared.some(isSet);
  return {
    service: name,
    own,
    shared,
    set: [...own, ...shared].filter(isSet).map(({ variable }) => variable),
    faults: [
      ...configFaults(service.configSchema, name, env),
      ...(runsAlone ? configFaults(aloneConfigSchema, '', env) : []),
    ],
    unknown: unknownVariables(service.configSchema, name, env),
  };
}

const described = (schema: z.ZodObject, prefix: string): DescribedSetting[] =>
  settingsOf(schema, prefix).map((setting) => ({ ...setting, range: rangeOf(setting) }));
