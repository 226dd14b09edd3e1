import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from './test-folder.ts';

export interface TestCertificate {
  /** Files of the certificate and of its key, in PEM. */
  readonly certFile: string;
  readonly keyFile: string;
  /** The certificate's text: it is its own authority. */
  readonly cert: string;
  readonly key: string;
}

/** A certificate for this machine that signs itself, good for two days. Needs `openssl`. */
export function makeCertificate(name = 'localhost'): TestCertificate {
  const folder = testFolder('certificate');
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const flags = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...flags, ...names, '-keyout', keyFile, '-out', certFile], {
    stdio: 'pipe',
  });
  return { certFile, keyFile, cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}
