import { runAlone } from '@tidemark/stage-runtime';
import { selectService } from './index.ts';

await runAlone(selectService);
