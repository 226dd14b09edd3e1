import { runAlone } from '@tidemark/stage-runtime';
import { sampleService } from './index.ts';

await runAlone(sampleService);
