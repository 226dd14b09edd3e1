import { runAlone } from '@tidemark/stage-runtime';
import { normalizeService } from './index.ts';

await runAlone(normalizeService);
