/**
 * Moments at which a death leaves something half done, told by what a service and its database say to each other: so the
 * process that dies is the one that is run in production, and knows nothing of it.
 */
const client = (says) => ({ from: 'client', says });
const server = (says) => ({ from: 'server', says });

export const moments = {
  'after work, before commit': { steps: [client('INSERT INTO outbox'), client('COMMIT')] },
  'after commit, before publish': { steps: [client('INSERT INTO outbox'), client('COMMIT'), server('COMMIT\0')] },
  'after publish, before delete': { steps: [client('DELETE FROM outbox WHERE shard')] },
  'in mid-job': { steps: [client("lease_token = nextval('job_lease_token')"), server(/UPDATE [1-9]/)], lateMs: 150 },
  'in mid-migration': { steps: [client('CREATE TABLE')] },
};
