import { runAlone } from '@tidemark/stage-runtime';
import { score } from './index.ts';

await runAlone(score);
