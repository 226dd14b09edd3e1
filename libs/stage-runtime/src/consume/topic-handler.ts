import type { Message } from '@bufbuild/protobuf';
import type { AnyTopic, EventBatch, StageTransaction } from '../api.ts';
import type { StageIdentity } from '../identity.ts';
import type { OnEventOptions } from '../on-event.ts';

/** A handler found in the service's module, bound to its topic. */
export interface TopicHandler {
  /** `<service>/<topic>`: event ids derive from it, so renaming a class changes none. */
  readonly name: string;
  readonly topic: AnyTopic;
  readonly options: OnEventOptions;
  /** Rejects with what the handler threw. */
  handle(batch: EventBatch<Message>, tx: StageTransaction): Promise<void>;
}

/** The name of the handler of a topic in a service: event ids derive from it. */
export const handlerName = ({ service }: Pick<StageIdentity, 'service'>, { name }: Pick<AnyTopic, 'name'>): string =>
  `${service}/${name}`;
