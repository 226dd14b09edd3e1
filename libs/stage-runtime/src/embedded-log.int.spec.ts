import { describeBatches } from './testing/batch-suite.ts';
import { describeCrashes } from './testing/crash-suite.ts';
import { describeMovedOffsets, describeReplays } from './testing/replay-suite.ts';
import { describeReplicas } from './testing/replica-suite.ts';

describeBatches('the embedded log', () => ({}));
describeCrashes('the embedded log', () => ({}));
describeReplicas('the embedded log', () => ({}));
describeReplays('the embedded log', () => ({}));
describeMovedOffsets('the embedded log', () => ({}));
