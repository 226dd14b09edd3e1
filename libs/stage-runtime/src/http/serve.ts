import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { RunOptions } from '../running-service.ts';
import { AccessTokenMissingError, isLoopback, tokenMatches, urlOf } from './access.ts';

/** Open to probes, which hold no token. */
const OPEN_PATHS = new Set(['/livez', '/readyz']);

/** @throws AccessTokenMissingError */
export function assertAccess(http: NonNullable<RunOptions['http']>): void {
  if (!isLoopback(http.host) && !http.accessToken) throw new AccessTokenMissingError(http.host);
}

/** Lets in only who bears the token, where there is one. */
export function guardByToken(app: NestFastifyApplication, token: string | undefined): void {
  if (token === undefined) return;
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', async (request, reply) => {
      const path = request.url.split('?')[0] ?? '';
      if (OPEN_PATHS.has(path)) return;
      if (!tokenMatches(request.headers.authorization, token)) {
        await reply.code(401).header('www-authenticate', 'Bearer').send({ message: 'access token missing or wrong' });
      }
    });
}

/** @returns where it listens */
export async function listen(
  app: NestFastifyApplication,
  { host, port }: { host: string; port: number },
): Promise<string> {
  await app.listen(port, host);
  const address: unknown = app.getHttpServer().address();
  const bound = typeof address === 'object' && address !== null && 'port' in address ? Number(address.port) : port;
  return urlOf(host, bound);
}
