import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** buf lint, buf breaking against the committed image, generated code current: the contracts' own check. */
export async function checkProto({ root, run }) {
  if (!existsSync(join(root, 'proto', 'package.json'))) return ['proto/ is missing'];
  const { code, output } = await run('npm', ['run', '--silent', '--workspace', 'proto', 'check']);
  return code === 0 ? [] : [output];
}
