import { runAlone } from '@tidemark/stage-runtime';
import { executeService } from './index.ts';

await runAlone(executeService);
