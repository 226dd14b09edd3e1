import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { layerRules } from './tools/lint/layer-rules.mjs';
import { readWorkspace } from './tools/lint/workspace.mjs';

/** Rules come from the packages' own tags; with no package at all reading them throws, and the check fails. */
export default {
  forbidden: layerRules(readWorkspace(dirname(fileURLToPath(import.meta.url))).packages),
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@tidemark/source', 'import', 'types', 'node', 'default'],
    },
  },
};
