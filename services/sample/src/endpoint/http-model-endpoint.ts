import { Injectable } from '@nestjs/common';
import { InjectConfig } from '@tidemark/stage-runtime';
import type { SampleConfig } from '../sample.config.ts';
import { EndpointTokens } from './endpoint-tokens.ts';
import { type CallOutcome, type EndpointCall, ModelEndpoint } from './model-endpoint.ts';
import { readAnswer } from './read-answer.ts';
import { comeBackMs } from './retry-after.ts';

/** OpenAI's `stop` takes four; the judge cuts at every stop sequence anyway. */
const MAX_STOP_SEQUENCES = 4;
/** What says that we are the problem, or that it is too much for now, and not the call. */
const BUSY = new Set([401, 402, 403, 407, 408, 409, 425, 429]);
/** How the body of the call may be what the endpoint stumbles over, although it calls it its own fault. */
const PERHAPS_THE_CALL = new Set([500, 501]);

/** An OpenAI-compatible endpoint over HTTP. */
@Injectable()
export class HttpModelEndpoint extends ModelEndpoint {
  constructor(
    private readonly tokens: EndpointTokens,
    @InjectConfig() private readonly config: SampleConfig,
  ) {
    super();
  }

  async call(call: EndpointCall, signal: AbortSignal): Promise<CallOutcome> {
    const path = call.shape === 'chat' ? 'chat/completions' : 'completions';
    const address = `${call.baseUrl.replace(/\/+$/, '')}/${path}`;
    const token = this.tokens.for(address);
    const timeout = AbortSignal.timeout(this.config.requestTimeoutMs);
    try {
      const response = await fetch(address, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(bodyOf(call)),
        // A redirect could lead prompt and token elsewhere.
        redirect: 'error',
        signal: AbortSignal.any([signal, timeout]),
      });
      if (!response.ok) return await refusal(response);
      const body = await this.textOf(response);
      return body === undefined
        ? { kind: 'broken', why: `an answer of more than ${this.config.maxAnswerBytes} bytes` }
        : readAnswer(body, call.shape, call.maxTokens);
    } catch (error) {
      signal.throwIfAborted();
      const why = timeout.aborted ? `no answer within ${this.config.requestTimeoutMs} ms` : networkReason(error);
      return { kind: 'unavailable', why, comeBackMs: undefined };
    }
  }

  /** The whole body, or undefined when it is larger than we read. */
  private async textOf(response: Response): Promise<string | undefined> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    // Leaving the loop early cancels the body.
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      if (length > this.config.maxAnswerBytes) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }
}

function bodyOf(call: EndpointCall): object {
  return {
    model: call.model,
    ...(call.shape === 'chat' ? { messages: [{ role: 'user', content: call.prompt }] } : { prompt: call.prompt }),
    ...(call.choices > 1 ? { n: call.choices } : {}),
    temperature: call.temperature,
    ...(call.topP > 0 ? { top_p: call.topP } : {}),
    ...(call.maxTokens > 0 ? { [call.tokenLimitName]: call.maxTokens } : {}),
    ...(call.stopSequences.length > 0 ? { stop: call.stopSequences.slice(0, MAX_STOP_SEQUENCES) } : {}),
    ...(call.seed === undefined ? {} : { seed: call.seed }),
    stream: false,
  };
}

async function refusal(response: Response): Promise<CallOutcome> {
  // The body may repeat what we sent: it is not read, and the connection is freed.
  await response.body?.cancel();
  const { status } = response;
  if (PERHAPS_THE_CALL.has(status) || (status >= 400 && status < 500 && !BUSY.has(status))) {
    return { kind: 'refused', status };
  }
  const why = status === 401 || status === 403 ? `it does not let us in (status ${status})` : `status ${status}`;
  return { kind: 'unavailable', why, comeBackMs: comeBackMs(response.headers.get('retry-after'), Date.now()) };
}

/** The code of a network error, for people: messages of some hold the whole address. */
function networkReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  return `it cannot be reached (${code ?? (cause instanceof Error ? cause.name : 'unknown')})`;
}
