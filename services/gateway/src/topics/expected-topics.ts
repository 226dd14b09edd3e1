import { curatedTopic, ordersTopic, type ServiceName, serviceNames, type TopicSpec, topics } from '@tidemark/event-log';
import { type AnyTopic, deadLetters, ordersSpec, topicSpec } from '@tidemark/stage-runtime';

/** A topic that has to be there, and what is to be said of it. */
export interface ExpectedTopic {
  readonly definition: AnyTopic;
  readonly spec: TopicSpec;
  /** Of a topic of dead letters: of which topic, and of which of its readers. */
  readonly lettersOf?: { readonly topic: string; readonly service: ServiceName };
}

/**
 * Every topic of the system: the fixed ones, the dead letters and the orders of their readers, and the working sets.
 *
 * @param partitions of topics that are created; dead letters and orders have one
 * @param targets slugs of the declared targets
 */
export function expectedTopics(partitions: number, targets: readonly string[]): readonly ExpectedTopic[] {
  const fixed = Object.values(topics);
  const letters = fixed.flatMap(({ name, readBy }) => readBy.map((service) => ({ topic: name, service })));
  return [
    ...fixed.map((definition) => ({ definition, spec: topicSpec(definition, partitions) })),
    ...targets
      .map((target) => curatedTopic(target))
      .map((each) => ({ definition: each, spec: topicSpec(each, partitions) })),
    ...letters.map((lettersOf) => {
      const definition = deadLetters(lettersOf.topic, lettersOf.service);
      return { definition, spec: topicSpec(definition, 1), lettersOf };
    }),
    ...serviceNames.map((service) => ({ definition: ordersTopic(service), spec: ordersSpec(service) })),
  ];
}
