import { runAlone } from '@tidemark/stage-runtime';
import { calibrate } from './index.ts';

await runAlone(calibrate);
