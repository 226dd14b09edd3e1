import { runAlone } from '@tidemark/stage-runtime';
import { ingestService } from './index.ts';

await runAlone(ingestService);
