import { runAlone } from '@tidemark/stage-runtime';
import { gatewayService } from './index.ts';

await runAlone(gatewayService);
