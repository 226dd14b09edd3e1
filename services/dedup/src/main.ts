import { runAlone } from '@tidemark/stage-runtime';
import { dedupService } from './index.ts';

await runAlone(dedupService);
