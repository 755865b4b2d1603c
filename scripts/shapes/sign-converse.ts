/** Signs a request to the simulator as its only key pair would. */
import { systemClock } from '../../packages/gateway/src/kernel/clock.ts';
import { readAwsCredential } from '../../packages/gateway/src/models/providers/signers/credentials.ts';
import { sigv4Signer } from '../../packages/gateway/src/upstream/signing/sigv4-signer.ts';

type Key = { readonly accessKeyId: string; readonly secretAccessKey: string };

export async function signedHeaders(url: URL, body: string, key: Key): Promise<Record<string, string>> {
  const credential = readAwsCredential(`${key.accessKeyId}:${key.secretAccessKey}`);
  if ('problem' in credential) throw new Error('no key pair');
  const signer = sigv4Signer(credential.value, { service: 'bedrock', region: 'eu-central-1' }, systemClock);
  const request = { origin: url.origin, path: url.pathname, headers: ['content-type', 'application/json'], body };
  const headers = await signer.sign(request);
  return Object.fromEntries(
    headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? ''] as const] : [])),
  );
}
