import type { Variables } from '@tidemark/stage-runtime';
import { processVariables } from '../standalone.config.ts';
import { describeSettings, serviceNames } from '../describe-settings.ts';
import { examineBroker } from './examine-broker.ts';
import { examineDatabase } from './examine-database.ts';
import { examineDisk } from './examine-disk.ts';
import { examineJudge } from './examine-judge.ts';
import type { Finding } from './finding.ts';

/** Everything that a service needs of this machine and of what the environment names, tried once. */
export async function examineMachine(dataFolder: string, env: Variables = processVariables()): Promise<Finding[]> {
  const database = env.TIDEMARK_DATABASE_URL || undefined;
  const blobs = env.TIDEMARK_BLOB_FOLDER;
  return [
    examineSettings(env),
    ...(await examineDatabase(database)),
    await examineBroker(env),
    ...(await examineJudge(env)),
    await examineDisk('data', dataFolder),
    ...(blobs ? [await examineDisk('blobs', blobs)] : []),
  ];
}

function examineSettings(env: Variables): Finding {
  const described = serviceNames.flatMap((name) => describeSettings(name, env) ?? []);
  const faults = [...new Set(described.flatMap((each) => [...each.faults]))];
  const unknown = described.flatMap((each) => [...each.unknown]);
  if (faults.length > 0) {
    const todo = 'Correct them; `tidemark config SERVICE` lists what there is.';
    return { check: 'settings', ok: false, found: faults.join('\n      '), todo };
  }
  if (unknown.length > 0) {
    const todo = 'Correct or remove them; `tidemark config SERVICE` lists what there is.';
    return { check: 'settings', ok: false, found: `no settings of any service: ${unknown.join(', ')}`, todo };
  }
  const set = new Set(described.flatMap((each) => [...each.set]));
  return { check: 'settings', ok: true, found: `${set.size} set, none wrong` };
}
