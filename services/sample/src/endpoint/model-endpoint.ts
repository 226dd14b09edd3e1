import type { AnswerShape } from '../prompt/render-prompt.ts';

/** One call: so many answers to one prompt. */
export interface EndpointCall {
  /** Base address, for example `https://models.example/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly shape: AnswerShape;
  readonly prompt: string;
  /** Answers wanted, from 1. What comes may be fewer or more. */
  readonly choices: number;
  readonly temperature: number;
  /** 0 when not set. */
  readonly topP: number;
  /** Token limit of an answer; 0 when not set. */
  readonly maxTokens: number;
  readonly stopSequences: readonly string[];
  /** Undefined: the endpoint draws its own. */
  readonly seed: number | undefined;
  /** How the token limit is called: newer endpoints refuse `max_tokens`. */
  readonly tokenLimitName: 'max_tokens' | 'max_completion_tokens';
}

export interface SampledText {
  readonly text: string;
  /** `length`: it ran into the token limit. */
  readonly stop: 'stop' | 'length' | 'unknown';
  /** 0 when unknown. */
  readonly promptTokens: number;
  /** 0 when unknown. */
  readonly outputTokens: number;
}

/** What came of a call. Everything but `answered` says nothing about the model. */
export type CallOutcome =
  | { readonly kind: 'answered'; readonly texts: readonly SampledText[] }
  /** It answered, with something that holds no usable text. */
  | { readonly kind: 'broken'; readonly why: string }
  /** It does not take the call as it was put; another way of putting it may do. */
  | { readonly kind: 'refused'; readonly status: number }
  /** It is away, busy, or does not let us in. `comeBackMs`: when it wants to be asked again. */
  | { readonly kind: 'unavailable'; readonly why: string; readonly comeBackMs: number | undefined };

/** Where attempts come from. An abstract class, so that it is both the port and the token by which it is injected. */
export abstract class ModelEndpoint {
  /** Never throws for what an endpoint can do, nor tells its token: not in outcomes, not in errors. */
  abstract call(call: EndpointCall, signal: AbortSignal): Promise<CallOutcome>;
}
