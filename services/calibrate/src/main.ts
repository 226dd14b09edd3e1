import { runAlone } from '@tidemark/stage-runtime';
import { calibrateService } from './index.ts';

await runAlone(calibrateService);
