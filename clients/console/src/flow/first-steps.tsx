import { Text } from '@mantine/core';
import type { Status } from '../api/types.ts';
import { Card } from '../ui/card.tsx';
import classes from './flow.module.css';

/** What to do with a Tidemark that holds nothing yet. */
export function FirstSteps({ status }: { readonly status: Status }) {
  return (
    <Card title="Nothing has flowed yet">
      <Text c="dimmed" size="sm" mb="lg">
        Tidemark is up and waits for problems. Three steps bring a first curated batch; this page shows each as it
        happens.
      </Text>
      <ol className={classes.steps}>
        <li>
          <strong>Offer problems.</strong> Tidemark's own JSON Lines, HumanEval and MBPP are understood.
          <pre tabIndex={0}>npx tidemark ingest problems.jsonl</pre>
          <Text c="dimmed" size="sm" mt={6}>
            None at hand? <code>npm start</code> publishes the sample.
          </Text>
        </li>
        <li>
          <strong>Declare a target</strong>: the model that is trained. No difficulty exists without one.{' '}
          {status.targets.length > 0 && `(${status.targets.map(({ target }) => target).join(', ')} is declared.)`}
          <pre tabIndex={0}>npx tidemark target declare my-model</pre>
        </li>
        <li>
          <strong>Take a batch, report rollouts.</strong> Each group of attempts sharpens what is known.
          <pre tabIndex={0}>{'npx tidemark batch my-model --count 64\nnpx tidemark rollouts submit groups.jsonl'}</pre>
        </li>
      </ol>
    </Card>
  );
}
