/** Sources by project references, then everything with its specs. Both keep what they know between runs. */
export async function checkTypes({ run }) {
  const faults = [];
  for (const args of [['-b'], ['-p', 'tsconfig.spec.json']]) {
    const { code, output } = await run('tsc', args);
    if (code !== 0) faults.push(`tsc ${args.join(' ')}:\n${output}`);
  }
  return faults;
}
