import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { InjectConfig } from '@tidemark/stage-runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../../gateway.config.ts';
import { HttpProblem, notFound } from '../../http/http-problem.ts';
import { builtConsole, loadSite, type Site } from './site.ts';

/** Paths at which the page itself is served; it finds its own way from there. */
const PAGES = ['/', '/problems', '/problems/:id', '/targets', '/targets/:slug', '/dead-letters', '/services'];

/** The console: a page, its scripts and its styles. Nothing of what the gateway knows is in them. */
@Controller()
export class SiteController {
  private readonly site: Site;

  constructor(@InjectConfig() config: GatewayConfig) {
    this.site = loadSite(config.consoleFolder ?? builtConsole);
  }

  @Get(PAGES)
  async page(@Res() reply: FastifyReply): Promise<void> {
    const page = this.site.page();
    if (page === undefined) {
      throw new HttpProblem({
        status: 503,
        code: 'console_not_built',
        what: 'The console was not built.',
        todo: 'Run "npm run build" and start the gateway again.',
      });
    }
    await hardened(reply)
      .header('content-security-policy', page.policy)
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page.html);
  }

  @Get(['assets/:name', 'favicon.svg'])
  async file(
    @Param('name') name: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const path = name === undefined ? 'favicon.svg' : `assets/${name}`;
    const file = this.site.file(path);
    if (file === undefined) throw notFound('file', path, 'Load the page again: the console was built anew.');
    void hardened(reply)
      .header('cache-control', file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
      .header('etag', file.etag);
    if (request.headers['if-none-match'] === file.etag) await reply.status(304).send();
    else await reply.type(file.type).send(file.bytes);
  }
}

const hardened = (reply: FastifyReply): FastifyReply =>
  reply
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cross-origin-resource-policy', 'same-origin');
