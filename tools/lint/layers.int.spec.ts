import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlantedCopy, REPOSITORY } from './planted-copy.ts';

/** `npm run lint` itself, on another tree. */
function lint(root: string, ...checks: string[]): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(
    'node',
    [join(REPOSITORY, 'tools/lint.mjs'), '--root', root, ...checks],
    {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${join(REPOSITORY, 'node_modules/.bin')}:${process.env['PATH']}` },
    },
  );
  return { code: status, output: `${stdout}${stderr}` };
}

describe('the layer rule', () => {
  const copies: PlantedCopy[] = [];
  const plant = (packages: boolean): PlantedCopy => {
    const copy = new PlantedCopy({ packages });
    copies.push(copy);
    return copy;
  };
  afterAll(() => {
    for (const { root } of copies) rmSync(root, { recursive: true, force: true });
  });

  it('passes the repository as it is', () => {
    const { code, output } = lint(plant(true).root, 'projects', 'layers');
    expect(output).toMatch(/projects +ok/);
    expect(output).toMatch(/layers +ok/);
    expect(code).toBe(0);
  });

  it.each(['projects', 'layers'])('fails when there is no project at all (%s)', (check) => {
    const { code, output } = lint(plant(false).root, check);
    expect(output).toMatch(new RegExp(`${check} +FAILED`));
    expect(code).toBe(1);
  });

  it('fails when a package has no layer tag', () => {
    const copy = plant(true);
    copy.addPackage('libs/planted-untagged', 'none');
    const { code, output } = lint(copy.root, 'projects', 'layers');
    expect(output).toContain('libs/planted-untagged: nx.tags must hold exactly one of');
    expect(output).toContain('libs/planted-untagged has no known layer tag');
    expect(output).toContain('tsconfig.json: no reference to libs/planted-untagged');
    expect(code).toBe(1);
  });

  describe('fails on a planted breach:', () => {
    let result: { code: number | null; output: string };
    beforeAll(() => {
      const copy = plant(true);
      copy.addPackage('libs/planted-domain', 'domain', ['@tidemark/planted-adapter', '@tidemark/planted-contract']);
      copy.addPackage('libs/planted-contract', 'contract', ['@tidemark/planted-domain']);
      copy.addPackage('libs/planted-adapter', 'adapter', ['@tidemark/planted-service', '@tidemark/planted-domain']);
      copy.addPackage('services/planted-service', 'service', ['@tidemark/planted-other', '@tidemark/planted-adapter']);
      copy.addPackage('services/planted-other', 'service');
      const from = (folder: string, file: string, line: string): void => {
        copy.write(`${folder}/src/${file}.ts`, `${line}\n`);
      };
      from('libs/planted-domain', 'adapter', "export { name } from '@tidemark/planted-adapter';");
      from('libs/planted-domain', 'contract', "export { name } from '@tidemark/planted-contract';");
      from(
        'libs/planted-domain',
        'type-only',
        "import type { name } from '@tidemark/planted-adapter';\nexport type T = typeof name;",
      );
      from('libs/planted-domain', 'by-path', "export { name } from '../../planted-adapter/src/index.ts';");
      from('libs/planted-domain', 'nest', "export { Module } from '@nestjs/common';");
      from('libs/planted-domain', 'typeorm', "export { DataSource } from 'typeorm';");
      from('libs/planted-domain', 'kafka', "export { Kafka } from 'kafkajs';");
      from('libs/planted-domain', 'node', "export { readFileSync } from 'node:fs';");
      from('libs/planted-domain', 'node-lazy', "export const fs = async () => import('node:fs');");
      from('libs/planted-domain', 'nowhere', "export { name } from '@tidemark/planted-nothing';");
      from('libs/planted-contract', 'domain', "export { name } from '@tidemark/planted-domain';");
      from('libs/planted-adapter', 'service', "export { name } from '@tidemark/planted-service';");
      from('libs/planted-adapter', 'servers', "export { startKafka } from '@tidemark/testing-servers';");
      from('services/planted-service', 'other', "export { name } from '@tidemark/planted-other';");
      from('services/planted-service', 'unlisted', "export { name } from '@tidemark/planted-domain';");
      from('services/planted-service', 'fine', "export { name } from '@tidemark/planted-adapter';");
      result = lint(copy.root, 'layers');
    });

    it('exits with 1', () => {
      expect(result.output).toMatch(/layers +FAILED/);
      expect(result.code).toBe(1);
    });

    it.each([
      ['an adapter in a domain', 'layer-domain: libs/planted-domain/src/adapter.ts -> libs/planted-adapter/'],
      ['a contract in a domain', 'layer-domain: libs/planted-domain/src/contract.ts -> libs/planted-contract/'],
      ['by a type alone', 'layer-domain: libs/planted-domain/src/type-only.ts -> libs/planted-adapter/'],
      ['by a path instead of a name', 'layer-domain: libs/planted-domain/src/by-path.ts -> libs/planted-adapter/'],
      ['Nest in a domain', 'domain-is-pure: libs/planted-domain/src/nest.ts'],
      ['TypeORM in a domain', 'domain-is-pure: libs/planted-domain/src/typeorm.ts'],
      ['Kafka in a domain', 'domain-is-pure: libs/planted-domain/src/kafka.ts'],
      ['node:* in a domain', 'domain-uses-no-node: libs/planted-domain/src/node.ts'],
      ['node:* in a domain, imported when it runs', 'domain-uses-no-node: libs/planted-domain/src/node-lazy.ts'],
      ['anything of ours in a contract', 'layer-contract: libs/planted-contract/src/domain.ts -> libs/planted-domain/'],
      ['a service in an adapter', 'layer-adapter: libs/planted-adapter/src/service.ts -> services/planted-service/'],
      [
        'another service in a service',
        'layer-service: services/planted-service/src/other.ts -> services/planted-other/',
      ],
      ['a package that the manifest does not list', 'unlisted-package: services/planted-service/src/unlisted.ts'],
      ['test servers in what is shipped', 'test-code-stays-in-tests: libs/planted-adapter/src/servers.ts'],
      ['an import that leads nowhere', 'resolvable: libs/planted-domain/src/nowhere.ts'],
    ])('%s', (_, fault) => {
      expect(result.output).toContain(fault);
    });

    it('says nothing of an import that is allowed', () => {
      expect(result.output).not.toContain('planted-service/src/fine.ts');
    });
  });

  it('lets services/standalone, and it alone, put services together', () => {
    const copy = plant(true);
    copy.addPackage('services/planted-service', 'service');
    copy.write(
      'services/standalone/package.json',
      JSON.stringify({
        name: '@tidemark/standalone',
        version: '0.1.0',
        private: true,
        type: 'module',
        nx: { tags: ['layer:service'] },
        dependencies: { '@tidemark/planted-service': '0.1.0' },
      }),
    );
    rmSync(join(copy.root, 'services/standalone/src'), { recursive: true, force: true });
    copy.write('services/standalone/src/planted.ts', "export { name } from '@tidemark/planted-service';\n");
    expect(lint(copy.root, 'layers').output).toMatch(/layers +ok/);
  });
});
