import { runAlone } from '@tidemark/stage-runtime';
import { sample } from './index.ts';

await runAlone(sample);
