import { runAlone } from '@tidemark/stage-runtime';
import { scoreService } from './index.ts';

await runAlone(scoreService);
