/** Knip: files nobody reaches, exports nobody imports, dependencies nobody uses or nobody listed. */
export async function checkDeadCode({ run }) {
  const { code, output } = await run('knip', ['--no-progress', '--no-config-hints']);
  return code === 0 ? [] : [output];
}
