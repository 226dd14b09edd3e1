/** Health of a container: 0 when the service is ready; else its reasons, which `docker inspect` shows. */
const port = process.env.TIDEMARK_HTTP_PORT ?? '7400';
try {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5_000) });
  console.log(await answer.text());
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  console.log(String(error.cause ?? error));
  process.exitCode = 1;
}
